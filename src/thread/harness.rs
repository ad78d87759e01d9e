//! Limits, as judgement: what a thread has used, and whether it may ask the model once more.
//!
//! Every limit is checked before a call with an upper bound of what the call can use: the request's bytes bound its
//! input tokens. Money is counted in integer nano-units of one currency; nothing is ever rounded down.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::event::Usage;
use crate::item::{Billed, Cost, CurrencyMismatch, Limits, Money, Price};

/// Bytes per token when the size of a context is estimated rather than bounded.
const BYTES_PER_TOKEN: u64 = 4;

/// The limits in force for one thread: none is left open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Round trips to the model.
    pub turns: u32,
    /// Input and output tokens over the whole thread.
    pub tokens: u64,
    /// Seconds from the first event.
    pub duration: u64,
    /// Money over the whole thread.
    pub spend: Money,
    /// The greatest context of one call, in tokens, if the directive declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// The limit that keeps a thread from going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LimitReached {
    /// Its name.
    pub limit: &'static str,
    /// Its value, for people.
    pub value: String,
}

/// What a thread has used so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harness {
    ceilings: Ceilings,
    price: Price,
    started_ms: u64,
    /// For how long the thread ran before it was continued.
    used_ms: u64,
    turns: u32,
    usage: Usage,
    spend: Money,
    last_input_tokens: u64,
}

impl Ceilings {
    /// Joins what the caller asks for with what the directive declares, the stricter winning, and closes what both
    /// leave open with the defaults.
    ///
    /// # Errors
    ///
    /// Fails when two of them limit the spend in different currencies.
    pub fn new(declared: &Limits, cost: Option<&Cost>, asked: &Limits) -> Result<Self, CurrencyMismatch> {
        let limits = declared.effective(cost)?.stricter(asked)?.or(&Limits::defaults());
        Ok(Self {
            turns: limits.turns.unwrap_or_default(),
            tokens: limits.tokens.unwrap_or_default(),
            duration: limits.duration.unwrap_or_default(),
            spend: limits.spend.expect("because the defaults limit the spend"),
            context: cost.map(|cost| cost.context_tokens),
        })
    }

    /// Returns the limits as text by name, as tokens and events carry them.
    #[must_use]
    pub fn as_text(&self) -> BTreeMap<String, String> {
        let mut text = BTreeMap::from([
            ("turns".to_owned(), self.turns.to_string()),
            ("tokens".to_owned(), self.tokens.to_string()),
            ("duration".to_owned(), self.duration.to_string()),
            ("spend".to_owned(), self.spend.to_string()),
        ]);
        text.extend(self.context.map(|context| ("context".to_owned(), context.to_string())));
        text
    }
}

impl Harness {
    /// Starts counting at `now_ms`.
    ///
    /// # Errors
    ///
    /// Fails when the price is in another currency than the limit: there are no exchange rates.
    pub fn new(ceilings: Ceilings, price: Price, now_ms: u64) -> Result<Self, CurrencyMismatch> {
        let nothing = ceilings.spend.minus(&ceilings.spend);
        let mismatch = || CurrencyMismatch { one: ceilings.spend.clone(), other: price.input_per_million.clone() };
        let spend = nothing.and_then(|nothing| nothing.plus(&price.of(0, 0))).ok_or_else(mismatch)?;
        Ok(Self {
            ceilings,
            price,
            started_ms: now_ms,
            used_ms: 0,
            turns: 0,
            usage: Usage::default(),
            spend,
            last_input_tokens: 0,
        })
    }

    /// Goes on counting under other limits and another price. The thread ran for `used_ms` before.
    ///
    /// # Errors
    ///
    /// Fails when what was spent, the limit and the price are in different currencies.
    pub fn resumed(
        &self,
        ceilings: Ceilings,
        price: Price,
        now_ms: u64,
        used_ms: u64,
    ) -> Result<Self, CurrencyMismatch> {
        let fresh = Self::new(ceilings, price, now_ms)?;
        let spend = match self.spend.nano() {
            0 => fresh.spend.clone(),
            _ => {
                let mismatch = || CurrencyMismatch { one: fresh.spend.clone(), other: self.spend.clone() };
                fresh.spend.plus(&self.spend).ok_or_else(mismatch)?
            }
        };
        let Self { turns, usage, last_input_tokens, .. } = *self;
        Ok(Self { used_ms, turns, usage, spend, last_input_tokens, ..fresh })
    }

