//! Limits, as judgement: what a thread has used, and whether it may ask the model once more.
//!
//! Every limit is checked before a call by an estimate of what the call will use, and the answer is cut to the rest.
//! The usage of a call is settled by the provider's own figures, so a limit can be passed by the estimate's error and
//! by no more; [`Harness::passed`] tells by how much. Tokens count once ([`Harness::tokens`]); money pays for all that
//! is billed. It is counted in integer nano-units of one currency; nothing is ever rounded down.

mod ceilings;
mod limit;
mod size;
mod window;

pub use ceilings::{Ceilings, Counting};
pub use limit::{DURATION, LimitPassed, LimitReached};
pub use size::Size;
pub use window::{Budget, Compaction};

use crate::event::Usage;
use crate::item::{Billed, CurrencyMismatch, Money, Price};

/// Bytes per token in estimates: fewer than text has, so that an estimate is rather too high.
pub const BYTES_PER_TOKEN: u64 = 3;

/// Bytes per token in the estimates of a context in threads that count the whole input.
const BYTES_PER_TOKEN_ONCE: u64 = 4;

/// The fewest output tokens that a call is made for: some providers refuse a call with fewer, and no model can use them.
pub const LEAST_OUTPUT: u64 = 16;

/// What a thread has used so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Harness {
    ceilings: Ceilings,
    price: Price,
    started_ms: u64,
    /// For how long the thread ran before it was continued.
    used_ms: u64,
    turns: u32,
    /// How many numbers of turns went to commits that are not turns: to ends, and to those that follow them.
    passed: u32,
    /// All that was billed.
    usage: Usage,
    spend: Money,
    /// Each token once.
    tokens: u64,
    /// How much of the input is counted among them.
    counted_input: u64,
    /// What the last answer used.
    last: Usage,
}

