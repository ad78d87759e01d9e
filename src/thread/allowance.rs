//! What a call was allowed by, for the attempts that repeat it.

use super::harness::{Harness, Size};
use crate::event::Usage;

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

    /// Tells whether the same call may be made once more, after attempts used so much and brought no answer.
    #[must_use]
    pub fn has_room_after(&self, failed: Usage) -> bool {
        if failed == Usage::default() {
            return true;
        }
        let mut harness = self.harness.clone();
        harness.add_failed(failed);
        harness.room(self.size, self.output).is_ok_and(|output| output >= self.output)
    }
}
