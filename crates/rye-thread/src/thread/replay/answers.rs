//! The record as the host of a thread's course: every answer, result and time is taken from it, and everything that
//! follows from them is compared with it.
//!
//! Underivable facts are taken from the record: the model's answers, the results and changes of tools, the approvals,
//! the times, and the stop of the thread.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rye_plugin_abi::provider::{Message, ModelEvent, ToolCall};
use serde_json::Value;

use super::difference::{At, Stop};
use super::inputs::{failed, stop, unanswered, wire};
use super::segment::{RecordedCommit, Segment};
use crate::action::{Permitted, Recall};
use crate::capability::{Capability, PathRules, Token};
use crate::event::{CallStatus, CallingStep, Event, EventData, FORMAT, SkippedPath, Usage};
use crate::git::Repository;
use crate::id::ItemId;
use crate::machine::harness::DURATION;
use crate::machine::{Answer, CONTEXT, Effect, Input, PROVIDER_FAILED, Performed, Position, Question, Replacement};
use crate::thread::record::{Branch, Record};
use crate::thread::run::{Call, Host, Step};
use crate::thread::tree::{FAULTS, Fault};

/// How much of a record is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::thread) enum Depth {
    /// The events.
    Events,
    /// The events, and every byte of every commit.
    Commits,
}

/// A record that answers.
pub(super) struct Answers<'a> {
    pub(super) repository: &'a Repository,
    pub(super) segment: &'a Segment,
    pub(super) branch: Branch,
    pub(super) rules: Vec<PathRules>,
    pub(super) depth: Depth,
    /// How many events were derived.
    pub(super) cursor: usize,
    /// How many commits were derived.
    pub(super) derived: usize,
    /// The record of requests to the model.
    pub(super) noted: Vec<Event>,
    /// Where the events end that are recorded before the thread was taken up again the next time.
    pub(super) until: usize,
    /// The tokens that the next commit brings, when they were issued again.
    pub(super) reissued: Option<Vec<Token>>,
    /// Whole results that the next commit holds.
    pub(super) artifacts: BTreeMap<String, Vec<u8>>,
}

impl<'a> Answers<'a> {
    /// Goes on up to the point where the thread was taken up again the next time.
    pub(super) fn begin_run(&mut self) {
        let events = &self.segment.events;
        let next = events.iter().skip(self.cursor + 1).position(|event| is_resumption(&event.what));
        self.until = next.map_or(events.len(), |next| self.cursor + 1 + next);
    }

