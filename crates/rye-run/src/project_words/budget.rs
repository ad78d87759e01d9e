//! What is left of a thread's budget, and when that is told.
//!
//! A note is a message like any other, behind all that was sent before: what a provider caches stays as it is. It comes when a half, a
//! quarter or a tenth is left of a limit, before the last turn, and under other limits; so a thread has few of them. Time is in no
//! note: a replay has no clock.

use std::collections::BTreeMap;
use std::fmt;

use crate::item::Money;

/// The fewest tokens of a thread that pays for words about its budget.
pub(super) const LEAST_TOKENS: u64 = 8_192;

/// What a model knows of its budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBudget {
    level: Level,
    limits: BTreeMap<String, String>,
}

impl ToldBudget {
    /// Begins with what the prompt tells.
    #[must_use]
    pub const fn new(limits: BTreeMap<String, String>) -> Self {
        Self { level: Level::Ample, limits }
    }

    /// Returns a note, if what is left under these limits is news.
    pub fn news(&mut self, left: &Left<'_>, limits: BTreeMap<String, String>) -> Option<String> {
        let now = Self { level: left.level(), limits };
        let is_news = left.tokens.1 >= LEAST_TOKENS && *self != now;
        *self = now;
        is_news.then(|| left.to_string())
    }
}

/// How much is left of the limit that is nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One turn.
    LastTurn,
    /// A tenth, or less.
    Tenth,
    /// A quarter, or less.
    Quarter,
    /// A half, or less.
    Half,
    /// More than a half.
    Ample,
}

/// What is left of each limit but time, with the limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Left<'l> {
    /// The turns.
    pub turns: (u32, u32),
    /// The tokens.
    pub tokens: (u64, u64),
    /// The money; none where nothing is left.
    pub spend: (Option<Money>, &'l Money),
}

impl Left<'_> {
    /// Tells how much is left of the limit that is nearest. A limit of nothing is none.
    #[must_use]
    pub fn level(&self) -> Level {
        let spend = (self.spend.0.as_ref().map_or(0, Money::nano), self.spend.1.nano());
        let turns = if self.turns.0 <= 1 { Level::LastTurn } else { of((self.turns.0.into(), self.turns.1.into())) };
        [turns, of(self.tokens), of(spend)].into_iter().min().unwrap_or(turns)
    }
}

/// Tells how much a part is of the whole.
fn of((left, whole): (u64, u64)) -> Level {
    let (left, whole) = (u128::from(left), u128::from(whole));
    let is_at_most = |parts: u128| left * parts <= whole;
    match whole {
        0 => Level::Ample,
        _ if is_at_most(10) => Level::Tenth,
        _ if is_at_most(4) => Level::Quarter,
        _ if is_at_most(2) => Level::Half,
        _ => Level::Ample,
    }
}

impl fmt::Display for Left<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Left { turns, tokens, spend: (left, limit) } = self;
        write!(f, "Left of the budget: {} of {} turns, {} of {} tokens", turns.0, turns.1, tokens.0, tokens.1)?;
        if limit.nano() > 0 {
            write!(f, ", {} of {limit}", left.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string))?;
        }
        f.write_str(if self.level() == Level::LastTurn { ". This is the last turn: finish now." } else { "." })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_limit_counts() -> Result<(), crate::item::MoneyError> {
        let nothing = Money::parse("0", "USD")?;
        let left = |turns, tokens| Left { turns, tokens, spend: (None, &nothing) };
        for (turns, tokens, level) in [
            ((9, 10), (900, 1000), Level::Ample),
            ((5, 10), (900, 1000), Level::Half),
            ((9, 10), (250, 1000), Level::Quarter),
            ((2, 10), (100, 1000), Level::Tenth),
            ((2, 10), (0, 1000), Level::Tenth),
            ((1, 10), (0, 1000), Level::LastTurn),
        ] {
            assert_eq!(left(turns, tokens).level(), level, "{turns:?} {tokens:?}");
        }
        assert_eq!(left((9, 10), (900, 1000)).to_string(), "Left of the budget: 9 of 10 turns, 900 of 1000 tokens.");
        assert!(left((1, 10), (900, 1000)).to_string().ends_with("finish now."));
        Ok(())
    }
}
