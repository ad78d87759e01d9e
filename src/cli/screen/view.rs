//! The view of a running thread: permanent lines, and the rows at the bottom that are drawn over.
//!
//! Values only: it gets events, pieces of answers and the time, and returns text. The answer's text appears as it arrives; a
//! call stays at the bottom until its result is recorded, then both are permanent. Text of an answer that broke off is
//! said to count for nothing.

use std::path::Path;
use std::time::Duration;

use rye_plugin_abi::provider::Delta;
use serde_json::Value;

use super::flow::{Flow, columns, cut};
use super::status::{Doing, line};
use crate::cli::text::calls::{reason_of, untold};
use crate::cli::text::thread::write_event;
use crate::cli::text::{Page, Paint, one_line, tool_name};
use crate::event::{CallStatus, Event, EventData};
use crate::thread::{Stage, Tally};

/// The most calls that have a row at the bottom.
const MOST_CALLS: usize = 8;

/// The most columns that a call takes.
const MOST_COLUMNS: usize = 120;

/// A running thread, as it is seen.
#[derive(Debug)]
pub(super) struct View {
    paint: Paint,
    flow: Flow,
    /// Whether the text is recorded.
    is_recorded: bool,
    calls: Vec<Call>,
    /// Its state, and when it was reported, in milliseconds.
    tally: Option<(Tally, u64)>,
    doing: Doing,
    /// Since when it does that, in milliseconds.
    since: u64,
}

/// A call without a recorded result.
#[derive(Debug)]
struct Call {
    call_id: String,
    name: String,
    input: String,
    /// Its permanent lines, with its result.
    said: String,
    state: State,
}

/// How far a call is; times in milliseconds.
#[derive(Debug, Clone, Copy)]
enum State {
    Waiting,
    Running { since: u64 },
    Ended { status: CallStatus, after: u64 },
}

impl View {
    pub(super) fn new(paint: Paint) -> Self {
        Self {
            paint,
            flow: Flow::default(),
            is_recorded: false,
            calls: Vec::new(),
            tally: None,
            doing: Doing::Nothing,
            since: 0,
        }
    }

    /// Takes up the state of the thread at a request to the model.
    pub(super) fn standing(&mut self, tally: &Tally, now: u64) {
        self.tally = Some((tally.clone(), now));
        (self.flow, self.is_recorded) = (Flow::default(), false);
        self.set(Doing::Asking, now);
    }

    /// Takes up what the answer used, before it is recorded.
    pub(super) fn counted(&mut self, tally: &Tally, now: u64) {
        self.tally = Some((tally.clone(), now));
        self.set(Doing::Nothing, now);
    }

    /// Takes a piece of the answer. Returns the permanent lines.
    pub(super) fn arriving(&mut self, delta: &Delta, now: u64, width: usize) -> String {
        match delta {
            Delta::Text { text } => {
                self.set(Doing::Answering, now);
                self.flow.push(text, width)
            }
            Delta::Reasoning { .. } => {
                self.set(Doing::Thinking, now);
                self.flow.close()
            }
            Delta::Call { name } => {
                self.set(Doing::Calling(one_line(name)), now);
                self.flow.close()
            }
        }
    }

    /// Removes the text of an answer, because the request is repeated. Returns the permanent lines.
    pub(super) fn broke_off(&mut self, now: u64) -> String {
        self.set(Doing::Waiting, now);
        self.take_back()
    }

    /// Takes up how far a call is.
    pub(super) fn call(&mut self, call_id: &str, stage: Stage, now: u64) {
        if stage == Stage::Began {
            self.set(Doing::Running, now);
        }
        let Some(call) = self.open(call_id) else { return };
        call.state = match (stage, call.state) {
            (Stage::Began, _) => State::Running { since: now },
            (Stage::Ended(status), State::Running { since }) => {
                State::Ended { status, after: now.saturating_sub(since) }
            }
            (Stage::Ended(_), state) => state,
        };
    }

