//! A moment by which something must have happened. The time that passes is asked for here and recorded nowhere.

#![expect(clippy::disallowed_methods, reason = "timeouts are measured here and recorded nowhere")]

use std::time::{Duration, Instant};

/// A moment to come; none where it is too far away to be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// Returns the moment after a time from now.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Instant::now().checked_add(time))
    }

    /// Returns the time that is left.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.0.map_or(Duration::MAX, |moment| moment.saturating_duration_since(Instant::now()))
    }

    /// Tells whether it has come.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left().is_zero()
    }
}
