//! What an exchange used where the provider does not say: estimated from the request and from what arrived.
//!
//! A stream that is cut is billed, and many servers report tokens with its last event only. A server that reports none at
//! all would make limits on tokens and money mean nothing.

use rye_plugin_abi::provider::{Delta, ModelEvent};

use crate::event::Usage;
use crate::machine::harness::BYTES_PER_TOKEN;

/// What a model was seen to say while it answered.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    bytes: u64,
    /// Events since the model began: each is a token at least, also where it is a piece of a call's arguments.
    pieces: u64,
}

impl Arrived {
    /// Takes what an event of the stream says.
    pub(in crate::thread) fn add(&mut self, deltas: &[Delta]) {
        let said = |delta: &Delta| match delta {
            Delta::Text { text } | Delta::Reasoning { text } => text.len(),
            Delta::Call { name } => name.len(),
        };
        self.bytes += deltas.iter().map(said).sum::<usize>() as u64;
        self.pieces += u64::from(self.bytes > 0);
    }

    /// Returns how many bytes the model said.
    pub(in crate::thread) const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Takes a body that ended too soon: it was not begun before the turn was made.
    pub(super) fn add_body(&mut self, body: &str) {
        self.bytes += body.len() as u64;
    }

    /// Completes the report of a failed attempt. Of one that brought nothing, nothing is billed; no answer is billed
    /// for more output than was asked for.
    pub(in crate::thread) fn usage(&self, reported: Usage, request: &str, most_output: u64) -> Usage {
        if self.bytes == 0 {
            return reported;
        }
        let input_tokens =
            if reported.input_tokens == 0 { tokens(request.len() as u64) } else { reported.input_tokens };
        let output = tokens(self.bytes).max(self.pieces).min(most_output);
        Usage { input_tokens, output_tokens: reported.output_tokens.max(output), ..reported }
    }
}

/// Returns how many bytes a turn says: its texts, its reasoning and its calls.
pub(in crate::thread) fn said(events: &[ModelEvent]) -> u64 {
    let said = |event: &ModelEvent| match event {
        ModelEvent::Text { text } | ModelEvent::Reasoning { text } | ModelEvent::Declined { text } => text.len(),
        ModelEvent::ToolCall(call) => call.name.len() + call.arguments().len(),
        ModelEvent::Step { .. } | ModelEvent::Usage(_) | ModelEvent::Stop { .. } => 0,
    };
    events.iter().map(said).sum::<usize>() as u64
}

/// Adds an estimate to a turn whose provider reported no tokens.
pub(in crate::thread) fn counted(mut events: Vec<ModelEvent>, request: &str) -> Vec<ModelEvent> {
    let is_counted = |event: &ModelEvent| matches!(event, ModelEvent::Usage(usage) if !usage.is_empty());
    if events.iter().any(is_counted) {
        return events;
    }
    let output = said(&events);
    let usage = Usage { input_tokens: tokens(request.len() as u64), output_tokens: tokens(output), ..Usage::default() };
    let end = events.len().saturating_sub(1);
    events.insert(end, ModelEvent::Usage(usage.into()));
    events
}

const fn tokens(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

#[cfg(test)]
mod tests {
    use rye_plugin_abi::provider::{StopReason, Usage as WireUsage};

    use super::*;

    #[test]
    fn what_is_not_reported_is_estimated_from_what_arrived() {
        let mut arrived = Arrived::default();
        let reported = Usage { input_tokens: 90, output_tokens: 1, cache_read_tokens: 40, ..Usage::default() };
        assert_eq!(
            arrived.usage(Usage::default(), "0123456789", 100),
            Usage::default(),
            "nothing came, so nothing is billed"
        );
        assert_eq!(arrived.usage(reported, "0123456789", 100), reported);
        arrived.add(&[Delta::Text { text: "abcdef".to_owned() }, Delta::Call { name: "g".to_owned() }]);
        assert_eq!(arrived.usage(reported, "0123456789", 100), Usage { output_tokens: 3, ..reported });
        let estimated = Usage { input_tokens: 4, output_tokens: 3, ..Usage::default() };
        assert_eq!(arrived.usage(Usage::default(), "0123456789", 100), estimated);
        let asked_for_less = Usage { output_tokens: 2, ..estimated };
        assert_eq!(arrived.usage(Usage::default(), "0123456789", 2), asked_for_less);
    }

    #[test]
    fn a_turn_without_figures_is_counted_by_its_bytes() {
        let text = || ModelEvent::Text { text: "abcd".to_owned() };
        let stop = || ModelEvent::Stop { reason: StopReason::EndTurn };
        let wire = |input_tokens, output_tokens| {
            ModelEvent::Usage(WireUsage { input_tokens, output_tokens, ..WireUsage::default() })
        };
        assert_eq!(counted(vec![text(), stop()], "0123456"), [text(), wire(3, 2), stop()]);
        assert_eq!(counted(vec![text(), wire(9, 9), stop()], "0123456"), [text(), wire(9, 9), stop()]);
    }
}
