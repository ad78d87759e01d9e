//! Tool calls of an answer: their ids and arguments.
//!
//! # Invariants
//!
//! - A call's id is unique in its conversation. A server's id that is missing, or was used before, is replaced.
//! - A call without a name is a call: the host answers it with an error, and it goes back under a name that the server takes.
//! - Arguments that are not a JSON object are not an error of the turn: the host gets them as text.

use std::collections::BTreeSet;

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{Message, ToolCall};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::json::is_too_deep;

/// The ids of a conversation's calls; goes from a request to its response as the plugin's state.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct CallIds {
    #[serde(default)]
    call_ids: BTreeSet<String>,
}

impl CallIds {
    /// The ids of the calls in a conversation.
    pub(crate) fn of(messages: &[Message]) -> Self {
        let call_ids = messages.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::User { .. } | Message::Tool { .. } => &[],
        });
        Self { call_ids: call_ids.map(|call| call.call_id.clone()).collect() }
    }

    /// Reads the ids from a request's state.
    ///
    /// # Errors
    ///
    /// Code `state` if this plugin did not make it.
    pub(crate) fn from_state(state: &Value) -> Result<Self, Failure> {
        Option::deserialize(state).map(Option::unwrap_or_default).map_err(|problem| Failure::state(&problem))
    }

    /// The ids as a state.
    pub(crate) fn into_state(self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Takes the id that a server gave, or a new one.
    pub(crate) fn take(&mut self, given: &str) -> String {
        let mut call_id = given.to_owned();
        let mut number = self.call_ids.len();
        while call_id.is_empty() || self.call_ids.contains(&call_id) {
            number += 1;
            call_id = format!("call_{number}");
        }
        self.call_ids.insert(call_id.clone());
        call_id
    }
}

/// Makes a call from a server's answer. Arguments that were cut off, or are nested too deeply, count as text.
pub(crate) fn tool_call(call_id: String, name: &str, arguments: &str, is_cut: bool) -> ToolCall {
    let mut call = ToolCall::from_arguments(call_id, name.to_owned(), arguments);
    if is_cut || is_too_deep(&call.input) {
        call.input = Value::String(arguments.to_owned());
    }
    call
}

/// The longest name of a tool.
const MOST_NAME: usize = 64;

/// The name of a call that names no tool.
const UNNAMED: &str = "unnamed";

/// A tool's name as the server takes it back: letters, digits, `_` and `-`, at least one. All else becomes `_` and two hex digits.
/// The server refuses a whole conversation in which one call has another name.
pub(crate) fn wire_name(name: &str) -> String {
    let mut wire = String::with_capacity(name.len());
    for byte in if name.is_empty() { UNNAMED } else { name }.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => wire.push(char::from(byte)),
            other => wire.push_str(&format!("_{other:02x}")),
        }
    }
    wire.truncate(MOST_NAME);
    wire
}

/// A call's arguments for a server that reads them: vLLM, llama.cpp and Ollama refuse a whole conversation in which the
/// arguments of one call are not a JSON object.
pub(crate) fn readable_arguments(call: &ToolCall) -> String {
    match &call.input {
        Value::String(text) => json!({ "invalid_arguments": text }).to_string(),
        input => input.to_string(),
    }
}
