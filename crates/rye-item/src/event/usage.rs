//! The tokens that calls of a model used.

use serde::{Deserialize, Serialize};

/// Tokens used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens the model read, those of the provider's cache included.
    pub input_tokens: u64,
    /// Tokens the model wrote, its reasoning included.
    pub output_tokens: u64,
    /// Of the tokens it read, those that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// Of the tokens it read, those that the provider put into its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Of the tokens put into the cache, those that stay there for an hour.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_1h_tokens: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

impl Usage {
    /// Returns input plus output, with all input of every call.
    #[must_use]
    pub const fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Tells whether nothing was used.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the sum of two usages.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_tokens: self.cache_read_tokens.saturating_add(other.cache_read_tokens),
            cache_write_tokens: self.cache_write_tokens.saturating_add(other.cache_write_tokens),
            cache_write_1h_tokens: self.cache_write_1h_tokens.saturating_add(other.cache_write_1h_tokens),
        }
    }
}

impl From<rye_plugin_abi::provider::Usage> for Usage {
    fn from(usage: rye_plugin_abi::provider::Usage) -> Self {
        let rye_plugin_abi::provider::Usage {
            input_tokens,
            output_tokens,
            cache_read_tokens,
            cache_write_tokens,
            cache_write_1h_tokens,
        } = usage;
        Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens }
    }
}

impl From<Usage> for rye_plugin_abi::provider::Usage {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens } = usage;
        Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens }
    }
}
