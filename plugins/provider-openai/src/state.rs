//! What goes back to the model with its own message. It is recorded, so its shape is a format: `{"wire": "chat",
//! "fields": {…}, "calls": […]}` or `{"wire": "responses", "items": […]}`.

use rye_plugin_abi::Failure;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::json::is_too_deep;
use crate::server_error::Failed;

/// A message's state.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "wire", rename_all = "snake_case")]
pub(crate) enum State {
    /// Chat Completions.
    Chat(Chat),
    /// Responses.
    Responses(Responses),
}

/// What a message of Chat Completions has besides its text.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Chat {
    /// Fields of reasoning by name, as servers other than OpenAI's send them.
    pub(crate) fields: Map<String, Value>,
    /// The entries of `tool_calls`, with the call ids that the host knows.
    pub(crate) calls: Vec<Value>,
}

/// The output of Responses.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Responses {
    /// The items of the output in order, with the call ids that the host knows; otherwise as they came.
    pub(crate) items: Vec<Value>,
}

impl State {
    /// Reads a message's state; nothing if the message has none.
    ///
    /// # Errors
    ///
    /// Code `state` if this plugin did not make it.
    pub(crate) fn read(state: Value) -> Result<Option<Self>, Failure> {
        Option::deserialize(state).map_err(|problem| Failure::state(&problem))
    }

    /// The state as JSON.
    ///
    /// # Errors
    ///
    /// If the server nested it too deeply.
    pub(crate) fn into_value(self) -> Result<Value, Failed> {
        let state = serde_json::to_value(self).unwrap_or_default();
        if is_too_deep(&state) { Err(Failed::unreadable("it is nested too deeply")) } else { Ok(state) }
    }
}
