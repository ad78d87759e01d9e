//! What a call was allowed by, for the attempts that repeat it.

use crate::event::Usage;
use crate::harness::{Harness, LimitReached, Size};

/// What a call was allowed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    harness: Harness,
    size: Size,
    output: u64,
}

impl Allowance {
    /// Keeps what allowed a call of this size with so much output.
    #[must_use]
    pub fn new(harness: &Harness, size: Size, output: u64) -> Self {
        Self { harness: harness.clone(), size, output }
    }

    /// Returns the estimated input of the call, in tokens.
    #[must_use]
    pub fn input(&self) -> u64 {
        self.harness.expected_input(self.size)
    }

    /// Tells whether the provider counted that input.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        self.size.counted.is_some()
    }

    /// Returns the output tokens that the same call may use once more, after attempts used so much and brought no answer, and
    /// others were not answered, of which each may have been billed for its input.
    ///
    /// # Errors
    ///
    /// Returns the limit that has no room for it.
    pub fn output_after(&self, failed: Usage, unanswered: u32) -> Result<u64, LimitReached> {
        let mut harness = self.harness.clone();
        let input_tokens = self.input().saturating_mul(unanswered.into());
        harness.add_failed(failed.plus(Usage { input_tokens, ..Usage::default() }));
        harness.room(self.size, self.output)
    }
}
