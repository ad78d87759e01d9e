//! What goes into the machine and what comes out of it: values only, nothing decided here.

use std::sync::Arc;

use rye_plugin_abi::provider::{Message, ModelEvent, StopReason};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::allowance::Allowance;
use crate::action::{Permitted, Recall};
use crate::event::{AskedHost, CallStatus, EventData, TurnRange, Usage};
use crate::execute::failure_reason;
use crate::id::{ItemId, ThreadId};
use crate::item::Price;

/// What the driver tells the machine.
#[derive(Debug)]
pub enum Input {
    /// Begin.
    Begin,
    /// The record is committed.
    Committed,
    /// The model answered.
    Answer(Answer),
    /// The provider counted the input of the next call; none if it cannot, or did not.
    Counted(Option<u64>),
    /// Attempts to ask the model failed, and were billed. It is still being asked.
    AttemptsFailed(Usage),
    /// The model could not be asked.
    ModelFailed {
        /// A stable word.
        code: String,
        /// One sentence.
        message: String,
    },
    /// The thread's time was over before the model had answered.
    OutOfTime,
    /// Requests that were not answered may have been billed, and leave no room for another.
    OutOfRoom {
        /// The limit.
        limit: String,
        /// Its value.
        value: String,
        /// One sentence.
        message: String,
    },
    /// The model failed for good, and another one answers in its place.
    FellBack(Box<Replacement>),
    /// A call was performed.
    Performed(Performed),
    /// A hook's action was performed.
    Hooked(Performed),
    /// The thread cannot go on.
    Fail {
        /// A stable word.
        code: String,
        /// One sentence.
        message: String,
    },
    /// The user wants the thread to stop.
    Cancel {
        /// What asked for it.
        cause: String,
    },
}

/// A model that answers in the place of another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Replacement {
    /// Its provider document.
    pub provider: ItemId,
    /// Its id.
    pub model: String,
    /// Why the one before does not answer.
    pub reason: String,
    /// What it costs, in the currency of the thread's limit.
    pub price: Price,
    /// The most output tokens of one of its answers.
    pub max_output_tokens: u64,
    /// Its context, in tokens, where its document tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
}

/// What the model answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The pieces of the turn, in order.
    pub events: Vec<ModelEvent>,
    /// What the provider wants to be handed with the next request; null when it wants nothing.
    pub state: Value,
    /// The model that answered, as the server names it.
    pub model: Option<String>,
}

impl Answer {
    /// Returns what the turn used.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let used = self.events.iter().filter_map(|event| match event {
            ModelEvent::Usage(usage) => Some(Usage::from(*usage)),
            ModelEvent::Step { .. }
            | ModelEvent::Text { .. }
            | ModelEvent::Reasoning { .. }
            | ModelEvent::ToolCall(_)
            | ModelEvent::Declined { .. }
            | ModelEvent::Stop { .. } => None,
        });
        used.fold(Usage::default(), Usage::plus)
    }

    /// Tells whether the model declined to answer; with the reason, where one is given.
    #[must_use]
    pub fn declined(&self) -> Option<Option<&str>> {
        let reason = self.events.iter().find_map(|event| match event {
            ModelEvent::Declined { text } => Some(text.as_str()),
            _ => None,
        });
        let is_refused = |event: &ModelEvent| matches!(event, ModelEvent::Stop { reason: StopReason::Refusal });
        self.events.iter().any(is_refused).then_some(reason)
    }
}

/// A place in a thread from which another one continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The thread.
    pub thread_id: ThreadId,
    /// Its last turn that counts.
    pub turn: u32,
    /// The commit of that turn.
    pub commit_id: String,
}

/// The result of one performed call.
#[derive(Debug, Clone, PartialEq)]
pub struct Performed {
    /// The call.
    pub call_id: String,
    /// Whether it went well.
    pub status: CallStatus,
    /// What the model gets to see.
    pub output: Value,
    /// The digest of the whole output, when the model sees it abridged.
    pub artifact: Option<String>,
    /// The end of what its tool wrote to standard error, where the output does not have it.
    pub stderr: Option<String>,
    /// The hosts that a tool asked for over the network.
    pub hosts: Vec<AskedHost>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

impl Performed {
    /// Makes the result of a call that was not made because it is not permitted.
    #[must_use]
    pub fn denied(call_id: String, message: &str) -> Self {
        let output = json!({"error": {"code": "permission_denied", "message": message}});
        Self {
            call_id,
            status: CallStatus::Denied,
            output,
            artifact: None,
            stderr: None,
            hosts: Vec::new(),
            duration_ms: 0,
        }
    }

