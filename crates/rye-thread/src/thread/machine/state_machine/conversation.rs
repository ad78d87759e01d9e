//! The messages of a thread, with what limits and call ids need to know of them counted as they come.

use std::collections::BTreeSet;
use std::sync::Arc;

use rye_plugin_abi::provider::Message;

use crate::thread::machine::harness::Size;

/// Bytes of an empty JSON array.
const EMPTY: u64 = 2;

/// The conversation so far, oldest message first.
#[derive(Debug, Clone)]
pub(super) struct Conversation {
    messages: Arc<Vec<Message>>,
    /// Bytes of all messages as JSON, with a comma after each.
    bytes: u64,
    /// Bytes of the model's last message, and of those after it.
    answer: u64,
    after: u64,
    /// Calls that have a result.
    answered: BTreeSet<String>,
}

impl Conversation {
    pub(super) fn new() -> Self {
        Self { messages: Arc::default(), bytes: 0, answer: 0, after: 0, answered: BTreeSet::new() }
    }

    pub(super) fn push(&mut self, message: Message) {
        let bytes = serde_json::to_vec(&message).map_or(u64::MAX, |bytes| bytes.len() as u64);
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(1);
        match &message {
            Message::Assistant { .. } => (self.answer, self.after) = (bytes, 0),
            Message::User { .. } | Message::Tool { .. } => self.after = self.after.saturating_add(bytes),
        }
        if let Message::Tool { call_id, .. } = &message {
            self.answered.insert(call_id.clone());
        }
        Arc::make_mut(&mut self.messages).push(message);
    }

    /// Takes the result of a call, in the place of an earlier one.
    pub(super) fn take_result(&mut self, result: Message) {
        let of = |message: &Message| match message {
            Message::Tool { call_id, .. } => Some(call_id.clone()),
            Message::User { .. } | Message::Assistant { .. } => None,
        };
        let id = of(&result);
        let earlier = id.filter(|id| self.has_answered(id));
        let Some(at) = earlier.and_then(|id| self.messages.iter().rposition(|one| of(one).as_ref() == Some(&id)))
        else {
            return self.push(result);
        };
        let mut messages = std::mem::take(Arc::make_mut(&mut self.messages));
        messages[at] = result;
        (self.bytes, self.answer, self.after) = (0, 0, 0);
        messages.into_iter().for_each(|message| self.push(message));
    }

    /// Takes the states out of all messages: another provider or model could not read them.
    pub(super) fn forget_states(&mut self) {
        let is_kept = |message: &Message| matches!(message, Message::Assistant { state, .. } if !state.is_null());
        if !self.messages.iter().any(is_kept) {
            return;
        }
        let mut messages = std::mem::take(Arc::make_mut(&mut self.messages));
        self.bytes = 0;
        for message in &mut messages {
            if let Message::Assistant { state, .. } = message {
                *state = serde_json::Value::Null;
            }
        }
        messages.into_iter().for_each(|message| self.push(message));
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
        Size { all: self.bytes().saturating_add(fixed_bytes), answer: self.answer, after: self.after, counted: None }
    }

    /// Tells whether a call has its result.
    pub(super) fn has_answered(&self, call_id: &str) -> bool {
        self.answered.contains(call_id)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_are_those_of_the_serialized_messages() {
        let mut conversation = Conversation::new();
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
            conversation.push(message);
            counted(&conversation);
        }
        assert!(conversation.has_answered("b") && !conversation.has_answered("c"));
    }
}