    /// Returns the event by which the thread was taken up again at this point.
    pub(super) fn resumed(&self) -> Option<&'a Event> {
        self.segment.events.get(self.cursor).filter(|event| is_resumption(&event.what))
    }

    /// Returns the events that are not derived yet.
    fn ahead(&self) -> &'a [Event] {
        self.segment.events.get(self.cursor..self.until).unwrap_or_default()
    }

    /// Returns the next recorded event, except events about the tree only.
    fn next(&self) -> Option<&'a EventData> {
        let mut ahead = self.ahead().iter().map(|event| &event.what);
        ahead.find(|what| !matches!(what, EventData::PathsSkipped { .. }))
    }

    /// Returns the next recorded event, except failed attempts and events about the tree only.
    fn after_failures(&self) -> Option<&'a EventData> {
        let mut ahead = self.ahead().iter().map(|event| &event.what);
        ahead.find(|what| {
            let is_failure = matches!(what, EventData::AttemptsFailed { .. } | EventData::LimitPassed { .. });
            !is_failure && !matches!(what, EventData::PathsSkipped { .. })
        })
    }

    /// Returns the commit that is to be derived next.
    pub(super) fn present(&self) -> &'a RecordedCommit {
        let last = self.segment.commits.len() - 1;
        &self.segment.commits[self.derived.min(last)]
    }

    pub(super) fn at(&self) -> At<'a> {
        self.present().at(&self.segment.thread_id)
    }

    /// Says that an event is not there that would have to be.
    fn missing(&self, what: EventData, turn: u32) -> Stop {
        let recorded = self.ahead().first();
        let directive = recorded.map_or(&self.segment.start.directive.id, |recorded| &recorded.directive);
        let derived = self.event(what, turn, directive.clone(), recorded);
        self.at().event(recorded, Some(&derived)).into()
    }

    fn event(&self, what: EventData, turn: u32, directive: ItemId, recorded: Option<&Event>) -> Event {
        let start = &self.segment.start;
        Event {
            v: FORMAT,
            seq: self.cursor as u64,
            time: recorded.map_or(start.started_at, |recorded| recorded.time),
            thread_id: self.segment.thread_id.clone(),
            turn,
            directive,
            what,
        }
    }

    /// Returns what stopped the thread, if it was stopped at this point.
    fn stopped_here(&self) -> Option<Input> {
        self.next().and_then(stop)
    }

    /// Tells whether this call's result, and all that is recorded after it, is that the thread was stopped.
    fn stopped_before(&self, call_id: &str) -> Option<Input> {
        let of_call =
            |event: &Event| matches!(&event.what, EventData::ToolCallResult { call_id: id, .. } if id == call_id);
        let from = self.ahead().iter().position(of_call)?;
        for event in &self.ahead()[from..] {
            match &event.what {
                EventData::ToolCallResult { call_id, status, output, artifact, stderr, hosts, duration_ms } => {
                    let result = Performed {
                        call_id: call_id.clone(),
                        status: *status,
                        output: output.clone(),
                        artifact: artifact.clone(),
                        stderr: stderr.clone(),
                        hosts: hosts.clone(),
                        duration_ms: *duration_ms,
                    };
                    if result != Performed::cancelled(call_id.clone()) {
                        return None;
                    }
                }
                EventData::StepFinish { .. } | EventData::PathsSkipped { .. } => {}
                what => return stop(what),
            }
        }
        None
    }

    /// Returns the recorded hook that belongs to the hook asked for; those that are recorded `ahead` come before it.
    fn hook_event(&self, ahead: &VecDeque<Effect>) -> Option<&'a EventData> {
        let is_hook =
            |what: &EventData| matches!(what, EventData::HookTriggered { .. } | EventData::ContinuationStart { .. });
        let before = ahead.iter().filter(|effect| matches!(effect, Effect::Record(what) if is_hook(what))).count();
        self.ahead().iter().map(|event| &event.what).filter(|what| is_hook(what)).nth(before)
    }

    /// Returns the recorded result of a call.
    fn performed(&mut self, call_id: String) -> Result<Performed, Stop> {
        let result = self.ahead().iter().find_map(|event| match &event.what {
            EventData::ToolCallResult { call_id: id, status, output, artifact, stderr, hosts, duration_ms }
                if *id == call_id =>
            {
                Some((*status, output, artifact, stderr.clone(), hosts.clone(), *duration_ms))
            }
            _ => None,
        });
        let Some((status, output, artifact, stderr, hosts, duration_ms)) = result else {
            let what = EventData::ToolCallResult {
                call_id,
                status: CallStatus::Ok,
                output: Value::Null,
                artifact: None,
                stderr: None,
                hosts: Vec::new(),
                duration_ms: 0,
            };
            return Err(self.missing(what, self.present().turn.unwrap_or_default()));
        };
        self.take_artifact(output, artifact.as_deref())?;
        let (output, artifact) = (output.clone(), artifact.clone());
        Ok(Performed { call_id, status, output, artifact, stderr, hosts, duration_ms })
    }

    /// Returns the recorded answer: of a turn, or a summary.
    fn answer(&self) -> Result<Input, Stop> {
        let mut events = Vec::new();
        for Event { what, turn, .. } in self.ahead() {
            match what {
                EventData::AssistantReasoning { text } => events.push(ModelEvent::Reasoning { text: text.clone() }),
                EventData::AnswerDeclined { reason } => events.push(ModelEvent::Declined { text: reason.clone() }),
                EventData::AssistantText { text } => events.push(ModelEvent::Text { text: text.clone() }),
                EventData::ToolCallStart { call_id, tool, input, step, .. } => {
                    let (call_id, name, input) = (call_id.clone(), tool.clone(), input.clone());
                    events
                        .extend(step.clone().map(|CallingStep { name, on_error }| ModelEvent::Step { name, on_error }));
                    events.push(ModelEvent::ToolCall(ToolCall { call_id, name, input }));
                }
                EventData::StepFinish { usage, stop_reason, state, model, .. } => {
                    events.push(ModelEvent::Usage((*usage).into()));
                    events.push(ModelEvent::Stop { reason: wire(*stop_reason) });
                    return Ok(Input::Answer(Answer { events, state: state.clone(), model: model.clone() }));
                }
                EventData::Summary { text, usage, stop_reason, state, model, .. } => {
                    events.push(ModelEvent::Text { text: text.clone() });
                    events.push(ModelEvent::Usage((*usage).into()));
                    events.push(ModelEvent::Stop { reason: wire(*stop_reason) });
                    return Ok(Input::Answer(Answer { events, state: state.clone(), model: model.clone() }));
                }
                // A turn that was not answered has no end.
                EventData::ThreadError { code, message } => return Ok(failed(code, message)),
                EventData::ThreadCancelled { .. } => return Ok(failed(PROVIDER_FAILED, "")),
                EventData::StepStart { .. } | EventData::SummaryStart { .. } => {
                    return Err(self.missing(unanswered(), *turn));
                }
                _ => {}
            }
        }
        Err(self.missing(unanswered(), 0))
    }
}

