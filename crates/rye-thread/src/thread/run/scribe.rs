//! Writing a running thread down: its log of record, its growing transcript, and its observers.

use std::time::Duration;

use rye_plugin_abi::provider::Delta;

use super::observer::Observer;
use crate::context::Context;
use crate::event::{Event, EventData};
use crate::machine::Position;
use crate::thread::error::Error;
use crate::thread::record::{Followed, Log, Record};

/// Writes down what happens in a thread.
pub(super) struct Scribe<'run> {
    pub(in crate::thread) observer: &'run mut dyn Observer,
    log: Log,
    followed: Followed,
    /// Events that are not durable yet, and not seen by the observer.
    unsettled: Vec<Event>,
    /// Events that were written down while the model was asked.
    noted: Vec<Event>,
}

impl<'run> Scribe<'run> {
    /// Begins with a log that is open; `before` is what it holds already.
    pub(in crate::thread) fn new(
        log: Log,
        record: &Record,
        before: &[Event],
        observer: &'run mut dyn Observer,
    ) -> Self {
        let mut followed = Followed::begin(log.folder(), record);
        followed.add(before);
        Self { observer, log, followed, unsettled: Vec::new(), noted: Vec::new() }
    }

    /// Writes an event down. It is durable after [`settle`](Self::settle).
    pub(in crate::thread) fn record(
        &mut self,
        what: EventData,
        position: Position,
        ctx: &Context,
    ) -> Result<Event, Error> {
        let event = self.log.record(what, position.turn, position.directive, ctx.now())?;
        self.unsettled.push(event.clone());
        Ok(event)
    }

    /// Makes the record durable, and shows it.
    pub(in crate::thread) fn settle(&mut self) -> Result<(), Error> {
        self.log.flush()?;
        self.followed.add(&self.unsettled);
        for event in self.unsettled.drain(..) {
            self.observer.event(&event);
        }
        Ok(())
    }

    /// Writes down that the model is asked again after a wait: durable before the wait.
    pub(in crate::thread) fn retry(
        &mut self,
        attempt: u32,
        reason: String,
        wait: Duration,
        position: &Position,
        ctx: &Context,
    ) -> Result<(), Error> {
        let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
        self.note(EventData::Retry { attempt, reason, wait_ms, without: Vec::new() }, position, ctx)
    }

    /// Writes down that the model was asked again without fields that its server does not know.
    pub(in crate::thread) fn asked_without(
        &mut self,
        without: Vec<String>,
        reason: String,
        position: &Position,
        ctx: &Context,
    ) -> Result<(), Error> {
        self.note(EventData::Retry { attempt: 1, reason, wait_ms: 0, without }, position, ctx)
    }

    /// Writes an event down while the model is asked, durable at once.
    pub(in crate::thread) fn note(&mut self, what: EventData, position: &Position, ctx: &Context) -> Result<(), Error> {
        let event = self.record(what, position.clone(), ctx)?;
        self.noted.push(event);
        self.settle()
    }

    /// Takes the events that were written down while the model was asked.
    pub(in crate::thread) fn noted(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.noted)
    }

    /// Shows what the model says, as it arrives.
    pub(in crate::thread) fn arriving(&mut self, delta: &Delta) {
        self.observer.arriving(delta);
    }

    /// Completes the growing transcript next to the log.
    pub(in crate::thread) fn end(&mut self, transcript: &str) {
        self.followed.end(transcript);
    }
}
