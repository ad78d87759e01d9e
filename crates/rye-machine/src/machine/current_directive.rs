//! Which directive is being followed: the one whose instructions the model was given last.
//!
//! A thread begins with its own directive. A directive that the model executes is followed from the result of that call on,
//! until it executes another one or returns the outputs of the thread's own. Told from the events alone, so that a replay
//! comes to the same. Actions of a hook are followed with the rest and change nothing. The beginning and the end of a
//! thread belong to its own directive.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::event::{CallStatus, EventData};
use crate::id::{ItemId, ItemType};

/// The tool by which a model executes a directive.
const EXECUTE: &str = "rye_execute";

/// The directive being followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::machine) struct Following {
    own: ItemId,
    now: ItemId,
    /// Directives that are being executed, by the ids of the calls.
    called: BTreeMap<String, ItemId>,
}

impl Following {
    /// Begins with a thread's own directive.
    pub(in crate::machine) fn new(own: ItemId) -> Self {
        Self { now: own.clone(), own, called: BTreeMap::new() }
    }

    /// Returns the directive being followed.
    pub(in crate::machine) const fn now(&self) -> &ItemId {
        &self.now
    }

    /// Returns the directive that an event belongs to, and takes in what the event changes.
    pub(in crate::machine) fn directive_of(&mut self, what: &EventData) -> ItemId {
        let directive = if is_of_thread(what) { self.own.clone() } else { self.now.clone() };
        match what {
            EventData::ToolCallStart { call_id, tool, item_id: Some(item_id), input, .. } if executes(tool, input) => {
                self.called.insert(call_id.clone(), item_id.clone());
            }
            EventData::ToolCallResult { call_id, status, .. } => {
                if let (Some(called), CallStatus::Ok) = (self.called.remove(call_id), status) {
                    self.now = called;
                }
            }
            EventData::ContinuationStart { item_id, status: CallStatus::Ok, .. } => self.now = item_id.clone(),
            EventData::DirectiveReturn { .. } => self.now = self.own.clone(),
            _ => {}
        }
        directive
    }
}

fn executes(tool: &str, input: &Value) -> bool {
    tool == EXECUTE && input.get("item_type").and_then(Value::as_str) == Some(ItemType::Directive.as_str())
}

/// Tells whether an event is about the thread as a whole.
const fn is_of_thread(what: &EventData) -> bool {
    matches!(
        what,
        EventData::ThreadStart { .. }
            | EventData::ThreadForked { .. }
            | EventData::ThreadResumed { .. }
            | EventData::DirectiveReturn { .. }
            | EventData::ThreadComplete { .. }
            | EventData::ThreadError { .. }
            | EventData::ThreadCancelled { .. }
    )
}