impl Harness {
    /// Starts counting at `now_ms`.
    ///
    /// # Errors
    ///
    /// Fails when the price is in another currency than the limit.
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
            passed: 0,
            usage: Usage::default(),
            spend,
            tokens: 0,
            counted_input: 0,
            last: Usage::default(),
        })
    }

    /// Goes on counting under other limits and another price. The thread ran for `used_ms` before.
    ///
    /// # Errors
    ///
    /// Fails when the spent amount, the limit and the price are in different currencies.
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
        let Self { turns, passed, usage, tokens, counted_input, last, .. } = *self;
        Ok(Self { used_ms, turns, passed, usage, spend, tokens, counted_input, last, ..fresh })
    }

    /// Takes back the start of a round trip that brought no answer.
    pub const fn take_back_turn(&mut self) {
        self.turns = self.turns.saturating_sub(1);
    }

    /// Goes on with the number `number`, which is not a turn's.
    pub const fn pass_to(&mut self, number: u32) {
        self.passed = number.saturating_sub(self.turns);
    }

    /// Returns the number of the last turn, or of what followed it.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.turns + self.passed
    }

    /// Decides whether one more call may be made, and returns the most output tokens it may use.
    ///
    /// # Errors
    ///
    /// Returns the first limit that leaves no room for the call.
    pub fn before_call(&self, size: Size, wanted_output: u64, now_ms: u64) -> Result<u64, LimitReached> {
        self.may_begin(now_ms)?;
        self.room(size, wanted_output)
    }

    /// Decides whether another turn may begin, whatever it is asked.
    ///
    /// # Errors
    ///
    /// Returns the limit that is reached.
    pub fn may_begin(&self, now_ms: u64) -> Result<(), LimitReached> {
        let Ceilings { turns, .. } = &self.ceilings;
        if self.turns >= *turns {
            return Err(LimitReached::new("turns", turns.to_string()));
        }
        if self.remaining_ms(now_ms) == 0 { Err(self.out_of_time()) } else { Ok(()) }
    }

    /// Returns the output tokens that context, tokens and money leave to a call.
    ///
    /// # Errors
    ///
    /// Returns the first limit that leaves no room for the call.
    pub fn room(&self, size: Size, wanted_output: u64) -> Result<u64, LimitReached> {
        let Ceilings { tokens, spend, context, .. } = &self.ceilings;
        let needed = self.context_of(size);
        if let Some(context) = context.filter(|context| needed > *context) {
            let reached = LimitReached::new("context", format!("{context} tokens"));
            return Err(self.because(reached, || format!("the next call would take about {needed}")));
        }
        let (input, growth, least) = (self.expected_input(size), self.expected_growth(size), self.least(wanted_output));
        let room = tokens.saturating_sub(self.tokens()).saturating_sub(growth);
        if room < least {
            let reached = LimitReached::new("tokens", tokens.to_string());
            let used = self.tokens();
            return Err(self.because(reached, || format!("{used} are used, the next call would add about {growth}")));
        }
        let affordable = self.affordable_output(input);
        if affordable < least {
            let reached = LimitReached::new("spend", spend.to_string());
            let (spent, next) = (&self.spend, self.expected_cost(input, least));
            return Err(self.because(reached, || format!("{spent} is spent, the next call could cost {next}")));
        }
        Ok(wanted_output.min(room).min(affordable))
    }

    /// Tells whether the estimate of a call is so near to a limit that it is worth to have the provider count: three quarters
    /// of the rest. It does not depend on the time that passed, which is in no record.
    #[must_use]
    pub fn is_near(&self, size: Size) -> bool {
        let Ceilings { turns, tokens, spend, context, counting, .. } = &self.ceilings;
        if *counting != Counting::Estimate || self.turns >= *turns {
            return false;
        }
        let (left, input) = (tokens.saturating_sub(self.tokens()), self.expected_input(size));
        let (money, cost) = (spend.nano().saturating_sub(self.spend.nano()), self.expected_cost(input, 0).nano());
        // Where nothing is left, no count makes room.
        if left == 0 || (money == 0 && cost > 0) {
            return false;
        }
        let near = |used: u64, left: u64| u128::from(used) * 4 >= u128::from(left) * 3;
        near(self.expected_growth(size), left)
            || context.is_some_and(|context| near(input, context))
            || (cost > 0 && near(cost, money))
    }

    /// Goes on at another model's price. The former model's count says nothing of this one, which has none of it in its
    /// cache.
    ///
    /// # Errors
    ///
    /// Fails when it is in another currency than the limit.
    pub fn change_price(&mut self, price: Price) -> Result<(), CurrencyMismatch> {
        *self = self.resumed(self.ceilings.clone(), price, self.started_ms, self.used_ms)?;
        self.last = Usage::default();
        Ok(())
    }

    /// Decides as [`before_call`](Self::before_call) of a call that another model takes over: its turn is counted already.
    ///
    /// # Errors
    ///
    /// Returns the first limit that leaves no room for the call.
    pub fn before_same_call(&self, size: Size, wanted_output: u64, now_ms: u64) -> Result<u64, LimitReached> {
        let before = Self { turns: self.turns.saturating_sub(1), ..self.clone() };
        before.before_call(size, wanted_output, now_ms)
    }

    /// Counts the start of a round trip.
    pub const fn begin_turn(&mut self) {
        self.turns += 1;
    }

    /// Adds what an answer used and returns what it cost.
    pub fn add(&mut self, usage: Usage) -> Money {
        self.last = usage;
        let cost = self.settle(usage);
        // A provider that reports no input says nothing of what the next call adds.
        if usage.input_tokens > 0 {
            self.counted_input = usage.input_tokens;
        }
        cost
    }

    /// Adds what attempts used that brought no answer, and returns what they cost.
    pub fn add_failed(&mut self, usage: Usage) -> Money {
        let cost = self.settle(usage);
        // The report of a cut stream may be a part.
        self.counted_input = self.counted_input.max(usage.input_tokens);
        cost
    }

    fn settle(&mut self, usage: Usage) -> Money {
        let cost = self.price.of_billed(Billed {
            input: usage.input_tokens,
            cache_read: usage.cache_read_tokens,
            cache_write: usage.cache_write_tokens,
            cache_write_1h: usage.cache_write_1h_tokens,
            output: usage.output_tokens,
        });
        self.usage = self.usage.plus(usage);
        let growth = usage.input_tokens.saturating_sub(self.counted_input);
        self.tokens = self.tokens.saturating_add(growth).saturating_add(usage.output_tokens);
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

    /// Returns all tokens that were billed: the input of every call, and all output.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the tokens that the limit on tokens counts: the growth of the input from call to call, the first call's whole
    /// input, and all output.
    #[must_use]
    pub const fn tokens(&self) -> u64 {
        match self.ceilings.counting {
            Counting::Whole => self.usage.total(),
            Counting::Bound | Counting::Estimate => self.tokens,
        }
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

    /// Tells whether a request fills so many tokens nearly: four fifths of them.
    #[must_use]
    pub fn nearly_fills(&self, size: Size, context: u64) -> bool {
        self.context_of(size).saturating_mul(5) >= context.saturating_mul(4)
    }

    /// Tells whether the declared context of one call is nearly full.
    #[must_use]
    pub fn is_pressed(&self, size: Size) -> bool {
        self.ceilings.context.is_some_and(|context| self.nearly_fills(size, context))
    }

    /// Forgets what the provider has in its cache: the next request begins in another way.
    pub const fn lose_cache(&mut self) {
        self.last.cache_read_tokens = 0;
        self.last.cache_write_tokens = 0;
        self.last.cache_write_1h_tokens = 0;
    }

    /// Returns the limit on time, as reached.
    #[must_use]
    pub fn out_of_time(&self) -> LimitReached {
        LimitReached::new(DURATION, format!("{} s", self.ceilings.duration))
    }

    /// Returns the limits that settled figures are beyond: an estimate was too low.
    #[must_use]
    pub fn passed(&self) -> Vec<LimitPassed> {
        let Ceilings { tokens, spend, context, counting, .. } = &self.ceilings;
        if *counting == Counting::Whole {
            return Vec::new();
        }
        let passed = |limit: &str, value: String, by: String| LimitPassed { limit: limit.to_owned(), value, by };
        let by = |limit, value: u64, by: u64| (by > 0).then(|| passed(limit, value.to_string(), by.to_string()));
        let over = self.spend.minus(spend).filter(|over| over.nano() > 0);
        let money = over.map(|over| passed("spend", spend.to_string(), over.to_string()));
        let input = self.last.input_tokens;
        let context = context.and_then(|context| by("context", context, input.saturating_sub(context)));
        let tokens = by("tokens", *tokens, self.tokens.saturating_sub(*tokens));
        [context, tokens, money].into_iter().flatten().collect()
    }

    /// Estimates, or bounds, the input of a call: the provider's last count, and the text since.
    #[must_use]
    pub fn expected_input(&self, size: Size) -> u64 {
        if let Some(counted) = size.counted {
            return counted;
        }
        match self.ceilings.counting {
            Counting::Whole | Counting::Bound => size.all,
            Counting::Estimate if self.last.input_tokens == 0 => size.all.div_ceil(BYTES_PER_TOKEN),
            Counting::Estimate => {
                // An answer counts as it was counted when it was made; reasoning that stays out of it is not.
                let answer = self.last.output_tokens.min(size.answer.div_ceil(BYTES_PER_TOKEN));
                let after = size.after.div_ceil(BYTES_PER_TOKEN);
                size.sent_again(self.last.input_tokens).saturating_add(answer).saturating_add(after)
            }
        }
    }

    /// Returns what of the input is not counted yet.
    fn expected_growth(&self, size: Size) -> u64 {
        match self.ceilings.counting {
            Counting::Whole => size.all,
            Counting::Bound | Counting::Estimate => self.expected_input(size).saturating_sub(self.counted_input),
        }
    }

    /// Returns the tokens of a call's context.
    #[must_use]
    pub fn context_of(&self, size: Size) -> u64 {
        match self.ceilings.counting {
            Counting::Whole => (size.all / BYTES_PER_TOKEN_ONCE).max(self.last.input_tokens),
            Counting::Bound | Counting::Estimate => self.expected_input(size),
        }
    }

    fn least(&self, wanted_output: u64) -> u64 {
        match self.ceilings.counting {
            Counting::Whole => 1,
            Counting::Bound | Counting::Estimate => LEAST_OUTPUT.min(wanted_output).max(1),
        }
    }

    /// Says more of a limit, where the record has it.
    fn because(&self, reached: LimitReached, why: impl FnOnce() -> String) -> LimitReached {
        match self.ceilings.counting {
            Counting::Whole => reached,
            Counting::Bound | Counting::Estimate => reached.because(why()),
        }
    }

    /// Estimates, or bounds, what a call costs. Cached input is read from the cache next time, the rest of the last
    /// input costs the same again, and new input is of the most expensive kind.
    fn expected_cost(&self, input: u64, output: u64) -> Money {
        match self.ceilings.counting {
            Counting::Whole | Counting::Bound => self.price.bound(input, output),
            Counting::Estimate => {
                let kept = self.last.input_tokens.min(input);
                let cached = self.last.cache_read_tokens.saturating_add(self.last.cache_write_tokens).min(kept);
                let old = self.price.of_billed(Billed { input: kept, cache_read: cached, ..Billed::default() });
                let new = self.price.bound(input - kept, output);
                // All prices are read in one currency, so the sum exists.
                old.plus(&new).unwrap_or(new)
            }
        }
    }

    /// Computes how many output tokens the money left can pay for after the input.
    fn affordable_output(&self, input: u64) -> u64 {
        let committed = u128::from(self.spend.nano()) + u128::from(self.expected_cost(input, 0).nano());
        let left = u128::from(self.ceilings.spend.nano()).checked_sub(committed);
        match (left, u128::from(self.price.output_per_million.nano())) {
            (None, _) => 0,
            (Some(_), 0) => u64::MAX,
            (Some(left), price) => u64::try_from(left.saturating_mul(1_000_000) / price).unwrap_or(u64::MAX),
        }
    }
}
