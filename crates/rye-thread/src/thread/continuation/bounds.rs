//! The limit that stopped a thread: whether it would stop it again, and how far it can be raised.

use crate::context::LimitRules;
use crate::event::{Event, EventData, Stood};
use crate::id::ThreadId;
use crate::item::{Directive, Limits, Money, Price};
use crate::machine::Machine;
use crate::machine::harness::Ceilings;
use crate::thread::error::{Error, ResumeError};

/// What a thread that is resumed may use: before, now, and at most.
pub(in crate::thread) struct Bounds<'a> {
    thread_id: &'a ThreadId,
    before: &'a Ceilings,
    now: &'a Ceilings,
    /// What the directive allows.
    most: Ceilings,
    /// Whether its model has another price than before.
    is_repriced: bool,
}

impl<'a> Bounds<'a> {
    /// Compares the limits that counted with those that count now.
    ///
    /// # Errors
    ///
    /// Fails when limits are in different currencies.
    pub(in crate::thread) fn new(
        thread_id: &'a ThreadId,
        machine: &'a Machine,
        now: &'a Ceilings,
        price: &Price,
        directive: &Directive,
        rules: &LimitRules,
    ) -> Result<Self, Error> {
        let most = Ceilings::new(&directive.limits, directive.cost.as_ref(), &Limits::default(), rules)?;
        let harness = machine.harness();
        Ok(Self { thread_id, before: harness.ceilings(), now, most, is_repriced: harness.price() != price })
    }

    /// Refuses a thread that ended at a limit that was not raised.
    ///
    /// # Errors
    ///
    /// Fails when it would end again as it ended.
    pub(super) fn require_raised(&self, after: Stood, events: &[Event]) -> Result<(), Error> {
        if after != Stood::Limit {
            return Ok(());
        }
        let reached = events.iter().rev().find_map(|event| match &event.what {
            EventData::LimitReached { limit, value } => Some((limit, value)),
            _ => None,
        });
        match reached {
            Some((limit, value)) if !is_wider(limit, self.before, self.now, self.is_repriced) => {
                Err(self.stands(limit.clone(), value.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Says that a limit stops the thread, and up to which value it can be raised.
    pub(in crate::thread) fn stands(&self, limit: String, value: String) -> Error {
        let can_be_raised = is_wider(&limit, self.now, &self.most, false);
        let most = self.most.as_text().remove(&limit).filter(|_| can_be_raised);
        ResumeError::LimitStands { thread_id: self.thread_id.clone(), limit, value, most }.into()
    }
}

/// Returns what the provider counted for the call that was not made, if it did.
pub(in crate::thread) fn counted(events: &[Event]) -> Option<u64> {
    let asked = events.iter().rposition(|event| matches!(event.what, EventData::StepStart { .. }));
    events[asked.unwrap_or_default()..].iter().rev().find_map(|event| match event.what {
        EventData::InputCounted { tokens } => Some(tokens),
        _ => None,
    })
}

/// Tells whether a limit leaves more room than before. A lower price leaves more room for money.
fn is_wider(limit: &str, before: &Ceilings, now: &Ceilings, is_repriced: bool) -> bool {
    match limit {
        "turns" => now.turns > before.turns,
        "tokens" => now.tokens > before.tokens,
        "duration" => now.duration > before.duration,
        "spend" => is_repriced || is_more(&now.spend, &before.spend),
        "context" => now.context > before.context,
        // A limit of another version: what comes next is derived.
        _ => true,
    }
}

fn is_more(one: &Money, other: &Money) -> bool {
    one.currency() != other.currency() || one.nano() > other.nano()
}
