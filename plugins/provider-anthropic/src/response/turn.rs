//! A message as the turn's events and state.

use rye_plugin_abi::provider::{DecodeResponse, Decoded, ModelEvent, StopReason, Usage};
use serde_json::Value;

use super::block::Block;
use super::event::{Ending, Message};
use super::failure::one_line;
use crate::state::{RawBlock, State};

/// A message under way.
#[derive(Debug, Default)]
pub(super) struct Turn {
    blocks: Vec<Block>,
    ending: Ending,
    tokens: Tokens,
    model: Option<String>,
}

impl Turn {
    /// A message as a JSON body has it, or as a stream starts it.
    pub(super) fn whole(message: Message) -> Self {
        let mut turn = Self { ending: message.ending, model: message.model, ..Self::default() };
        turn.blocks.extend(message.content.into_iter().map(Block::new));
        turn.tokens.update(&message.usage);
        turn
    }

    /// Opens a block, and says which position it has.
    pub(super) fn open(&mut self, block: RawBlock) -> usize {
        self.blocks.push(Block::new(block));
        self.blocks.len() - 1
    }

    /// The block of a position.
    pub(super) fn block(&mut self, position: usize) -> Option<&mut Block> {
        self.blocks.get_mut(position)
    }

    /// Says why the message ends, and what it used.
    pub(super) fn end(&mut self, ending: Ending, usage: &Value) {
        self.ending = ending;
        self.tokens.update(usage);
    }

    /// What the server reported so far.
    pub(super) const fn usage(&self) -> Usage {
        self.tokens.usage()
    }

    /// Closes the message.
    pub(super) fn into_response(self) -> DecodeResponse {
        let reason = reason(self.ending.stop_reason.as_deref());
        let declined = (reason == StopReason::Refusal).then(|| declined(&self.ending.stop_details)).flatten();
        let mut events = Vec::with_capacity(self.blocks.len() + 2);
        let mut state =
            State { content: Vec::with_capacity(self.blocks.len()), stop_details: self.ending.stop_details };
        let last = self.blocks.len().saturating_sub(1);
        for (position, block) in self.blocks.into_iter().enumerate() {
            let (said, raw) = block.close(position == last && cuts(reason));
            events.extend(said);
            state.content.push(raw);
        }
        events.extend(declined.map(|text| ModelEvent::Declined { text }));
        events.push(ModelEvent::Usage(self.tokens.usage()));
        events.push(ModelEvent::Stop { reason });
        DecodeResponse { state: state.into_value(), decoded: Decoded::Events { events }, model: self.model }
    }
}

/// Maps a `stop_reason`. A message without one ended for a reason that is not known.
fn reason(stop_reason: Option<&str>) -> StopReason {
    match stop_reason {
        Some("end_turn" | "stop_sequence") => StopReason::EndTurn,
        Some("tool_use") => StopReason::ToolUse,
        Some("max_tokens") => StopReason::MaxTokens,
        Some("pause_turn") => StopReason::Pause,
        Some("refusal") => StopReason::Refusal,
        Some("model_context_window_exceeded") => StopReason::ContextExceeded,
        Some(_) | None => StopReason::Other,
    }
}

/// Reads the reason for a refusal: the explanation and the category, as far as there are any.
fn declined(details: &Value) -> Option<String> {
    let word = |key: &str| details.get(key).and_then(Value::as_str).map(one_line).filter(|word| !word.is_empty());
    match (word("explanation"), word("category")) {
        (Some(explanation), Some(category)) => Some(format!("{explanation} ({category})")),
        (explanation, category) => explanation.or(category),
    }
}

/// Whether a turn that ended so may have ended within its last block.
const fn cuts(reason: StopReason) -> bool {
    match reason {
        StopReason::MaxTokens | StopReason::ContextExceeded | StopReason::Refusal => true,
        StopReason::EndTurn | StopReason::ToolUse | StopReason::Pause | StopReason::Other => false,
    }
}

/// The counts of `usage`. Each report replaces the ones before: they are cumulative.
#[derive(Debug, Default)]
struct Tokens {
    input: u64,
    cache_creation_input: u64,
    /// Of those put into the cache, the ones that stay for an hour.
    cache_creation_1h_input: u64,
    cache_read_input: u64,
    output: u64,
}

impl Tokens {
    fn update(&mut self, usage: &Value) {
        for (key, count) in [
            ("input_tokens", &mut self.input),
            ("cache_creation_input_tokens", &mut self.cache_creation_input),
            ("cache_read_input_tokens", &mut self.cache_read_input),
            ("output_tokens", &mut self.output),
        ] {
            if let Some(tokens) = usage.get(key).and_then(Value::as_u64) {
                *count = tokens;
            }
        }
        if let Some(tokens) = usage.pointer("/cache_creation/ephemeral_1h_input_tokens").and_then(Value::as_u64) {
            self.cache_creation_1h_input = tokens;
        }
    }

    /// The whole input is the sum: the server's `input_tokens` are those outside of the cache.
    const fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.input.saturating_add(self.cache_creation_input).saturating_add(self.cache_read_input),
            output_tokens: self.output,
            cache_read_tokens: self.cache_read_input,
            cache_write_tokens: self.cache_creation_input,
            cache_write_1h_tokens: self.cache_creation_1h_input,
        }
    }
}
