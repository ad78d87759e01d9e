//! How much of a model's context a request may take, and how far a conversation is made shorter that takes more.
//!
//! Room for one answer is kept from the start. A conversation is made shorter in one large step and not a bit with each turn, so
//! that between two such steps each request begins with the bytes of the one before, and the provider reads them from its
//! cache.

use serde::{Deserialize, Serialize};

use super::BYTES_PER_TOKEN;

/// The fewest bytes of a summary that are sent, if it has so many.
const LEAST_SUMMARY: u64 = 1_024;

/// By what a thread keeps its conversation within its model's context. Threads of older versions end where it is full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Compaction {
    /// The context of the model, input and output together, in tokens; none where its document does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// The most tokens of a request's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget(pub u64);

impl Budget {
    /// Returns what the window leaves to a request, and the context that the directive declares; none where nothing limits it.
    #[must_use]
    pub fn new(window: Option<u64>, declared: Option<u64>, max_output_tokens: u64) -> Option<Self> {
        let beside_answer = window.map(|window| window - room_for_answer(window, max_output_tokens));
        beside_answer.into_iter().chain(declared).min().map(Self)
    }

    /// Returns how long a request is after old results became pointers, if `fixed` tokens of it always stay.
    #[must_use]
    pub const fn goal(self, fixed: u64) -> u64 {
        fixed + self.rest(fixed) / 3
    }

    /// Returns up to which length pointers are enough. With more, the next step would follow soon.
    #[must_use]
    pub const fn enough(self, fixed: u64) -> u64 {
        fixed + self.rest(fixed) / 2
    }

    /// Returns how many bytes of the last turns stay behind a summary.
    #[must_use]
    pub const fn tail_bytes(self, fixed: u64) -> u64 {
        self.rest(fixed) / 5 * BYTES_PER_TOKEN
    }

    /// Returns how many bytes of a conversation are worth to be summarised.
    #[must_use]
    pub const fn least_bytes(self, fixed: u64) -> u64 {
        self.rest(fixed) / 5 * BYTES_PER_TOKEN
    }

    /// Returns how many bytes of a summary are sent.
    #[must_use]
    pub const fn summary_bytes(self, fixed: u64) -> u64 {
        let bytes = self.rest(fixed) / 8 * BYTES_PER_TOKEN;
        if bytes < LEAST_SUMMARY { LEAST_SUMMARY } else { bytes }
    }

    const fn rest(self, fixed: u64) -> u64 {
        self.0.saturating_sub(fixed)
    }
}

/// Returns how much of a window is kept for an answer: as much as one may have, but at most half of it.
fn room_for_answer(window: u64, max_output_tokens: u64) -> u64 {
    max_output_tokens.min(window / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_for_one_answer_is_kept() {
        let budget = |window, declared, output| Budget::new(window, declared, output).map(|budget| budget.0);
        assert_eq!(budget(Some(20_000), None, 4_096), Some(15_904));
        assert_eq!(budget(Some(5_000), None, 8_192), Some(2_500));
        assert_eq!(budget(Some(20_000), Some(9_000), 4_096), Some(9_000));
        assert_eq!(budget(None, Some(9_000), 4_096), Some(9_000));
        assert_eq!(budget(None, None, 4_096), None);
    }

    #[test]
    fn what_stays_has_room() {
        let (budget, fixed) = (Budget(10_000), 1_000);
        let stays = fixed + (budget.tail_bytes(fixed) + budget.summary_bytes(fixed)) / BYTES_PER_TOKEN;
        assert!(stays < budget.enough(fixed) && budget.goal(fixed) < budget.enough(fixed), "{stays}");
        assert_eq!(Budget(10).goal(1_000), 1_000);
    }
}
