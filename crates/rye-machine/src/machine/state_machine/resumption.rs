//! The part of the machine that takes a thread up again: after its last turn, or after its end.
//!
//! An unanswered request is repeated and counts once. The end's own events (its hooks, the answers of calls that were
//! cut off) stay recorded; these calls are made again.

use super::{Machine, Phase};
use crate::capability::TokenChain;
use crate::event::{EventData, TurnRange};
use crate::item::{CurrencyMismatch, Price};
use crate::machine::harness::{Ceilings, Compaction};

/// What a thread goes on with that is taken up again.
#[derive(Debug, Clone)]
pub struct Resumption {
    /// The event that tells of it.
    pub event: EventData,
    /// What it may do.
    pub chain: TokenChain,
    /// Its limits, including the former usage.
    pub ceilings: Ceilings,
    /// What its model costs.
    pub price: Price,
    /// The most output tokens its provider takes.
    pub max_output_tokens: u64,
    /// By what it keeps its conversation within the model's context.
    pub compaction: Option<Compaction>,
    /// Whether the next answer was received already.
    pub answered: bool,
    /// The turns that it summarises; none where it is the answer of a turn.
    pub summarized: Option<TurnRange>,
    /// Whether the calls are made again that the thread's end cut off.
    pub retaken: bool,
    /// The driver's clock now.
    pub now_ms: u64,
    /// For how long the thread ran before.
    pub used_ms: u64,
}

impl Resumption {
    /// Returns how many milliseconds the thread may still run.
    #[must_use]
    pub const fn remaining_ms(&self, now_ms: u64) -> u64 {
        let ran = self.used_ms.saturating_add(now_ms.saturating_sub(self.now_ms));
        self.ceilings.duration.saturating_mul(1000).saturating_sub(ran)
    }
}

impl Machine {
    /// Returns the number of the last commit: of a turn, or of the end.
    #[must_use]
    pub fn last_number(&self) -> u32 {
        self.setup.harness.number() + u32::from(self.phase == Phase::Ended)
    }

    /// Goes on from the last commit. None of this is recorded before it begins.
    ///
    /// # Errors
    ///
    /// Fails when the spent amount, the limit and the price are in different currencies.
    pub fn resumed(mut self, resumption: Resumption) -> Result<Self, CurrencyMismatch> {
        let Resumption { event, chain, ceilings, price, max_output_tokens, answered, retaken, .. } = resumption;
        let Resumption { compaction, summarized, now_ms, used_ms, .. } = resumption;
        let next = self.last_number() + 1;
        self.setup.harness = self.setup.harness.resumed(ceilings, price, now_ms, used_ms)?;
        if std::mem::take(&mut self.turn.is_open) {
            self.setup.harness.take_back_turn();
        }
        if self.phase == Phase::Ended {
            self.continue_after_end();
        }
        self.setup.harness.pass_to(next);
        self.setup.chain = chain;
        self.setup.max_output_tokens = max_output_tokens;
        self.setup.compaction = compaction;
        self.compacting.resume(summarized);
        self.resume_full();
        self.pending.clear();
        self.waiting.clear();
        self.then = None;
        self.answered = answered;
        self.cut_off.resume(retaken);
        self.resumed = Some(event);
        self.phase = Phase::Beginning;
        Ok(self)
    }
}