    /// Takes an event. Returns the permanent lines.
    pub(super) fn event(&mut self, event: &Event, now: u64, width: usize) -> String {
        match &event.what {
            EventData::AssistantText { text } => {
                self.is_recorded = true;
                let said = if self.flow.has_said() || self.flow.open_row().is_some() {
                    String::new()
                } else {
                    self.flow.push(text, width)
                };
                said + &self.flow.close()
            }
            EventData::ToolCallStart { call_id, tool, item_id, input, step: _ } => {
                let name = item_id.as_ref().map_or_else(|| tool_name(tool), ToString::to_string);
                let (call_id, input) = (call_id.clone(), one_line(&input.to_string()));
                let mut call = Call { call_id, name, input, said: String::new(), state: State::Waiting };
                call.said = format!("{}\n", self.row(&call, now, width.min(MOST_COLUMNS)));
                self.calls.push(call);
                self.flow.close()
            }
            EventData::PermissionAsked { call_id, .. } | EventData::PermissionDenied { call_id, .. } => {
                let said = self.written(event);
                match self.open(call_id) {
                    Some(call) => {
                        call.said.push_str(&said);
                        String::new()
                    }
                    None => said,
                }
            }
            EventData::ToolCallResult { call_id, status, output, duration_ms, .. } => {
                let at = self.calls.iter().position(|call| call.call_id == *call_id);
                let said = at.map(|at| self.calls.remove(at).said).unwrap_or_default();
                if self.calls.is_empty() {
                    self.set(Doing::Nothing, now);
                }
                format!("{said}{}", self.result(*status, *duration_ms, output))
            }
            EventData::Summary { .. } => {
                self.set(Doing::Nothing, now);
                self.is_recorded = true;
                let said = self.flow.close();
                said + &self.written(event)
            }
            EventData::StepFinish { .. } => {
                self.set(Doing::Nothing, now);
                self.written(event)
            }
            EventData::ThreadComplete { .. } | EventData::ThreadError { .. } | EventData::ThreadCancelled { .. } => {
                (self.doing, self.tally) = (Doing::Nothing, None);
                format!("{}{}", self.take_back(), self.written(event))
            }
            EventData::ThreadStart { .. }
            | EventData::ThreadForked { .. }
            | EventData::ThreadResumed { .. }
            | EventData::ContextInjected { .. }
            | EventData::ProjectFile { .. }
            | EventData::HookTriggered { .. }
            | EventData::Deviation { .. }
            | EventData::UserMessage { .. }
            | EventData::ChangesTaken { .. }
            | EventData::StepStart { .. }
            | EventData::AssistantReasoning { .. }
            | EventData::PathsSkipped { .. }
            | EventData::Retry { .. }
            | EventData::Fallback { .. }
            | EventData::ResultsCleared { .. }
            | EventData::ContextRefused { .. }
            | EventData::SummaryStart { .. }
            | EventData::ContinuationStart { .. }
            | EventData::AnswerDeclined { .. }
            | EventData::InputCounted { .. }
            | EventData::AttemptsFailed { .. }
            | EventData::RequestsUnanswered { .. }
            | EventData::LimitPassed { .. }
            | EventData::LimitReached { .. }
            | EventData::DirectiveReturn { .. } => self.written(event),
        }
    }

    /// Returns the rows at the bottom, none wider than the terminal.
    pub(super) fn bottom(&self, now: u64, width: usize) -> Vec<String> {
        let mut rows: Vec<String> = self.flow.open_row().into_iter().collect();
        rows.extend(self.calls.iter().take(MOST_CALLS).map(|call| self.row(call, now, width)));
        if let Some(more) = self.calls.len().checked_sub(MOST_CALLS).filter(|more| *more > 0) {
            rows.push(self.paint.dim(format!("  and {more} more")));
        }
        if let Some((tally, at)) = &self.tally {
            let left = tally.remaining.saturating_sub(Duration::from_millis(now.saturating_sub(*at)));
            let since = Duration::from_millis(now.saturating_sub(self.since));
            rows.push(self.paint.dim(line(tally, left, &self.doing, since, width)));
        }
        rows
    }

    fn row(&self, call: &Call, now: u64, width: usize) -> String {
        let state = match call.state {
            State::Waiting => String::new(),
            State::Running { since } => format!("  {} s", now.saturating_sub(since) / 1000),
            State::Ended { status: CallStatus::Ok, after } => format!("  ok{}", seconds(after)),
            State::Ended { status: CallStatus::Error | CallStatus::Denied, after } => {
                format!("  failed{}", seconds(after))
            }
        };
        let room = width.saturating_sub(1 + columns("  call ") + columns(&state));
        let name = cut(&call.name, room);
        let input = match room.saturating_sub(columns(&name) + 1) {
            0..4 => String::new(),
            room => format!(" {}", self.paint.dim(cut(&call.input, room))),
        };
        let paint = self.paint;
        let state = match call.state {
            State::Waiting | State::Running { .. } => state,
            State::Ended { status: CallStatus::Ok, .. } => paint.green(state),
            State::Ended { status: CallStatus::Error | CallStatus::Denied, .. } => paint.red(state),
        };
        format!("  {} {name}{input}{state}", paint.cyan("call"))
    }

    /// Writes how a call ended; a refusal was told as such already.
    fn result(&self, status: CallStatus, duration_ms: u64, output: &Value) -> String {
        let (paint, took) = (self.paint, self.paint.dim(seconds(duration_ms)));
        match status {
            CallStatus::Ok => format!("    {}{took}\n", paint.green("ok")),
            CallStatus::Error => {
                format!("{}\n", format!("    {}{took} {}", paint.red("failed"), reason_of(output)).trim_end())
            }
            CallStatus::Denied => {
                untold(output).map(|reason| format!("    {} {reason}\n", paint.yellow("denied"))).unwrap_or_default()
            }
        }
    }

    /// Ends the text of an answer, and says that it does not count if it is not recorded.
    fn take_back(&mut self) -> String {
        let mut said = self.flow.close();
        if self.flow.has_said() && !self.is_recorded {
            said.push_str(&format!("  {}\n", self.paint.yellow("(this answer broke off and does not count)")));
        }
        self.flow = Flow::default();
        said
    }

    fn written(&self, event: &Event) -> String {
        let mut page = Page::new(self.paint, true, Path::new(""));
        write_event(&mut page, event);
        page.into_text()
    }

    fn open(&mut self, call_id: &str) -> Option<&mut Call> {
        self.calls.iter_mut().find(|call| call.call_id == call_id)
    }

    fn set(&mut self, doing: Doing, now: u64) {
        if self.doing != doing {
            (self.doing, self.since) = (doing, now);
        }
    }
}

/// Writes behind a word how long something took, if that can be told: with a digit behind the point below ten seconds.
fn seconds(milliseconds: u64) -> String {
    match (milliseconds / 1000, milliseconds % 1000 / 100) {
        (0, 0) => String::new(),
        (seconds @ 10.., _) | (seconds, 0) => format!(" {seconds} s"),
        (seconds, tenths) => format!(" {seconds}.{tenths} s"),
    }
}
