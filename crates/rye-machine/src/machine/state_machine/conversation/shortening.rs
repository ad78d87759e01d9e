//! A conversation made shorter: pointers in the place of old results, a summary in the place of old turns.
//!
//! Model APIs refuse a call without its result, a result without its call, and reasoning that was changed. So a result stays
//! where it is and only its content becomes a pointer, and a summary replaces whole turns: the conversation is cut before a
//! message of the model that follows results or a text of the user.

use std::sync::Arc;

use rye_plugin_abi::provider::Message;
use serde_json::{Value, json};

use super::{Conversation, Mark, size_of};
use crate::action::RECALL;
use crate::event::{ClearedResult, TurnRange};
use crate::machine::harness::Size;

/// A result below this size stays: a pointer to it is not much shorter. In bytes.
const LEAST_CLEARED: u64 = 400;

/// Where a conversation is cut, and the turns before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::machine) struct Cut {
    at: usize,
    /// The turns that the summary stands for.
    pub turns: TurnRange,
}

impl Conversation {
    /// Puts a pointer in the place of the oldest result that is none yet, without the last turns and the result of one call.
    pub(in crate::machine) fn clear_next(&mut self, last_turns: usize, spared: Option<&str>) -> Option<ClearedResult> {
        let end = self.start_of_last(last_turns)?;
        let is_spared = |message: &Message| match message {
            Message::Tool { call_id, .. } => spared == Some(call_id.as_str()),
            Message::User { .. } | Message::Assistant { .. } => true,
        };
        let is_due = |(message, mark): &(&Message, &Mark)| {
            !mark.is_cleared && mark.bytes >= LEAST_CLEARED && !is_spared(message)
        };
        let at = self.messages.iter().zip(&self.marks).take(end).position(|pair| is_due(&pair))?;
        self.clear(at)
    }

    fn clear(&mut self, at: usize) -> Option<ClearedResult> {
        let turn = self.marks[at].turn;
        let message = Arc::make_mut(&mut self.messages).get_mut(at)?;
        let Message::Tool { call_id, output, stderr, .. } = message else { return None };
        let cleared = ClearedResult { turn, call_id: call_id.clone(), bytes: output.to_string().len() as u64 };
        let place = json!({"turn": turn, "call_id": call_id});
        *output = Value::String(format!("[{} bytes left out: {RECALL} {place}]", cleared.bytes));
        *stderr = None;
        let bytes = size_of(message);
        let less = self.marks[at].bytes.saturating_sub(bytes);
        self.bytes = self.bytes.saturating_sub(less);
        self.kept = self.kept.saturating_sub(less);
        self.marks[at] = Mark { bytes, turn, is_cleared: true };
        Some(cleared)
    }

    /// Returns where the last turns begin; none if there are not more than those.
    fn start_of_last(&self, turns: usize) -> Option<usize> {
        let starts: Vec<usize> = self.starts().collect();
        let first = starts.len().checked_sub(turns).filter(|first| *first > 0)?;
        Some(starts[first])
    }

    /// Returns the places of the model's messages that begin a turn: not the one that goes on with a paused message.
    fn starts(&self) -> impl DoubleEndedIterator<Item = usize> {
        let is_answer = |at: usize| matches!(self.messages.get(at), Some(Message::Assistant { .. }));
        (0..self.messages.len()).filter(move |at| is_answer(*at) && (*at == 0 || !is_answer(*at - 1)))
    }

    /// Returns where to cut so that of the last turns at most so many bytes stay, and one turn in any case; none if what is before
    /// has fewer bytes than `least`.
    pub(in crate::machine) fn cut(&self, tail: u64, least: u64) -> Option<Cut> {
        let mut at = None;
        for start in self.starts().rev() {
            if at.is_some() && self.bytes_of(start, self.marks.len()) > tail {
                break;
            }
            at = Some(start);
        }
        let cut = self.cut_at(at?)?;
        (self.bytes_of(self.head(), cut.at) >= least).then_some(cut)
    }

    /// Returns where the conversation is cut for a summary of turns up to a number.
    pub(in crate::machine) fn cut_after(&self, turns: TurnRange) -> Option<Cut> {
        let at = self.starts().find(|start| self.marks[*start].turn > turns.last)?;
        self.cut_at(at).filter(|cut| cut.turns == turns)
    }

    fn cut_at(&self, at: usize) -> Option<Cut> {
        let head = self.head();
        let is_answer = |message: &Message| matches!(message, Message::Assistant { .. });
        let last = (head..at).rev().find(|place| is_answer(&self.messages[*place]))?;
        let first = self.summarized.map_or(self.marks[head].turn, |turns| turns.first);
        Some(Cut { at, turns: TurnRange { first, last: self.marks[last].turn } })
    }

    /// Returns how many messages are before the model's first one.
    fn head(&self) -> usize {
        self.messages.iter().position(|message| matches!(message, Message::Assistant { .. })).unwrap_or_default()
    }

    fn bytes_of(&self, from: usize, to: usize) -> u64 {
        self.marks.get(from..to).unwrap_or_default().iter().map(|mark| mark.bytes + 1).sum()
    }

    /// Returns the bytes of what no summary replaces: the messages before the model's first one.
    pub(in crate::machine) fn head_bytes(&self) -> u64 {
        self.bytes_of(0, self.head())
    }

    /// Returns the messages before a cut, with what asks for their summary, and the size of that request.
    pub(in crate::machine) fn before(&self, cut: Cut, question: String, fixed_bytes: u64) -> (Arc<Vec<Message>>, Size) {
        let question = Message::User { text: question };
        let (after, kept) = (size_of(&question), self.bytes_of(0, cut.at));
        let messages = self.messages[..cut.at].iter().cloned().chain([question]).collect();
        let size = Size {
            all: kept.saturating_add(after).saturating_add(fixed_bytes),
            answer: 0,
            after,
            counted: None,
            kept: kept.saturating_add(fixed_bytes),
            last: self.last.saturating_add(fixed_bytes),
        };
        (Arc::new(messages), size)
    }

    /// Begins with another text, in the place of what the conversation began with and of the turns before a cut.
    pub(in crate::machine) fn begin_anew(&mut self, cut: Cut, text: String, turn: u32) {
        self.replace(0, cut, text, turn);
        self.has_summary = false;
    }

    /// Puts a summary in the place of the turns before a cut, behind what the conversation began with.
    pub(in crate::machine) fn summarize(&mut self, cut: Cut, summary: String, turn: u32) {
        let head = self.head() - usize::from(self.has_summary);
        self.replace(head, cut, summary, turn);
        self.has_summary = true;
    }

    fn replace(&mut self, head: usize, cut: Cut, text: String, turn: u32) {
        let text = Message::User { text };
        let (answer, after) = (self.answer, self.after.saturating_add(size_of(&text)));
        let (last, gone) = (self.last, self.bytes_of(head, cut.at));
        let kept = self.kept.saturating_sub(gone);
        let mut messages = self.take();
        let tail = messages.split_off(cut.at);
        messages.truncate(head);
        messages.push((text, Mark { bytes: 0, turn, is_cleared: false }));
        messages.extend(tail);
        self.put(messages);
        (self.answer, self.after, self.last, self.kept) = (answer, after, last, kept);
        self.summarized = Some(cut.turns);
    }
}
