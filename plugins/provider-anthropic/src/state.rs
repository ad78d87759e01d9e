//! The state of an assistant message: its content blocks as the server sent them.
//!
//! The server checks the signatures of thinking blocks and refuses a block that was changed or left out while the message's
//! calls are being answered. Blocks of unknown types are kept too.

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::ToolCall;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// A content block, with all its fields in their order.
pub(crate) type RawBlock = Map<String, Value>;

/// The record with an assistant message.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The blocks, in order.
    pub(crate) content: Vec<RawBlock>,
    /// Why the server refused to answer. Kept for the record, never sent.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub(crate) stop_details: Value,
}

impl State {
    /// Reads the state of a message; none if another provider made it.
    ///
    /// # Errors
    ///
    /// Code `state`.
    pub(crate) fn read(state: Value) -> Result<Option<Self>, Failure> {
        Option::deserialize(state).map_err(|problem| Failure::state(&problem))
    }

    /// The state as it is recorded: null if there is nothing to keep.
    pub(crate) fn into_value(self) -> Value {
        if self == Self::default() {
            return Value::Null;
        }
        json!(self)
    }

    /// The blocks of a message that made these calls. None if it made others: the host left some out.
    ///
    /// The host may have renamed a call, so each block takes the id of its call. A name that the server would refuse is replaced.
    pub(crate) fn into_content(mut self, calls: &[ToolCall]) -> Option<Vec<RawBlock>> {
        let blocks: Vec<&mut RawBlock> = self.content.iter_mut().filter(|block| is_call(block)).collect();
        if blocks.len() != calls.len() {
            return None;
        }
        for (block, call) in blocks.into_iter().zip(calls) {
            block.insert("id".to_owned(), wire_name(&call.call_id).into());
            block.insert("name".to_owned(), wire_tool(&call.name).into());
        }
        Some(self.content)
    }
}

/// Whether a block calls one of the thread's tools.
pub(crate) fn is_call(block: &RawBlock) -> bool {
    block.get("type").is_some_and(|kind| kind == "tool_use")
}

/// Whether a block is thinking without a signature, as some servers answer: the vendor's own refuses such a block.
pub(crate) fn is_unsigned(block: &RawBlock) -> bool {
    let is_thinking = block.get("type").is_some_and(|kind| kind == "thinking");
    is_thinking && block.get("signature").and_then(Value::as_str).is_none_or(str::is_empty)
}

/// A call's input as the server takes it back: always an object.
///
/// The key for arguments that are not JSON is the one that the vendor's page on streaming of tool arguments recommends.
pub(crate) fn wire_input(input: &Value) -> Value {
    match input {
        Value::Object(_) => input.clone(),
        Value::String(text) => json!({"INVALID_JSON": text}),
        other => json!({"INVALID_JSON": other.to_string()}),
    }
}

/// The longest name of a tool.
const MOST_NAME: usize = 64;

/// The name of a call that names no tool.
const UNNAMED: &str = "unnamed";

/// A tool's name as the server takes it. Of a call that names no tool, it is a word: the server refuses an empty name.
pub(crate) fn wire_tool(name: &str) -> String {
    let mut wire = wire_name(if name.is_empty() { UNNAMED } else { name });
    wire.truncate(MOST_NAME);
    wire
}

/// An id or a tool's name as the server takes it: letters, digits, `_` and `-`. All else becomes `_` and two hex digits.
///
/// Only what a model made up needs it.
pub(crate) fn wire_name(name: &str) -> String {
    let mut wire = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => wire.push(char::from(byte)),
            other => wire.push_str(&format!("_{other:02x}")),
        }
    }
    wire
}
