//! A conversation as a provider is handed it: messages, calls, and the tools that may be called.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::numbers;

/// A message of the conversation, told apart by `role`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the person, or the program on their behalf, said.
    User {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The text; may be empty.
        text: String,
        /// The tools it called, in order.
        calls: Vec<ToolCall>,
        /// The plugin's `state` for this message: parts that must go back to the model unchanged, such as signed
        /// reasoning. Null if another provider or model made the message.
        #[serde(default)]
        state: Value,
    },
    /// What a called tool answered.
    Tool {
        /// The call that is answered.
        call_id: String,
        /// The tool's name, as the model sees it.
        name: String,
        /// The result, or the error.
        output: Value,
        /// Whether the call failed or was refused.
        is_error: bool,
        /// The end of what the tool wrote to standard error, where the output does not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
    },
}

/// A model's wish to have a tool called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation.
    pub call_id: String,
    /// The tool's name, as the model sees it.
    pub name: String,
    /// The parameters: a JSON object. A string means that the model's arguments are not a JSON object, or were cut off; the
    /// string is what the model wrote. The host does not run such a call: it answers the model with a tool error.
    pub input: Value,
}

impl ToolCall {
    /// Makes a call from the arguments as the model wrote them. Blank arguments are an empty object. An integer of more than 64
    /// bits becomes a string with its digits.
    #[must_use]
    pub fn from_arguments(call_id: String, name: String, arguments: &str) -> Self {
        let input = match numbers::parse(arguments) {
            Ok(Value::Object(parameters)) => Value::Object(parameters),
            _ if arguments.trim().is_empty() => Value::Object(serde_json::Map::new()),
            _ => Value::String(arguments.to_owned()),
        };
        Self { call_id, name, input }
    }

    /// The arguments as JSON text, or as the model wrote them if they are not a JSON object.
    #[must_use]
    pub fn arguments(&self) -> String {
        match &self.input {
            Value::String(text) => text.clone(),
            input => input.to_string(),
        }
    }
}

/// A tool that is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its parameters.
    pub input_schema: Value,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_are_not_an_object_stay_text() {
        for (arguments, input) in [
            (r#"{"a": 1}"#, json!({"a": 1})),
            ("", json!({})),
            (" \n", json!({})),
            (r#"{"a": 1"#, json!(r#"{"a": 1"#)),
            ("[1]", json!("[1]")),
            ("null", json!("null")),
            (r#""text""#, json!(r#""text""#)),
        ] {
            let call = ToolCall::from_arguments("1".to_owned(), "tool".to_owned(), arguments);
            assert_eq!(call.input, input);
            assert_eq!(ToolCall::from_arguments("1".to_owned(), "tool".to_owned(), &call.arguments()), call);
        }
    }
}
