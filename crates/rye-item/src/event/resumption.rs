//! The message about a resumed thread.

use serde::{Deserialize, Serialize};

/// The former state of a resumed thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stood {
    /// Its runner had died.
    Interrupted,
    /// Somebody had stopped it.
    Cancelled,
    /// A limit had stopped it.
    Limit,
    /// Its provider had failed.
    Provider,
    /// Its tree could be used no longer.
    Tree,
    /// Its conversation did not fit the model any more.
    Context,
    /// Its answers were cut at their greatest length.
    MaxTokens,
}

impl Stood {
    /// Returns the number of the last turn, by the number of the last commit: an end has a number of its own.
    #[must_use]
    pub const fn last_turn(self, number: u32) -> u32 {
        match self {
            Self::Interrupted => number,
            Self::Cancelled | Self::Limit | Self::Provider | Self::Tree | Self::Context | Self::MaxTokens => {
                number.saturating_sub(1)
            }
        }
    }

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Cancelled => "cancelled",
            Self::Limit => "limit",
            Self::Provider => "provider",
            Self::Tree => "tree",
            Self::Context => "context",
            Self::MaxTokens => "max_tokens",
        }
    }
}

/// A call that had begun and not ended when its runner died.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnfinishedCall {
    /// The call.
    pub call_id: String,
    /// The call in one line.
    pub call: String,
    /// Its planned result.
    pub then: Then,
}

/// What becomes of an unfinished call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It is made again.
    Repeat,
    /// It failed, as the model is told.
    Fail,
}
