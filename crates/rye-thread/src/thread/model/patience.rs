//! How long a model that does not answer is asked again.
//!
//! A model that has answered in this run will answer again: its outage is waited for as long as the person has patience. One
//! that never did may not exist, and one with a fallback need not: these are asked a few times, as the vendors' own clients do it.

use std::time::Duration;

use crate::item::Retry;

/// What bounds the attempts of one exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    /// So many attempts, with so much waiting between them in all.
    Attempts(Retry),
    /// As long as the outage lasts no longer, from its first failure to the next attempt.
    Outage(Duration),
}

/// What is known of a model before it is asked.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// What its provider document bounds.
    pub(super) retry: Option<Retry>,
    /// How long an outage the person waits for, if they said so.
    pub(super) asked: Option<Duration>,
    /// Whether it has answered in this run.
    pub(super) has_answered: bool,
    /// Whether another model can take its place.
    pub(super) has_fallback: bool,
}

/// How far the attempts of an exchange have come.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempts {
    /// Those that were made.
    pub(super) made: u32,
    /// The time that was waited between them.
    pub(super) waited: Duration,
    /// The time since the first of them failed.
    pub(super) lasted: Duration,
}

impl Patience {
    /// An outage that is waited for unless the person says otherwise.
    const USUAL: Duration = Duration::from_secs(600);

    /// Decides what bounds an exchange.
    pub(super) fn of(known: Known) -> Self {
        match known {
            Known { retry: Some(retry), .. } => Self::Attempts(retry),
            Known { has_fallback: true, .. } | Known { asked: None, has_answered: false, .. } => {
                Self::Attempts(Retry::MOST)
            }
            Known { asked, .. } => Self::Outage(asked.unwrap_or(Self::USUAL)),
        }
    }

    /// Tells whether nothing is asked again after a further wait.
    pub(super) fn is_over(self, attempts: Attempts, wait: Duration) -> bool {
        match self {
            Self::Attempts(retry) => attempts.made >= retry.attempts || attempts.waited + wait > self.whole(),
            Self::Outage(whole) => attempts.lasted + wait > whole,
        }
    }

    /// Returns the longest that is waited in all.
    pub(super) const fn whole(self) -> Duration {
        match self {
            // `from` is not const.
            Self::Attempts(Retry { seconds, .. }) => Duration::from_secs(seconds as u64),
            Self::Outage(whole) => whole,
        }
    }

    /// Returns the longest single wait that is not the server's wish.
    pub(super) const fn longest_wait(self) -> Duration {
        match self {
            Self::Attempts(_) => Duration::from_secs(8),
            Self::Outage(_) => Duration::from_secs(60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_model_that_answered_or_is_asked_for_is_waited_for_long() {
        let known = Known { retry: None, asked: None, has_answered: true, has_fallback: false };
        let hour = Duration::from_secs(3600);
        let own = Retry { attempts: 2, seconds: 3 };
        for (known, patience) in [
            (known, Patience::Outage(Duration::from_secs(600))),
            (Known { has_answered: false, ..known }, Patience::Attempts(Retry::MOST)),
            (Known { asked: Some(hour), has_answered: false, ..known }, Patience::Outage(hour)),
            (Known { asked: Some(hour), has_fallback: true, ..known }, Patience::Attempts(Retry::MOST)),
            (Known { asked: Some(hour), retry: Some(own), ..known }, Patience::Attempts(own)),
        ] {
            assert_eq!(Patience::of(known), patience, "{known:?}");
        }
    }

    #[test]
    fn the_time_of_the_attempts_themselves_counts_for_an_outage() {
        let second = Duration::from_secs(1);
        let attempts = Attempts { made: 99, waited: second, lasted: 9 * second };
        assert!(!Patience::Outage(10 * second).is_over(attempts, second));
        assert!(Patience::Outage(10 * second).is_over(attempts, 2 * second));
        let few = Attempts { made: 1, waited: second, lasted: 9000 * second };
        assert!(!Patience::Attempts(Retry { attempts: 2, seconds: 2 }).is_over(few, second));
        assert!(Patience::Attempts(Retry { attempts: 2, seconds: 2 }).is_over(few, 2 * second));
        assert!(Patience::Attempts(Retry { attempts: 1, seconds: 9 }).is_over(few, second));
    }
}