    /// Makes the result of a call that was about to be made when the thread was stopped.
    #[must_use]
    pub fn unmade(call_id: String) -> Self {
        let message = "the thread was stopped before this call was made";
        let output = json!({"error": {"code": "cancelled", "message": message}});
        Self {
            call_id,
            status: CallStatus::Error,
            output,
            artifact: None,
            stderr: None,
            hosts: Vec::new(),
            duration_ms: 0,
        }
    }

    /// Makes the result of a call whose effect is unknown, because the thread's runner died.
    #[must_use]
    pub fn interrupted(call_id: String) -> Self {
        let message = "the thread was interrupted during this call; whether it did its work is not known";
        let output = json!({"error": {"code": "interrupted", "message": message}});
        Self {
            call_id,
            status: CallStatus::Error,
            output,
            artifact: None,
            stderr: None,
            hosts: Vec::new(),
            duration_ms: 0,
        }
    }

    /// Returns what the model sees of a call that ran when the thread was stopped.
    pub fn stopped_output() -> Value {
        json!({"error": {"code": "cancelled", "message": "the thread was stopped during this call"}})
    }

    /// Tells whether the call was cut off by the end of the thread: it did not end, or did not begin.
    #[must_use]
    pub fn is_cut_off(&self) -> bool {
        self.had_begun()
            || *self == Self::unmade(self.call_id.clone())
            || *self == Self::cancelled(self.call_id.clone())
    }

    /// Tells whether the call was running when the thread was stopped.
    #[must_use]
    pub fn had_begun(&self) -> bool {
        self.status == CallStatus::Error && self.output == Self::stopped_output()
    }

    /// Returns the result of a call that was not made because the thread was stopped.
    #[must_use]
    pub fn cancelled(call_id: String) -> Self {
        let output = json!({"error": {"code": "cancelled", "message": "the thread was stopped"}});
        Self {
            call_id,
            status: CallStatus::Error,
            output,
            artifact: None,
            stderr: None,
            hosts: Vec::new(),
            duration_ms: 0,
        }
    }
}

/// How much of a failed call's result is told where it has no message, in characters.
const TOLD: usize = 300;

impl Performed {
    /// Says why the call failed: its message, or else the beginning of what it returned.
    #[must_use]
    pub fn reason(&self) -> String {
        let reason = match failure_reason(&self.output) {
            empty if empty.is_empty() => self.output.as_str().map_or_else(|| self.output.to_string(), str::to_owned),
            reason => reason,
        };
        match reason.char_indices().nth(TOLD) {
            None => reason,
            Some((end, _)) => format!("{}…", &reason[..end]),
        }
    }
}

/// What the machine wants done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Write an event down, durably.
    Record(EventData),
    /// Have the provider count the tokens of the conversation.
    Count(Arc<Vec<Message>>),
    /// Ask the model.
    Ask(Question),
    /// Perform a permitted call.
    Perform {
        /// The call.
        call_id: String,
        /// What to do.
        permitted: Permitted,
    },
    /// Read a part of an earlier result that the model saw abridged or sees no more.
    Recall {
        /// The call.
        call_id: String,
        /// The part.
        recall: Recall,
    },
    /// Perform what a hook asks for.
    Hook {
        /// An id of its own, for its result.
        call_id: String,
        /// What to do.
        permitted: Permitted,
    },
    /// Commit the record since the last commit.
    Commit,
    /// Commit the rest: the thread is over.
    End,
}

impl Effect {
    /// Tells whether it may be given up when the user stops the thread.
    pub const fn may_wait(&self) -> bool {
        match self {
            Self::Count(_)
            | Self::Ask(_)
            | Self::Perform { .. }
            | Self::Recall { .. }
            | Self::Hook { .. }
            | Self::Commit => true,
            Self::Record(_) | Self::End => false,
        }
    }
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The conversation so far.
    pub messages: Arc<Vec<Message>>,
    /// The most tokens the answer may have.
    pub max_output_tokens: u64,
    /// What allows it.
    pub allowance: Box<Allowance>,
    /// The turns that the answer summarises; none where a turn is asked for.
    pub summary: Option<TurnRange>,
}
