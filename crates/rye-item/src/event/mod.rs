//! What happens in a thread, as values: one line of JSON each (docs/formats.md, section 6).
//!
//! The types of event are those of the seed documents and the further ones the design names; this file owns their
//! shape. Who writes them, and where, is the thread's business.

mod choice;
mod compaction;
mod project_file;
mod resumption;
mod usage;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::choice::{AskedModel, ModelChoice};
pub use self::compaction::{ClearedResult, TurnRange};
pub use self::project_file::ToldAs;
pub use self::resumption::{Stood, Then, UnfinishedCall};
pub use self::usage::Usage;
use crate::id::{ItemId, ThreadId, Timestamp};
use crate::item::{ContextPosition, HookEvent, OnError, PersonGrant, Price};
use crate::trust::{ContentHash, KeyId};

/// The version of the event format this program writes.
pub const FORMAT: u32 = 1;

/// One line of a thread's log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The format's version.
    pub v: u32,
    /// The event's number in its thread, from 0, without a gap.
    pub seq: u64,
    /// When it happened.
    pub time: Timestamp,
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn it belongs to; 0 is the start.
    pub turn: u32,
    /// The directive whose instructions produced it.
    pub directive: ItemId,
    /// The event.
    #[serde(flatten)]
    pub what: EventData,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum EventData {
    /// The thread began.
    ThreadStart {
        /// The inputs the directive was given, defaults filled in.
        inputs: Map<String, Value>,
        /// The limits in force, as text by name.
        limits: Map<String, Value>,
        /// The SHA-256 of its capability token.
        token: String,
        /// The model that was asked for, and the one that was chosen; older threads do not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Box<ModelChoice>>,
        /// What its person let it do by flags; none for a directive with permissions of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        granted: Option<Box<PersonGrant>>,
    },
    /// The thread began as the continuation of another one.
    ThreadForked {
        /// The other thread.
        thread_id: ThreadId,
        /// The turn after which it goes on.
        turn: u32,
        /// The commit of that turn.
        commit_id: String,
        /// The limits in force, as text by name.
        limits: Map<String, Value>,
        /// The SHA-256 of its capability token.
        token: String,
        /// The model that was asked for, and the one that was chosen; older threads do not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<Box<ModelChoice>>,
        /// What its person let it do by flags; none for a directive with permissions of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        granted: Option<Box<PersonGrant>>,
    },
    /// The thread was taken up again, after it had ended or its runner had died.
    ThreadResumed {
        /// Its state.
        after: Stood,
        /// The number of its last commit.
        turn: u32,
        /// The limits in force from here on, as text by name.
        limits: Map<String, Value>,
        /// The SHA-256 of its capability token from here on.
        token: String,
        /// For how many milliseconds it ran before.
        used_ms: u64,
        /// Whether the next answer had been received: it is not asked for again.
        answered: bool,
        /// Whether the calls are made again that the thread's end had cut off: their answer is not asked for again.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        retaken: bool,
        /// The turns that the received answer summarises; none where it is the answer of a turn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summarized: Option<TurnRange>,
        /// How many requests were sent to the model before and not answered: the provider may have billed them.
        #[serde(default, skip_serializing_if = "is_none")]
        unanswered: u32,
        /// The calls that had begun and not ended, as far as they were not simply made again.
        unfinished: Vec<UnfinishedCall>,
        /// The policy, limits and price from here on, as `setup.json` has them.
        terms: Box<Value>,
    },
    /// Knowledge was put before the model with the instructions.
    ContextInjected {
        /// Its place.
        position: ContextPosition,
        /// The knowledge.
        item_id: ItemId,
        /// The SHA-256 of its whole file.
        sha256: ContentHash,
    },
    /// A file in which the project instructs agents was found in the commit that the thread is based on.
    ProjectFile {
        /// Its path, from the top.
        path: String,
        /// Its object there; none of a folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        blob_id: Option<String>,
        /// How many bytes it has; none of what is not a file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// What the model gets of it.
        told: ToldAs,
        /// The key that signed the list which has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key_id: Option<KeyId>,
        /// Why it is data, or left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// A hook fired, and its action was performed or refused.
    HookTriggered {
        /// Its number in the directive, from 1.
        hook: usize,
        /// The event it fired at.
        event: HookEvent,
        /// What it asked for, in words.
        call: String,
        /// How that ended.
        status: CallStatus,
        /// What came of it.
        result: Value,
        /// The BLAKE3 of the whole result, when it is abridged here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
    },
    /// The thread began with what its person had not committed.
    ChangesTaken {
        /// The paths, from the top of the work tree.
        paths: Vec<String>,
    },
    /// The work left the declared way.
    Deviation {
        /// The kind of deviation it is.
        #[serde(rename = "type")]
        kind: String,
        /// One sentence.
        message: String,
    },
    /// Instructions reached the model.
    UserMessage {
        /// The text.
        text: String,
    },
    /// A round trip to the model began.
    StepStart {
        /// The turn it is.
        turn: u32,
    },
    /// The model did not answer, and is asked again. A failed attempt uses no turn.
    Retry {
        /// Which attempt failed, from 1.
        attempt: u32,
        /// Why, in one sentence.
        reason: String,
        /// How long is waited before the next one, in milliseconds.
        wait_ms: u64,
        /// The fields that requests are sent without from here on, because the server does not know them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// Requests were sent to the model, and nothing came back: the provider may have billed them.
    RequestsUnanswered {
        /// How many.
        count: u32,
    },
    /// The model failed for good, and the directive's fallback answers in its place from here on.
    Fallback {
        /// The provider document that answers now.
        provider: ItemId,
        /// The model that answers now.
        model: String,
        /// Why the one before does not, in one sentence.
        reason: String,
        /// What the model costs that answers now.
        price: Box<Price>,
        /// The most output tokens of one of its answers.
        max_output_tokens: u64,
        /// Its context, in tokens, where its document tells.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        window: Option<u64>,
    },
    /// From here on, requests carry pointers in the place of old results.
    ResultsCleared {
        /// The results, the oldest first.
        results: Vec<ClearedResult>,
    },
    /// The model found the request too long. The conversation is made shorter, and the model is asked again.
    ContextRefused {
        /// What it said, in one sentence.
        message: String,
    },
    /// The model is asked to summarise turns.
    SummaryStart {
        /// The turns.
        turns: TurnRange,
    },
    /// The model summarised turns: from here on, requests carry the summary in their place.
    Summary {
        /// The turns.
        turns: TurnRange,
        /// The summary.
        text: String,
        /// What it used.
        usage: Usage,
        /// What it cost, as a decimal with its currency.
        spend: String,
        /// Why the model stopped.
        stop_reason: StopReason,
        /// The model that answered, as the server names it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// What the provider wants to be handed with the next request; opaque, null when it wants nothing.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        state: Value,
    },
    /// The model said something.
    AssistantText {
        /// The text.
        text: String,
    },
    /// The model, or its provider, declined to answer, and says why.
    AnswerDeclined {
        /// Why.
        reason: String,
    },
    /// The model thought aloud.
    AssistantReasoning {
        /// The text.
        text: String,
    },
    /// A tool call began.
    ToolCallStart {
        /// The call's id, unique in the thread.
        call_id: String,
        /// The tool's name as the model wrote it.
        tool: String,
        /// The item the call acts on, when the name resolved to one.
        item_id: Option<ItemId>,
        /// The call's arguments.
        input: Value,
        /// The step that makes the call, where no model does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<CallingStep>,
    },
    /// A tool call ended.
    ToolCallResult {
        /// The call.
        call_id: String,
        /// How it ended.
        status: CallStatus,
        /// What the model gets to see.
        output: Value,
        /// The BLAKE3 of the whole output, when the model sees it abridged: `artifacts/<digest>` in the thread's tree.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
        /// The end of what its tool wrote to standard error, where the output does not have it. The model gets it, too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
        /// The hosts that a tool in the sandbox asked for over the network, sorted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        hosts: Vec<AskedHost>,
        /// How long it took, in milliseconds.
        duration_ms: u64,
    },
    /// Somebody was asked about a call, because a pattern of the configuration covers it.
    PermissionAsked {
        /// The call.
        call_id: String,
        /// The question: the whole call, long values cut in the middle.
        call: String,
        /// The pattern.
        pattern: String,
        /// Whether they agreed; without a terminal they do not.
        agreed: bool,
    },
    /// A call was refused, by the thread's tokens, the configuration, or who was asked.
    PermissionDenied {
        /// The call.
        call_id: String,
        /// The question, in words.
        call: String,
        /// Why, as a person is told it; the model's result does not say how to allow it.
        message: String,
    },
    /// Paths a turn changed that its commit cannot hold, and why.
    PathsSkipped {
        /// Each path with the reason it was left out.
        paths: Vec<SkippedPath>,
    },
    /// A round trip ended.
    StepFinish {
        /// What it used.
        usage: Usage,
        /// What it cost, as a decimal with its currency.
        spend: String,
        /// Why the model stopped.
        stop_reason: StopReason,
        /// The model that answered, as the server names it; older threads do not tell.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
        /// What the provider wants to be handed with the next request; opaque, null when it wants nothing.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        state: Value,
    },
    /// In the place of summarised turns, the thread goes on with the directive that continues its own.
    ContinuationStart {
        /// The directive.
        item_id: ItemId,
        /// Whether it could be taken in; if not, the summary alone takes the place of the turns.
        status: CallStatus,
        /// Its instructions, or why there are none.
        result: Value,
        /// The BLAKE3 of the whole result, when it is abridged here.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        artifact: Option<String>,
    },
    /// The provider counted the input of the next call, because a limit is near.
    InputCounted {
        /// Its tokens.
        tokens: u64,
    },
    /// Attempts to get an answer failed, and were billed all the same.
    AttemptsFailed {
        /// What they used, as far as it was reported, or estimated from what arrived.
        usage: Usage,
        /// What they cost, as a decimal with its currency.
        spend: String,
    },
    /// A turn used more than a limit had left: an estimate before the call was too low.
    LimitPassed {
        /// The limit's name.
        limit: String,
        /// Its value.
        value: String,
        /// By how much it was passed.
        by: String,
    },
    /// A limit stopped the thread.
    LimitReached {
        /// The limit's name.
        limit: String,
        /// Its value.
        value: String,
    },
    /// The model returned the declared outputs.
    DirectiveReturn {
        /// The outputs.
        outputs: Map<String, Value>,
    },
    /// The person stopped the thread.
    ThreadCancelled {
        /// What stopped it.
        cause: String,
    },
    /// The thread ended well.
    ThreadComplete {
        /// Its outputs.
        outputs: Map<String, Value>,
    },
    /// The thread ended badly.
    ThreadError {
        /// A stable word for what happened.
        code: String,
        /// One sentence for people.
        message: String,
    },
}

/// A step of a directive that makes a call by itself, because no model follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallingStep {
    /// Its name.
    pub name: String,
    /// What follows when the call fails or is denied.
    #[serde(default, skip_serializing_if = "OnError::is_end")]
    pub on_error: OnError,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// It did what it was asked.
    Ok,
    /// It failed.
    Error,
    /// It was refused.
    Denied,
}

/// Why a model stopped talking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// It had nothing more to say.
    EndTurn,
    /// It waits for tool results.
    ToolUse,
    /// Its output was cut at the limit.
    MaxTokens,
    /// The provider interrupted a long turn, which goes on with the next one.
    Pause,
    /// It, or its provider, declined to answer.
    Refusal,
    /// The conversation no longer fits it.
    ContextExceeded,
    /// Something that this program has no word for.
    Other,
}

