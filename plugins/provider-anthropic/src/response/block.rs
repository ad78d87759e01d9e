//! A content block that grows by deltas.
//!
//! Deltas add to the fields of the block that the stream opened with, whatever its type: a block of an unknown type keeps what
//! it was given. As in the package, a signature replaces the one before.

use rye_plugin_abi::provider::{ModelEvent, ToolCall};
use serde_json::{Map, Value};

use super::event::Delta;
use crate::state::{RawBlock, is_call, wire_input};

/// A block, and the data added to it.
#[derive(Debug)]
pub(super) struct Block {
    raw: RawBlock,
    text: String,
    thinking: String,
    arguments: String,
}

impl Block {
    /// Opens a block.
    pub(super) fn new(raw: RawBlock) -> Self {
        let field = |key: &str| raw.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { text: field("text"), thinking: field("thinking"), arguments: String::new(), raw }
    }

    /// Adds a delta.
    pub(super) fn add(&mut self, delta: Delta) {
        match delta {
            Delta::Text { text } => self.text.push_str(&text),
            Delta::Thinking { thinking } => self.thinking.push_str(&thinking),
            Delta::InputJson { partial_json } => self.arguments.push_str(&partial_json),
            Delta::Signature { signature } => self.set("signature", signature.into()),
            Delta::Citations { citation } => self.cite(citation),
            Delta::Other => {}
        }
    }

    /// Closes the block: what it says, and how it goes back. A call that was cut off is never run, even if what there is of
    /// its arguments can be read.
    pub(super) fn close(mut self, is_cut: bool) -> (Option<ModelEvent>, RawBlock) {
        let said = if is_call(&self.raw) { Some(self.call(is_cut)) } else { self.words() };
        (said, self.raw)
    }

    fn call(&mut self, is_cut: bool) -> ModelEvent {
        let arguments = self.written_arguments();
        let word = |key: &str| self.raw.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut call = ToolCall::from_arguments(word("id"), word("name"), &arguments);
        if is_cut {
            call.input = arguments.into();
        }
        self.set("input", wire_input(&call.input));
        ModelEvent::ToolCall(call)
    }

    /// The arguments as text: those that were streamed, or else those that the block opened with.
    fn written_arguments(&mut self) -> String {
        match self.raw.get("input") {
            _ if !self.arguments.is_empty() => std::mem::take(&mut self.arguments),
            None | Some(Value::Null) => String::new(),
            Some(Value::Object(input)) if input.is_empty() => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(input) => input.to_string(),
        }
    }

    fn words(&mut self) -> Option<ModelEvent> {
        let text = std::mem::take(&mut self.text);
        let thinking = std::mem::take(&mut self.thinking);
        self.restore("text", &text);
        self.restore("thinking", &thinking);
        if !self.arguments.is_empty() {
            let input = serde_json::from_str::<Map<String, Value>>(&self.arguments).map(Value::Object);
            let input = input.unwrap_or_else(|_| wire_input(&Value::String(std::mem::take(&mut self.arguments))));
            self.set("input", input);
        }
        match self.raw.get("type").and_then(Value::as_str) {
            Some("text") if !text.is_empty() => Some(ModelEvent::Text { text }),
            Some("thinking") if !thinking.is_empty() => Some(ModelEvent::Reasoning { text: thinking }),
            _ => None,
        }
    }

    fn restore(&mut self, key: &str, text: &str) {
        if !text.is_empty() {
            self.set(key, text.into());
        }
    }

    fn cite(&mut self, citation: Value) {
        match self.raw.get_mut("citations") {
            Some(Value::Array(citations)) => citations.push(citation),
            _ => self.set("citations", vec![citation].into()),
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        self.raw.insert(key.to_owned(), value);
    }
}