    /// Decides whether one more call may be made, and returns the most output tokens it may use.
    ///
    /// # Errors
    ///
    /// Returns the first limit the call could break.
    pub fn before_call(&self, request_bytes: u64, wanted_output: u64, now_ms: u64) -> Result<u64, LimitReached> {
        let reached = |limit, value: String| Err(LimitReached { limit, value });
        let Ceilings { turns, tokens, duration, spend, context } = &self.ceilings;
        if self.turns >= *turns {
            return reached("turns", turns.to_string());
        }
        if self.remaining_ms(now_ms) == 0 {
            return reached("duration", format!("{duration} s"));
        }
        if let Some(context) = context.filter(|context| self.estimated_context(request_bytes) > *context) {
            return reached("context", format!("{context} tokens"));
        }
        let room = tokens.saturating_sub(self.usage.total()).saturating_sub(request_bytes);
        if room == 0 {
            return reached("tokens", tokens.to_string());
        }
        match self.affordable_output(request_bytes) {
            0 => reached("spend", spend.to_string()),
            affordable => Ok(wanted_output.min(room).min(affordable)),
        }
    }

    /// Counts the start of a round trip.
    pub const fn begin_turn(&mut self) {
        self.turns += 1;
    }

    /// Adds what a round trip used and returns what it cost.
    pub fn add(&mut self, usage: Usage) -> Money {
        let cost = self.price.of_billed(Billed {
            input: usage.input_tokens,
            cache_read: usage.cache_read_tokens,
            cache_write: usage.cache_write_tokens,
            output: usage.output_tokens,
        });
        self.usage = self.usage.plus(usage);
        self.last_input_tokens = usage.input_tokens;
        if let Some(sum) = self.spend.plus(&cost) {
            self.spend = sum;
        }
        cost
    }

    /// Returns the number of round trips begun.
    #[must_use]
    pub const fn turns(&self) -> u32 {
        self.turns
    }

    /// Returns the tokens used.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the money spent.
    #[must_use]
    pub const fn spend(&self) -> &Money {
        &self.spend
    }

    /// Returns what the model costs.
    #[must_use]
    pub const fn price(&self) -> &Price {
        &self.price
    }

    /// Returns the limits in force.
    #[must_use]
    pub const fn ceilings(&self) -> &Ceilings {
        &self.ceilings
    }

    /// Returns how many milliseconds the thread may still run.
    #[must_use]
    pub const fn remaining_ms(&self, now_ms: u64) -> u64 {
        let ran = self.used_ms.saturating_add(now_ms.saturating_sub(self.started_ms));
        self.ceilings.duration.saturating_mul(1000).saturating_sub(ran)
    }

    /// Tells whether the declared context of one call is nearly full: four fifths of it.
    #[must_use]
    pub fn is_pressed(&self, request_bytes: u64) -> bool {
        let near = |context: u64| self.estimated_context(request_bytes).saturating_mul(5) >= context.saturating_mul(4);
        self.ceilings.context.is_some_and(near)
    }

    fn estimated_context(&self, request_bytes: u64) -> u64 {
        (request_bytes / BYTES_PER_TOKEN).max(self.last_input_tokens)
    }

    /// Computes how many output tokens the money left can pay for after the input's upper bound.
    fn affordable_output(&self, request_bytes: u64) -> u64 {
        let committed = u128::from(self.spend.nano()) + u128::from(self.price.bound(request_bytes, 0).nano());
        let left = u128::from(self.ceilings.spend.nano()).checked_sub(committed);
        match (left, u128::from(self.price.output_per_million.nano())) {
            (None, _) => 0,
            (Some(_), 0) => u64::MAX,
            (Some(left), price) => u64::try_from(left.saturating_mul(1_000_000) / price).unwrap_or(u64::MAX),
        }
    }
}