/// A host that a tool asked for over the network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedHost {
    /// Its name or address, with the port.
    pub host: String,
    /// Whether the permissions name it.
    pub allowed: bool,
}

/// A path that a commit leaves out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPath {
    /// The path in the project.
    pub path: String,
    /// Why it was left out, in one word (docs/formats.md, section 6).
    pub reason: String,
}

impl EventData {
    /// Tells whether a thread is over after this event.
    #[must_use]
    pub const fn is_terminal(&self) -> bool {
        matches!(self, Self::ThreadComplete { .. } | Self::ThreadError { .. } | Self::ThreadCancelled { .. })
    }
}

/// Tells whether a count need not be written.
const fn is_none(count: &u32) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn an_event_is_one_flat_line_and_reads_back() {
        let event = Event {
            v: FORMAT,
            seq: 3,
            time: Timestamp::from_milliseconds(1_773_711_668_000),
            thread_id: "t-20260317-014108-aaaaaaaa".parse().unwrap(),
            turn: 1,
            directive: "a/b".parse().unwrap(),
            what: EventData::AssistantText { text: "hello\nthere".to_owned() },
        };
        let line = serde_json::to_string(&event).unwrap();
        assert_eq!(
            line,
            r#"{"v":1,"seq":3,"time":"2026-03-17T01:41:08Z","thread_id":"t-20260317-014108-aaaaaaaa","turn":1,"directive":"a/b","type":"assistant_text","data":{"text":"hello\nthere"}}"#
        );
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
    }
}
