//! The course of a thread: steps the machine, and has a host perform what it asks for, in order, and nothing else.
//!
//! Two hosts follow the same course. The driver performs: it asks the model, runs tools, writes log and commits. The
//! replay answers from the record and compares. So what a thread is derived to be is what it was driven to be.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use rye_plugin_abi::provider::Message;

use crate::action::{MOST_ON_TERMINAL, Permitted, Recall};
use crate::capability::{Capability, Denial};
use crate::event::{Event, EventData, SkippedPath, Usage};
use crate::id::ItemId;
use crate::item::CurrencyMismatch;
use crate::machine::harness::Harness;
use crate::machine::{Effect, Input, Machine, Performed, Position, Question, Resumption};
use crate::thread::record::{Record, transcript};
use crate::thread::tree::Fault;

/// Performs effects, or answers them from a record.
pub(in crate::thread) trait Host {
    /// Why the course ends before its end.
    type Error;

    /// Returns the milliseconds of the clock that limits the thread.
    fn elapsed_ms(&mut self) -> u64;

    /// Returns what stops the thread before an effect; `ahead` are the calls requested after it.
    fn stopped(&mut self, before: &Effect, ahead: &VecDeque<Effect>) -> Option<Input>;

    /// Returns why the thread's tree can be used no longer.
    fn fault(&mut self) -> Option<Fault>;

    /// Writes an event of a directive down.
    fn record(&mut self, what: EventData, turn: u32, directive: ItemId) -> Result<Event, Self::Error>;

    /// Makes the record durable, before anything that follows from it.
    fn settle(&mut self) -> Result<(), Self::Error>;

    /// Has the provider count a conversation's tokens.
    fn count(&mut self, messages: Arc<Vec<Message>>, remaining: Duration) -> Result<Input, Self::Error>;

    /// Hears the state of the thread before a request to the model.
    fn standing(&mut self, _harness: &Harness, _remaining: Duration) {}

    /// Asks the model, which has the time that remains.
    fn ask(&mut self, question: Question, position: Position, remaining: Duration) -> Result<Input, Self::Error>;

    /// Takes the events that were written down while the model was asked: why it was asked again.
    fn noted(&mut self) -> Vec<Event>;

    /// Returns what attempts used that failed while the model was asked last.
    fn failed_attempts(&mut self) -> Usage;

    /// Asks a person to agree to a call, described in one line.
    fn agrees(&mut self, described: &str, pattern: &Capability) -> Result<bool, Self::Error>;

    /// Tells whether a call may run at the same time as others of its message that may, too.
    fn runs_beside(&self, permitted: &Permitted) -> bool;

    /// Performs calls of the model, which may run at the same time, and returns their results in the same order.
    fn perform(&mut self, calls: Vec<Call>, remaining: Duration) -> Result<Vec<Performed>, Self::Error>;

    /// Reads a part of an earlier result.
    fn recall(&mut self, call_id: String, recall: &Recall, record: &Record) -> Result<Performed, Self::Error>;

    /// Performs the action of a hook; `ahead` are the calls requested after it.
    fn hook(
        &mut self,
        call_id: String,
        permitted: Permitted,
        remaining: Duration,
        ahead: &VecDeque<Effect>,
    ) -> Result<Performed, Self::Error>;

    /// Looks for what changed in the thread's tree, and returns the paths that no commit can hold.
    fn look(&mut self) -> Result<Vec<SkippedPath>, Self::Error>;

    /// Commits.
    fn commit(&mut self, record: &Record, step: Step<'_>) -> Result<(), Self::Error>;
}

/// A call of the model.
pub(in crate::thread) struct Call {
    pub(in crate::thread) call_id: String,
    pub(in crate::thread) permitted: Permitted,
}

/// What one commit is of.
pub(in crate::thread) struct Step<'a> {
    /// The number of its turn.
    pub(in crate::thread) turn: u32,
    /// The events since the commit before.
    pub(in crate::thread) events: &'a [Event],
    /// Whether it is the thread's first.
    pub(in crate::thread) is_first: bool,
    /// Everything for people, with the last commit.
    pub(in crate::thread) transcript: Option<String>,
}

/// A call that is to be made, or was refused.
struct Agreed {
    call_id: String,
    refused: Option<Performed>,
    call: Option<Call>,
}

/// A thread on its way.
pub(in crate::thread) struct Course {
    pub(in crate::thread) machine: Machine,
    pub(in crate::thread) record: Record,
    events: Vec<Event>,
    /// How many of the events are committed.
    committed: usize,
    has_begun: bool,
}

impl Course {
    /// Makes the course of a thread that has not begun.
    pub(in crate::thread) const fn new(machine: Machine, record: Record) -> Self {
        Self { machine, record, events: Vec::new(), committed: 0, has_begun: false }
    }

