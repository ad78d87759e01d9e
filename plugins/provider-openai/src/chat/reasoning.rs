//! Keeps the reasoning of servers that want it back with the message: under the field it came in, pieces put together.
//!
//! OpenAI's own servers send none in this wire format. OpenRouter (`reasoning_details`) and LiteLLM (`thinking_blocks`)
//! stream blocks in pieces: neighbours of one type and index are one block, until it is signed.

use serde_json::{Map, Value};

use super::chunk::Piece;

/// The fields of a block that come in pieces.
const PIECEWISE: &[&str] = &["text", "summary", "thinking"];

/// The reasoning of a message as far as it came.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    reasoning_content: String,
    reasoning: String,
    reasoning_details: Vec<Value>,
    thinking_blocks: Vec<Value>,
}

impl Reasoning {
    /// Adds what a piece of the message holds.
    pub(super) fn add(&mut self, piece: &mut Piece) {
        self.reasoning_content.push_str(piece.reasoning_content.as_deref().unwrap_or_default());
        self.reasoning.push_str(piece.reasoning.as_deref().unwrap_or_default());
        extend(&mut self.reasoning_details, piece.reasoning_details.take());
        extend(&mut self.thinking_blocks, piece.thinking_blocks.take());
    }

    /// What people may read; servers that fill both fields say the same in both.
    pub(super) fn visible(&self) -> &str {
        if self.reasoning_content.is_empty() { &self.reasoning } else { &self.reasoning_content }
    }

    /// The fields that go back.
    pub(super) fn into_fields(self) -> Map<String, Value> {
        let texts = [("reasoning_content", self.reasoning_content), ("reasoning", self.reasoning)];
        let blocks = [("reasoning_details", self.reasoning_details), ("thinking_blocks", self.thinking_blocks)];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        let blocks = blocks.into_iter().filter(|(_, blocks)| !blocks.is_empty());
        let texts = texts.map(|(field, text)| (field.to_owned(), Value::String(text)));
        texts.chain(blocks.map(|(field, blocks)| (field.to_owned(), Value::Array(blocks)))).collect()
    }
}

fn extend(blocks: &mut Vec<Value>, pieces: Option<Vec<Value>>) {
    for piece in pieces.into_iter().flatten() {
        match (blocks.last_mut(), piece) {
            (Some(Value::Object(block)), Value::Object(piece)) if continues(block, &piece) => join(block, piece),
            (_, piece) => blocks.push(piece),
        }
    }
}

fn continues(block: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let is_same = |field: &str| block.get(field) == piece.get(field);
    let is_signed = block.get("signature").is_some_and(|signature| !signature.is_null());
    let is_piecewise = PIECEWISE.iter().any(|&field| block.contains_key(field));
    is_same("type") && is_same("index") && is_piecewise && !is_signed
}

fn join(block: &mut Map<String, Value>, piece: Map<String, Value>) {
    for (field, value) in piece {
        match (block.get_mut(&field), value) {
            (Some(Value::String(text)), Value::String(more)) if PIECEWISE.contains(&field.as_str()) => {
                text.push_str(&more);
            }
            (Some(_), Value::Null) => {}
            (_, value) => {
                block.insert(field, value);
            }
        }
    }
}
