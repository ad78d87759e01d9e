//! What a turn is made of: texts, calls, what it used, and why it ended.

use serde::{Deserialize, Serialize};

use crate::brief::OnError;
use crate::conversation::ToolCall;

/// A piece of a turn, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelEvent {
    /// Text for the reader.
    Text {
        /// The text.
        text: String,
    },
    /// The model's reasoning, where it shows it.
    Reasoning {
        /// The text.
        text: String,
    },
    /// The step of the directive that makes the calls which follow in this turn. No model sends it.
    Step {
        /// The step's name.
        name: String,
        /// What follows when one of the calls fails or is denied.
        #[serde(default, skip_serializing_if = "OnError::is_end")]
        on_error: OnError,
    },
    /// A tool to be called.
    ToolCall(ToolCall),
    /// What the turn used.
    Usage(Usage),
    /// Why the model, or the provider, declined to answer, where they say it.
    Declined {
        /// The reason.
        text: String,
    },
    /// The end of the turn.
    Stop {
        /// Why it ended.
        reason: StopReason,
    },
}

/// Tokens used by a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, those of the cache included.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written, reasoning included.
    #[serde(default)]
    pub output_tokens: u64,
    /// Of the tokens read, those that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// Of the tokens read, those that the provider put into its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Of the tokens put into the cache, those that stay there for an hour: some providers bill them apart.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_1h_tokens: u64,
}

impl Usage {
    /// Tells whether nothing was used, or nothing is known of it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens } = *self;
        input_tokens == 0
            && output_tokens == 0
            && cache_read_tokens == 0
            && cache_write_tokens == 0
            && cache_write_1h_tokens == 0
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolUse,
    /// The turn reached the limit of its output.
    MaxTokens,
    /// The provider interrupts a long turn: the received part is sent back, and the turn goes on.
    Pause,
    /// The model, or the provider, declined to answer.
    Refusal,
    /// The conversation no longer fits the model.
    ContextExceeded,
    /// Anything else that ends a turn.
    Other,
}