    /// Resumes the thread after its last commit, which may be that of its end.
    ///
    /// # Errors
    ///
    /// Fails when the spent amount, the limit and the price are in different currencies.
    pub(in crate::thread) fn resume(&mut self, resumption: Resumption) -> Result<(), CurrencyMismatch> {
        self.machine = self.machine.clone().resumed(resumption)?;
        self.record.reopen(self.machine.harness());
        self.committed = self.events.len();
        Ok(())
    }

    /// Returns the state of the thread.
    pub(in crate::thread) const fn record(&self) -> &Record {
        &self.record
    }

    /// Returns the record.
    pub(in crate::thread) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Follows the course to its end.
    ///
    /// # Errors
    ///
    /// Fails where the host does.
    pub(in crate::thread) fn run<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        let mut effects: VecDeque<Effect> = self.step(host, Input::Begin).into();
        while let Some(effect) = effects.pop_front() {
            if !matches!(effect, Effect::Record(_)) {
                host.settle()?;
            }
            if effect.may_wait()
                && let Some(stop) = host.stopped(&effect, &effects)
            {
                self.stop(host, stop, &mut effects);
                continue;
            }
            if let Some(input) = self.perform(host, effect, &mut effects)? {
                effects.extend(self.step(host, input));
            }
        }
        Ok(())
    }

    /// Stops. Words are still written down; further acts are not done.
    fn stop<H: Host>(&mut self, host: &mut H, stop: Input, effects: &mut VecDeque<Effect>) {
        effects.retain(|effect| matches!(effect, Effect::Record(_)));
        effects.extend(self.step(host, stop));
    }

    fn step<H: Host>(&mut self, host: &mut H, input: Input) -> Vec<Effect> {
        let now = host.elapsed_ms();
        self.machine.step(input, now)
    }

    fn perform<H: Host>(
        &mut self,
        host: &mut H,
        effect: Effect,
        ahead: &mut VecDeque<Effect>,
    ) -> Result<Option<Input>, H::Error> {
        match effect {
            Effect::Record(what) => self.write_down(host, what).map(|()| None),
            Effect::Count(messages) => {
                let remaining = self.remaining(host);
                host.count(messages, remaining).map(Some)
            }
            Effect::Ask(question) => {
                let remaining = self.remaining(host);
                host.standing(self.machine.harness(), remaining);
                let asked = host.ask(question, self.position(), remaining);
                self.events.extend(host.noted());
                let input = asked?;
                self.settle_failed(host)?;
                Ok(Some(input))
            }
            Effect::Perform { call_id, permitted } => {
                self.make_calls(host, Call { call_id, permitted }, ahead).map(|()| None)
            }
            Effect::Recall { call_id, recall } => {
                let performed = host.recall(call_id, &recall, &self.record)?;
                Ok(Some(Input::Performed(performed)))
            }
            Effect::Hook { call_id, permitted } => {
                let performed = match self.refused(host, &call_id, &permitted)? {
                    Some(refused) => refused,
                    None => {
                        let remaining = self.remaining(host);
                        host.hook(call_id, permitted, remaining, ahead)?
                    }
                };
                Ok(Some(Input::Hooked(performed)))
            }
            Effect::Commit => self.commit(host, self.turn(), None).map(|()| Some(Input::Committed)),
            Effect::End => self.end(host).map(|()| None),
        }
    }

    /// Has the machine count what failed attempts used, before what came of asking.
    fn settle_failed<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        let failed = host.failed_attempts();
        if failed == Usage::default() {
            return Ok(());
        }
        for effect in self.step(host, Input::AttemptsFailed(failed)) {
            if let Effect::Record(what) = effect {
                self.write_down(host, what)?;
            }
        }
        Ok(())
    }

    /// Makes a call, in parallel with those behind it that may run at the same time. Every question is asked before,
    /// and every result is taken after, in the order of the calls: the record is the same as if they ran one after
    /// another.
    fn make_calls<H: Host>(&mut self, host: &mut H, first: Call, ahead: &mut VecDeque<Effect>) -> Result<(), H::Error> {
        let may_join = host.runs_beside(&first.permitted);
        let mut calls = vec![self.agreed(host, first)?];
        let mut stopped = None;
        while stopped.is_none()
            && may_join
            && let Some(next) = self.next_beside(host, ahead)?
        {
            host.settle()?;
            stopped = host.stopped(&next, ahead);
            match (&stopped, next) {
                (None, Effect::Perform { call_id, permitted }) => {
                    calls.push(self.agreed(host, Call { call_id, permitted })?);
                }
                _ => break,
            }
        }
        let made: Vec<Call> = match stopped {
            // None of them has begun.
            Some(_) => Vec::new(),
            None => calls.iter_mut().filter_map(|agreed| agreed.call.take()).collect(),
        };
        let remaining = self.remaining(host);
        let mut results = host.perform(made, remaining)?.into_iter();
        for Agreed { call_id, refused, .. } in calls {
            let result = refused.or_else(|| results.next()).unwrap_or_else(|| Performed::unmade(call_id));
            ahead.extend(self.step(host, Input::Performed(result)));
        }
        if let Some(stop) = stopped {
            self.stop(host, stop, ahead);
        }
        Ok(())
    }

    /// Takes the next call, if it may run in parallel, and writes down what comes before it.
    fn next_beside<H: Host>(&mut self, host: &mut H, ahead: &mut VecDeque<Effect>) -> Result<Option<Effect>, H::Error> {
        let is_record = |effect: &Effect| matches!(effect, Effect::Record(_));
        match ahead.iter().find(|effect| !is_record(effect)) {
            Some(Effect::Perform { permitted, .. }) if host.runs_beside(permitted) => {}
            _ => return Ok(None),
        }
        while let Some(effect) = ahead.pop_front() {
            match effect {
                Effect::Record(what) => self.write_down(host, what)?,
                call => return Ok(Some(call)),
            }
        }
        Ok(None)
    }

    /// Has a person agree to a call, where their configuration wants it.
    fn agreed<H: Host>(&mut self, host: &mut H, call: Call) -> Result<Agreed, H::Error> {
        let (call_id, refused) = (call.call_id.clone(), self.refused(host, &call.call_id, &call.permitted)?);
        let call = refused.is_none().then_some(call);
        Ok(Agreed { call_id, refused, call })
    }

    /// Asks a person about a call, where their configuration wants it; returns the refusal without an approval. The
    /// answer is durable before the call is made.
    fn refused<H: Host>(
        &mut self,
        host: &mut H,
        call_id: &str,
        permitted: &Permitted,
    ) -> Result<Option<Performed>, H::Error> {
        let Some((call, pattern)) = permitted.must_ask() else { return Ok(None) };
        let denial = match permitted.whole(call, pattern, MOST_ON_TERMINAL) {
            Ok(whole) => {
                let agreed = host.agrees(&whole, pattern)?;
                let (call_id, shown) = (call_id.to_owned(), pattern.to_string());
                let asked = EventData::PermissionAsked { call_id, call: whole, pattern: shown, agreed };
                self.write_down(host, asked)?;
                host.settle()?;
                if agreed {
                    return Ok(None);
                }
                Denial::NotAgreed { call: call.to_string(), pattern: pattern.clone() }
            }
            Err(denial) => denial,
        };
        let refused = Performed::denied(call_id.to_owned(), &denial.to_string());
        let (call, message) = (permitted.action().to_string(), denial.for_people());
        self.write_down(host, EventData::PermissionDenied { call_id: call_id.to_owned(), call, message })?;
        Ok(Some(refused))
    }

    fn remaining<H: Host>(&self, host: &mut H) -> Duration {
        Duration::from_millis(self.machine.harness().remaining_ms(host.elapsed_ms()))
    }

    /// Writes an event down. Nothing may follow a terminal one, so omissions are reported before it.
    fn write_down<H: Host>(&mut self, host: &mut H, mut what: EventData) -> Result<(), H::Error> {
        let turn = if what.is_terminal() {
            self.look(host)?;
            // A part that could not be read is not complete.
            let is_complete = matches!(what, EventData::ThreadComplete { .. });
            if is_complete && let Some(Fault { code, message }) = host.fault() {
                what = EventData::ThreadError { code: code.to_owned(), message };
            }
            self.end_turn()
        } else {
            self.turn()
        };
        let directive = self.machine.directive_of(&what).unwrap_or_else(|| self.record.directive.id.clone());
        let event = host.record(what, turn, directive)?;
        self.record.take_over(&event);
        self.record.close(&event.what, event.time);
        self.events.push(event);
        Ok(())
    }

    fn look<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        match host.look()? {
            paths if paths.is_empty() => Ok(()),
            paths => self.write_down(host, EventData::PathsSkipped { paths }),
        }
    }

    fn commit<H: Host>(&mut self, host: &mut H, turn: u32, transcript: Option<String>) -> Result<(), H::Error> {
        self.look(host)?;
        host.settle()?;
        self.record.count(self.machine.harness());
        let events = &self.events[self.committed..];
        host.commit(&self.record, Step { turn, events, is_first: !self.has_begun, transcript })?;
        self.committed = self.events.len();
        self.has_begun = true;
        Ok(())
    }

    /// Commits the terminal event with the whole transcript.
    fn end<H: Host>(&mut self, host: &mut H) -> Result<(), H::Error> {
        self.record.count(self.machine.harness());
        let transcript = transcript::markdown(&self.record, &self.events);
        self.commit(host, self.end_turn(), Some(transcript))
    }

    fn position(&self) -> Position {
        let directive = self.machine.directive_now().unwrap_or(&self.record.directive.id).clone();
        Position { turn: self.turn(), directive }
    }

    const fn turn(&self) -> u32 {
        self.machine.harness().number()
    }

    /// The end has a file of its own: those of turns never change.
    const fn end_turn(&self) -> u32 {
        self.turn() + 1
    }
}
