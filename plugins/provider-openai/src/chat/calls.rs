//! Puts tool calls together from their pieces.
//!
//! A piece belongs to the call of its `index`. Servers differ:
//!
//! - Ollama (older ones) gives every call the index 0: another id and a name begin another call.
//! - Without an index, an id or a name that is not the last call's begins another call, and anything else continues it.
//! - A missing id is replaced; a piece with only an index is not a call.

use std::collections::BTreeMap;

use rye_plugin_abi::provider::ToolCall;
use serde_json::{Map, Value, json};

use super::chunk::CallPiece;
use crate::call::{self, CallIds};

/// The calls of a message as far as they came.
#[derive(Debug, Default)]
pub(super) struct Calls {
    calls: Vec<Call>,
    /// Where the last call of an index is.
    by_index: BTreeMap<u64, usize>,
}

#[derive(Debug, Default)]
struct Call {
    id: String,
    name: String,
    arguments: String,
    others: Map<String, Value>,
}

/// A call, and how it goes back to the server.
pub(super) struct Assembled {
    pub(super) call: ToolCall,
    pub(super) sent: Value,
}

impl Calls {
    /// Adds a piece.
    pub(super) fn add(&mut self, piece: CallPiece) {
        let function = piece.function.unwrap_or_default();
        let id = piece.id.unwrap_or_default();
        let name = function.name.clone().unwrap_or_default();
        let call = self.slot(piece.index, &id, &name);
        if call.id.is_empty() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name;
        }
        call.arguments.push_str(&function.arguments());
        call.others.extend(piece.others);
    }

    fn slot(&mut self, index: Option<u64>, id: &str, name: &str) -> &mut Call {
        let found = match index {
            Some(index) => self.by_index.get(&index).copied(),
            None => self.calls.len().checked_sub(1),
        };
        let position = found.filter(|&position| self.calls[position].continues(index.is_some(), id, name));
        let position = position.unwrap_or_else(|| {
            self.calls.push(Call::default());
            self.calls.len() - 1
        });
        self.by_index.extend(index.map(|index| (index, position)));
        &mut self.calls[position]
    }

    /// The calls in the order they began in.
    pub(super) fn assemble(self, ids: &mut CallIds, is_cut: bool) -> Vec<Assembled> {
        let calls: Vec<Call> = self.calls.into_iter().filter(|call| !call.is_blank()).collect();
        let count = calls.len();
        calls.into_iter().enumerate().map(|(index, call)| call.assemble(ids, is_cut && index + 1 == count)).collect()
    }

    /// Whether there are no calls.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.iter().all(Call::is_blank)
    }
}

impl Call {
    fn continues(&self, is_indexed: bool, id: &str, name: &str) -> bool {
        let is_other_id = !id.is_empty() && !self.id.is_empty() && id != self.id;
        let begins = !name.is_empty() && !self.name.is_empty();
        match is_indexed {
            true => !(is_other_id && begins),
            false => !is_other_id && (!begins || (id == self.id && !id.is_empty())),
        }
    }

    fn is_blank(&self) -> bool {
        self.id.is_empty() && self.name.is_empty() && self.arguments.is_empty()
    }

    fn assemble(self, ids: &mut CallIds, is_cut: bool) -> Assembled {
        let call = call::tool_call(ids.take(&self.id), &self.name, &self.arguments, is_cut);
        let arguments = if self.arguments.trim().is_empty() { "{}" } else { &self.arguments };
        let mut sent = json!({ "id": call.call_id, "type": "function" });
        sent["function"] = json!({ "name": self.name, "arguments": arguments });
        if let Value::Object(sent) = &mut sent {
            self.others.into_iter().filter(|(field, _)| field != "type").for_each(|(field, value)| {
                sent.entry(field).or_insert(value);
            });
        }
        Assembled { call, sent }
    }
}