const fn is_resumption(what: &EventData) -> bool {
    matches!(what, EventData::ThreadResumed { .. })
}

impl Host for Answers<'_> {
    type Error = Stop;

    /// The time that passed is in no record but where it ended the thread.
    fn elapsed_ms(&mut self) -> u64 {
        let mut ahead = self.ahead().iter().map(|event| &event.what);
        match ahead.find(|what| !matches!(what, EventData::PathsSkipped { .. } | EventData::InputCounted { .. })) {
            Some(EventData::LimitReached { limit, .. }) if limit == "duration" => u64::MAX,
            _ => 0,
        }
    }

    fn stopped(&mut self, before: &Effect, ahead: &VecDeque<Effect>) -> Option<Input> {
        match before {
            Effect::Count(_) | Effect::Ask(_) => self.stopped_here(),
            Effect::Perform { call_id, .. } | Effect::Recall { call_id, .. } => self.stopped_before(call_id),
            Effect::Hook { .. } => match (self.hook_event(ahead), self.ahead().last()) {
                (None, Some(last)) => stop(&last.what),
                _ => None,
            },
            Effect::Commit => {
                let skipped =
                    matches!(self.ahead().first(), Some(event) if matches!(event.what, EventData::PathsSkipped { .. }));
                let is_whole = self.present().upto == self.cursor + usize::from(skipped);
                if is_whole { None } else { self.stopped_here() }
            }
            Effect::Record(_) | Effect::End => None,
        }
    }

    fn fault(&mut self) -> Option<Fault> {
        let EventData::ThreadError { code, message } = self.next()? else { return None };
        let code = FAULTS.into_iter().find(|known| known == code)?;
        Some(Fault { code, message: message.clone() })
    }

    fn record(&mut self, what: EventData, turn: u32, directive: ItemId) -> Result<Event, Stop> {
        let recorded = self.ahead().first();
        let event = self.event(what, turn, directive, recorded);
        if recorded != Some(&event) {
            return Err(self.at().event(recorded, Some(&event)).into());
        }
        self.cursor += 1;
        Ok(event)
    }

    fn settle(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn count(&mut self, _: Arc<Vec<Message>>, _: Duration) -> Result<Input, Stop> {
        Ok(Input::Counted(match self.ahead().first().map(|event| &event.what) {
            Some(EventData::InputCounted { tokens }) => Some(*tokens),
            _ => None,
        }))
    }

    fn ask(&mut self, _: Question, position: Position, _: Duration) -> Result<Input, Stop> {
        while let Some(noted @ (EventData::Retry { .. } | EventData::RequestsUnanswered { .. })) =
            self.ahead().first().map(|event| &event.what)
        {
            let Position { turn, directive } = position.clone();
            let event = self.record(noted.clone(), turn, directive)?;
            self.noted.push(event);
        }
        match self.after_failures() {
            Some(EventData::ContextRefused { message }) => return Ok(failed(CONTEXT, message)),
            Some(EventData::Fallback { provider, model, reason, price, max_output_tokens, window }) => {
                return Ok(Input::FellBack(Box::new(Replacement {
                    provider: provider.clone(),
                    model: model.clone(),
                    reason: reason.clone(),
                    price: price.as_ref().clone(),
                    max_output_tokens: *max_output_tokens,
                    window: *window,
                })));
            }
            Some(EventData::ThreadCancelled { cause }) => return Ok(Input::Cancel { cause: cause.clone() }),
            // The limits are checked before a call; after its beginning only time ends it, and a missing answer.
            Some(EventData::LimitReached { limit, .. }) if limit == DURATION => return Ok(Input::OutOfTime),
            Some(EventData::LimitReached { limit, value }) => {
                let message = self.ahead().iter().find_map(|event| match &event.what {
                    EventData::ThreadError { message, .. } => Some(message.clone()),
                    _ => None,
                });
                let (limit, value) = (limit.clone(), value.clone());
                return Ok(Input::OutOfRoom { limit, value, message: message.unwrap_or_default() });
            }
            _ => {}
        }
        self.answer()
    }

    fn failed_attempts(&mut self) -> Usage {
        match self.ahead().first().map(|event| &event.what) {
            Some(EventData::AttemptsFailed { usage, .. }) => *usage,
            _ => Usage::default(),
        }
    }

    fn noted(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.noted)
    }

    fn agrees(&mut self, _: &str, _: &Capability) -> Result<bool, Stop> {
        // A recorded request is compared.
        let asked = self.ahead().first().map(|event| &event.what);
        Ok(matches!(asked, Some(EventData::PermissionAsked { agreed: true, .. })))
    }

    /// A record tells one call after the other, whatever ran at the same time.
    fn runs_beside(&self, _: &Permitted) -> bool {
        false
    }

    fn perform(&mut self, calls: Vec<Call>, _: Duration) -> Result<Vec<Performed>, Stop> {
        calls.into_iter().map(|call| self.performed(call.call_id)).collect()
    }

    fn recall(&mut self, call_id: String, _: &Recall, _: &Record) -> Result<Performed, Stop> {
        self.performed(call_id)
    }

    fn hook(
        &mut self,
        call_id: String,
        permitted: Permitted,
        _: Duration,
        ahead: &VecDeque<Effect>,
    ) -> Result<Performed, Stop> {
        let Some(
            EventData::HookTriggered { status, result, artifact, .. }
            | EventData::ContinuationStart { status, result, artifact, .. },
        ) = self.hook_event(ahead)
        else {
            let message = format!("a hook calls `{}`, and no event tells what came of it", permitted.action());
            return Err(self.at().wrong(message).into());
        };
        self.take_artifact(result, artifact.as_deref())?;
        let (output, artifact) = (result.clone(), artifact.clone());
        let status = *status;
        Ok(Performed { call_id, status, output, artifact, stderr: None, hosts: Vec::new(), duration_ms: 0 })
    }

    fn look(&mut self) -> Result<Vec<SkippedPath>, Stop> {
        match self.ahead().first().map(|event| &event.what) {
            Some(EventData::PathsSkipped { paths }) => Ok(paths.clone()),
            _ => Ok(Vec::new()),
        }
    }

    fn commit(&mut self, record: &Record, step: Step<'_>) -> Result<(), Stop> {
        let commit = self.present();
        if commit.upto != self.cursor {
            return Err(self.at().event(self.ahead().first(), None).into());
        }
        self.compare(record, step)?;
        self.branch.advance(commit.commit_id.clone(), commit.info.tree_id.clone());
        self.derived += 1;
        self.reissued = None;
        let is_last = self.derived == self.segment.commits.len() || self.cursor == self.until;
        if is_last { Err(Stop::Over) } else { Ok(()) }
    }
}
