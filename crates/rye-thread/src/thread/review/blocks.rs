//! The events of a turn, joined to what people read: a call with its result, its refusal and who agreed to it.

use serde_json::Value;

use crate::event::{AskedHost, CallStatus, Event, EventData};
use crate::id::ItemId;
use crate::thread::record::Content;

/// A part of a turn.
#[derive(Debug)]
pub enum Block<'a> {
    /// A call of the model.
    Call(Called<'a>),
    /// Any other event.
    Event(&'a Event),
    /// JSON that is not a known event, by its type.
    Unknown {
        /// Its own name.
        kind: &'a str,
        /// The line.
        line: &'a str,
    },
    /// A line that is not JSON.
    Broken(&'a str),
}

/// A call of the model, with what came of it.
#[derive(Debug)]
pub struct Called<'a> {
    /// The tool's name as the model wrote it.
    pub tool: &'a str,
    /// The item it acts on.
    pub item_id: Option<&'a ItemId>,
    /// Its arguments.
    pub input: &'a Value,
    /// The pattern under which the user was asked, and whether they agreed.
    pub asked: Option<(&'a str, bool)>,
    /// Why it was refused.
    pub denied: Option<&'a str>,
    /// What came of it; none if the record ends before.
    pub result: Option<CallResult<'a>>,
}

/// What came of a call.
#[derive(Debug, Clone, Copy)]
pub struct CallResult<'a> {
    /// How it ended.
    pub status: CallStatus,
    /// What the model got to see.
    pub output: &'a Value,
    /// The digest of the whole output, if the model saw it abridged.
    pub artifact: Option<&'a str>,
    /// The end of what its tool wrote to standard error, where the output does not have it.
    pub stderr: Option<&'a str>,
    /// The hosts that a tool asked for over the network.
    pub hosts: &'a [AskedHost],
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

impl Block<'_> {
    /// Tells whether it says what the head of a page does not say, and not to programs alone.
    #[must_use]
    pub fn is_told(&self) -> bool {
        let Self::Event(event) = self else { return true };
        match &event.what {
            EventData::AssistantText { text } | EventData::AssistantReasoning { text } => !text.trim().is_empty(),
            EventData::StepFinish { usage, .. } => usage.total() > 0,
            EventData::UserMessage { .. } => event.turn > 0,
            EventData::ThreadStart { .. }
            | EventData::InputCounted { .. }
            | EventData::StepStart { .. }
            | EventData::SummaryStart { .. }
            | EventData::DirectiveReturn { .. } => false,
            EventData::ThreadForked { .. }
            | EventData::ThreadResumed { .. }
            | EventData::ContextInjected { .. }
            | EventData::ProjectFile { .. }
            | EventData::Retry { .. }
            | EventData::Fallback { .. }
            | EventData::ResultsCleared { .. }
            | EventData::ContextRefused { .. }
            | EventData::ContinuationStart { .. }
            | EventData::Summary { .. }
            | EventData::AnswerDeclined { .. }
            | EventData::HookTriggered { .. }
            | EventData::ChangesTaken { .. }
            | EventData::Deviation { .. }
            | EventData::ToolCallStart { .. }
            | EventData::ToolCallResult { .. }
            | EventData::PermissionAsked { .. }
            | EventData::PermissionDenied { .. }
            | EventData::PathsSkipped { .. }
            | EventData::LimitReached { .. }
            | EventData::ThreadCancelled { .. }
            | EventData::ThreadComplete { .. }
            | EventData::AttemptsFailed { .. }
            | EventData::RequestsUnanswered { .. }
            | EventData::LimitPassed { .. }
            | EventData::ThreadError { .. } => true,
        }
    }
}

impl Called<'_> {
    /// Returns the use of the item, in a word.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self.tool {
            "rye_execute" => "execute",
            "rye_load" => "load",
            "rye_search" => "search",
            "rye_sign" => "sign",
            _ => "call",
        }
    }
}

impl CallResult<'_> {
    /// Returns how long the call took, if that is worth telling.
    #[must_use]
    pub fn took(&self) -> Option<String> {
        (self.duration_ms >= 1_000)
            .then(|| format!("{}.{} s", self.duration_ms / 1_000, self.duration_ms % 1_000 / 100))
    }
}

/// Joins the lines of a turn.
#[must_use]
pub fn blocks<'a>(content: &'a [(Content, String)]) -> Vec<Block<'a>> {
    let mut blocks: Vec<Block<'a>> = Vec::new();
    // The calls that are open, each with the place of its block.
    let mut calls: Vec<(&str, usize)> = Vec::new();
    for (content, line) in content {
        let event = match content {
            Content::Event(event) => event.as_ref(),
            Content::Unknown { kind } => {
                blocks.push(Block::Unknown { kind, line });
                continue;
            }
            Content::Broken => {
                blocks.push(Block::Broken(line));
                continue;
            }
        };
        if let EventData::ToolCallStart { call_id, tool, item_id, input, .. } = &event.what {
            calls.push((call_id, blocks.len()));
            let item_id = item_id.as_ref();
            blocks.push(Block::Call(Called { tool, item_id, input, asked: None, denied: None, result: None }));
        } else if !joined(&event.what, &calls, &mut blocks) {
            blocks.push(Block::Event(event));
        }
    }
    blocks
}

/// Adds an event to the call it belongs to, if that is there.
fn joined<'a>(what: &'a EventData, calls: &[(&str, usize)], blocks: &mut [Block<'a>]) -> bool {
    let (EventData::PermissionAsked { call_id, .. }
    | EventData::PermissionDenied { call_id, .. }
    | EventData::ToolCallResult { call_id, .. }) = what
    else {
        return false;
    };
    let place = calls.iter().rev().find(|(open, _)| open == call_id).map(|(_, place)| *place);
    let Some(Block::Call(call)) = place.and_then(|place| blocks.get_mut(place)) else { return false };
    match what {
        EventData::PermissionAsked { pattern, agreed, .. } => call.asked = Some((pattern, *agreed)),
        EventData::PermissionDenied { message, .. } => call.denied = Some(message),
        EventData::ToolCallResult { status, output, artifact, stderr, hosts, duration_ms, .. }
            if call.result.is_none() =>
        {
            let (artifact, stderr) = (artifact.as_deref(), stderr.as_deref());
            call.result =
                Some(CallResult { status: *status, output, artifact, stderr, hosts, duration_ms: *duration_ms });
        }
        _ => return false,
    }
    true
}
