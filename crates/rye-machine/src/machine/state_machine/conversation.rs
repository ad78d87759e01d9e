//! The messages of a thread, with what limits and call ids need to know of them counted as they come.
//!
//! `shortening` replaces old results by pointers and old turns by a summary.

mod shortening;

pub(super) use shortening::Cut;

use std::collections::BTreeSet;
use std::sync::Arc;

use rye_plugin_abi::provider::Message;

use crate::event::TurnRange;
use crate::machine::harness::Size;

/// Bytes of an empty JSON array.
const EMPTY: u64 = 2;

/// The conversation so far, oldest message first.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    messages: Arc<Vec<Message>>,
    /// What is known of each message.
    marks: Vec<Mark>,
    /// Bytes of all messages as JSON, with a comma after each.
    bytes: u64,
    /// Bytes of the model's last message, and of those after it.
    answer: u64,
    after: u64,
    /// Bytes of the messages that the model's last message answers, and of those of them that are sent again.
    last: u64,
    kept: u64,
    /// Calls that have a result.
    answered: BTreeSet<String>,
    /// The turns in whose place a summary is.
    summarized: Option<TurnRange>,
    /// Whether the summary is a message of its own, before the model's first one.
    has_summary: bool,
}

/// What is known of a message.
#[derive(Debug, Clone, Copy)]
struct Mark {
    bytes: u64,
    /// The turn whose record has it.
    turn: u32,
    /// Whether a pointer is in the place of the result.
    is_cleared: bool,
}

impl Conversation {
    /// Adds a message of a turn.
    pub(super) fn push(&mut self, message: Message, turn: u32) {
        self.add(message, turn, false);
    }

    fn add(&mut self, message: Message, turn: u32, is_cleared: bool) {
        let bytes = size_of(&message);
        match &message {
            Message::Assistant { .. } => {
                (self.answer, self.after) = (bytes, 0);
                (self.last, self.kept) = (self.bytes, self.bytes);
            }
            Message::User { .. } | Message::Tool { .. } => self.after = self.after.saturating_add(bytes),
        }
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(1);
        if let Message::Tool { call_id, .. } = &message {
            self.answered.insert(call_id.clone());
        }
        self.marks.push(Mark { bytes, turn, is_cleared });
        Arc::make_mut(&mut self.messages).push(message);
    }

    /// Takes the result of a call, in the place of an earlier one.
    pub(super) fn take_result(&mut self, result: Message, turn: u32) {
        let of = |message: &Message| match message {
            Message::Tool { call_id, .. } => Some(call_id.clone()),
            Message::User { .. } | Message::Assistant { .. } => None,
        };
        let id = of(&result);
        let earlier = id.filter(|id| self.has_answered(id));
        let Some(at) = earlier.and_then(|id| self.messages.iter().rposition(|one| of(one).as_ref() == Some(&id)))
        else {
            return self.push(result, turn);
        };
        let mut messages = self.take();
        messages[at] = (result, Mark { bytes: 0, turn, is_cleared: false });
        (self.answer, self.after) = (0, 0);
        self.put(messages);
    }

    /// Takes the states out of all messages: another provider or model could not read them.
    pub(super) fn forget_states(&mut self) {
        let is_kept = |message: &Message| matches!(message, Message::Assistant { state, .. } if !state.is_null());
        if !self.messages.iter().any(is_kept) {
            return;
        }
        let mut messages = self.take();
        for (message, _) in &mut messages {
            if let Message::Assistant { state, .. } = message {
                *state = serde_json::Value::Null;
            }
        }
        self.put(messages);
    }

    /// Takes all messages out.
    fn take(&mut self) -> Vec<(Message, Mark)> {
        self.bytes = 0;
        let messages = std::mem::take(Arc::make_mut(&mut self.messages));
        messages.into_iter().zip(std::mem::take(&mut self.marks)).collect()
    }

    fn put(&mut self, messages: Vec<(Message, Mark)>) {
        messages.into_iter().for_each(|(message, mark)| self.add(message, mark.turn, mark.is_cleared));
    }

    /// Returns the messages for one request.
    pub(super) fn shared(&self) -> Arc<Vec<Message>> {
        Arc::clone(&self.messages)
    }

    /// Counts the bytes of the messages as they are sent: an upper bound of their tokens.
    pub(super) const fn bytes(&self) -> u64 {
        if self.bytes == 0 { EMPTY } else { self.bytes.saturating_add(EMPTY - 1) }
    }

    /// Returns the size of a request with this conversation and what goes with every request.
    pub(super) const fn size(&self, fixed_bytes: u64) -> Size {
        Size {
            all: self.bytes().saturating_add(fixed_bytes),
            answer: self.answer,
            after: self.after,
            counted: None,
            kept: self.kept.saturating_add(fixed_bytes),
            last: self.last.saturating_add(fixed_bytes),
        }
    }

    /// Tells whether a call has its result.
    pub(super) fn has_answered(&self, call_id: &str) -> bool {
        self.answered.contains(call_id)
    }
}

fn size_of(message: &Message) -> u64 {
    serde_json::to_vec(message).map_or(u64::MAX, |bytes| bytes.len() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_are_those_of_the_serialized_messages() {
        let mut conversation = Conversation::default();
        let result = |call_id: &str| Message::Tool {
            call_id: call_id.to_owned(),
            name: "x".to_owned(),
            output: json!({"a": "\u{7}"}),
            is_error: false,
            stderr: None,
        };
        for message in [Message::User { text: String::new() }, result("a"), result("b")] {
            let counted = |conversation: &Conversation| {
                assert_eq!(
                    serde_json::to_vec(&*conversation.shared()).map(|bytes| bytes.len() as u64).ok(),
                    Some(conversation.bytes())
                );
            };
            counted(&conversation);
            conversation.push(message, 1);
            counted(&conversation);
        }
        assert!(conversation.has_answered("b") && !conversation.has_answered("c"));
    }
}
