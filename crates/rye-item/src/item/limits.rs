//! How much a thread may use: limits, the older cost element, and how two of them become one.
//!
//! Joining only ever narrows: the stricter of two limits wins, field by field.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Money;

/// Upper bounds on a thread; an absent one leaves the bound to the level above (caller, parent, default).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Model round trips.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Input plus output tokens over the whole thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spend: Option<Money>,
    /// Seconds from the thread's start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// Child threads; no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spawns: Option<u32>,
    /// Generations of child threads below this one; no effect yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

/// The `<cost>` element: a budget, and advice for the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// The greatest context of one call, in tokens.
    pub context_tokens: u64,
    /// How much context the author expects to be used; for people.
    pub estimated_usage: Option<Usage>,
    /// Model round trips; enforced.
    pub turns: Option<u32>,
    /// After how many turns to spawn helpers; no effect yet.
    pub spawn_threshold: Option<u32>,
    /// Seconds; enforced.
    pub duration: Option<u64>,
    /// Money; enforced.
    pub spend: Option<Money>,
}

/// A rough expectation of context usage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Usage {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// Two amounts of money in different currencies cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{one}` and `{other}` are in different currencies")]
pub struct CurrencyMismatch {
    /// One limit.
    pub one: Money,
    /// The other.
    pub other: Money,
}

/// Words for the amount of work, each with its turns, tokens and billionths of a USD.
const COMPLEXITIES: [(&str, u32, u64, u64); 3] = [
    ("simple", 5, 20_000, 50_000_000),
    ("moderate", 15, 200_000, 500_000_000),
    ("complex", 30, 200_000, 1_000_000_000),
];

impl Limits {
    /// The words for limits.
    pub const WORDS: [&str; 3] = [COMPLEXITIES[0].0, COMPLEXITIES[1].0, COMPLEXITIES[2].0];

    /// Returns the limits for a word for the amount of work.
    #[must_use]
    pub fn of_complexity(word: &str) -> Option<Self> {
        let (_, turns, tokens, spend) = COMPLEXITIES.into_iter().find(|(known, ..)| *known == word)?;
        let spend = Money::from_nano(spend, "USD").ok();
        Some(Self { turns: Some(turns), tokens: Some(tokens), spend, ..Self::default() })
    }

    /// Returns the defaults: 10 turns, 200,000 tokens, 1.00 USD, 1,800 s, 10 spawns, depth 5.
    #[must_use]
    pub fn defaults() -> Self {
        Self {
            turns: Some(10),
            tokens: Some(200_000),
            spend: Money::from_nano(1_000_000_000, "USD").ok(),
            duration: Some(1_800),
            spawns: Some(10),
            depth: Some(5),
        }
    }

    /// Tells whether nothing is bounded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the stricter of both, field by field.
    ///
    /// # Errors
    ///
    /// Fails when both name an amount of money and the currencies differ.
    pub fn stricter(&self, other: &Self) -> Result<Self, CurrencyMismatch> {
        Ok(Self {
            turns: least(self.turns, other.turns),
            tokens: least(self.tokens, other.tokens),
            spend: least_money(self.spend.as_ref(), other.spend.as_ref())?,
            duration: least(self.duration, other.duration),
            spawns: least(self.spawns, other.spawns),
            depth: least(self.depth, other.depth),
        })
    }

    /// Returns these limits with what they leave open taken from `fallback`.
    #[must_use]
    pub fn or(&self, fallback: &Self) -> Self {
        Self {
            turns: self.turns.or(fallback.turns),
            tokens: self.tokens.or(fallback.tokens),
            spend: self.spend.clone().or_else(|| fallback.spend.clone()),
            duration: self.duration.or(fallback.duration),
            spawns: self.spawns.or(fallback.spawns),
            depth: self.depth.or(fallback.depth),
        }
    }

    /// Returns these limits tightened by what a cost element bounds.
    ///
    /// # Errors
    ///
    /// Fails when both name an amount of money and the currencies differ.
    pub fn effective(&self, cost: Option<&Cost>) -> Result<Self, CurrencyMismatch> {
        match cost {
            None => Ok(self.clone()),
            Some(cost) => self.stricter(&Self {
                turns: cost.turns,
                duration: cost.duration,
                spend: cost.spend.clone(),
                ..Self::default()
            }),
        }
    }
}

fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

fn least_money(one: Option<&Money>, other: Option<&Money>) -> Result<Option<Money>, CurrencyMismatch> {
    let (Some(a), Some(b)) = (one, other) else { return Ok(one.or(other).cloned()) };
    if a.currency() != b.currency() {
        return Err(CurrencyMismatch { one: a.clone(), other: b.clone() });
    }
    Ok(Some(if a.nano() <= b.nano() { a } else { b }.clone()))
}
