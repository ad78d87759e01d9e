//! `thread.json`: the description and state of a thread, on its branch; and the outcome people and programs see.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::capability::TokenDirective;
use crate::event::{AskedModel, Event, EventData, TurnRange, Usage};
use crate::format::Finding;
use crate::git::CommitId;
use crate::id::{ItemId, ThreadId, ThreadName, Timestamp};
use crate::item::Money;
use crate::keys::KeyInfo;
pub use crate::machine::Status;
use crate::machine::harness::{Counting, Harness, LimitPassed};
use crate::machine::{Ending, ending};

/// The format's version.
const FORMAT: u32 = 1;

/// Money in the form programs rely on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spend {
    /// A decimal number.
    pub amount: String,
    /// Three letters.
    pub currency: String,
}

/// Why a thread ended badly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadFault {
    /// A stable word.
    pub code: String,
    /// One sentence.
    pub message: String,
}

/// The place in a thread from which another one continues.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkedFrom {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn after which the other one goes on.
    pub turn: u32,
    /// The commit of that turn.
    pub commit_id: CommitId,
}

/// The content of `thread.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::thread) struct Record {
    pub(in crate::thread) v: u32,
    pub(in crate::thread) thread_id: ThreadId,
    pub(in crate::thread) status: Status,
    pub(in crate::thread) directive: TokenDirective,
    pub(in crate::thread) inputs: Map<String, Value>,
    pub(in crate::thread) model: String,
    pub(in crate::thread) provider: ItemId,
    pub(in crate::thread) limits: Map<String, Value>,
    pub(in crate::thread) turns: u32,
    pub(in crate::thread) usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) tokens: Option<u64>,
    pub(in crate::thread) spend: Spend,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::thread) passed: Vec<LimitPassed>,
    pub(in crate::thread) parent: Option<ThreadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) forked_from: Option<ForkedFrom>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) rerun_of: Option<ThreadId>,
    pub(in crate::thread) base: Option<CommitId>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(in crate::thread) in_place: bool,
    /// The digest of the set-up that made folders of its tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) set_up: Option<String>,
    pub(in crate::thread) started_at: Timestamp,
    pub(in crate::thread) ended_at: Option<Timestamp>,
    pub(in crate::thread) outputs: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) error: Option<ThreadFault>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::thread) fallbacks: Vec<FellBack>,
    /// The summaries that took the place of turns in later requests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::thread) summaries: Vec<Summarized>,
    /// The model that was asked for; older threads do not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in crate::thread) asked: Option<AskedModel>,
    /// The models that answered, as their servers name them, in the order of their first answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(in crate::thread) answered: Vec<String>,
}

/// A change of the model that answers. The record's `model` and `provider` are those that answer now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FellBack {
    /// The turn that was to be answered.
    pub turn: u32,
    /// The provider document that failed.
    pub from_provider: ItemId,
    /// The model that failed.
    pub from_model: String,
    /// The provider document that answered from there on.
    pub provider: ItemId,
    /// The model that answered from there on.
    pub model: String,
    /// Why the one before did not.
    pub reason: String,
}

/// A summary that took the place of turns in later requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summarized {
    /// The number of the commit that has it.
    pub turn: u32,
    /// The turns.
    pub turns: TurnRange,
}

/// The result of a thread, or its state.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The thread.
    pub thread_id: ThreadId,
    /// The directive it runs.
    pub directive: ItemId,
    /// Its state.
    pub status: Status,
    /// Its state or end, with errors told apart.
    pub ending: Ending,
    /// The full name of its branch.
    pub branch: String,
    /// The remote that it was fetched from; none for a thread that is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The branch's tip.
    pub commit_id: CommitId,
    /// The commit it was run from; of a fork, the one that the first of its threads was run from.
    pub base: Option<CommitId>,
    /// Where it continues another thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkedFrom>,
    /// The thread that it runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerun_of: Option<ThreadId>,
    /// Round trips to the model.
    pub turns: u32,
    /// Tokens billed: the input of every call, and all output.
    pub usage: Usage,
    /// Tokens that the limit counts, each once; older threads counted as billed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Money spent.
    pub spend: Spend,
    /// The limits that it passed, because an estimate was too low, and by how much.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub passed: Vec<LimitPassed>,
    /// The model.
    pub model: String,
    /// The provider document.
    pub provider: ItemId,
    /// Whether it worked in its person's own tree.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// What it returned.
    pub outputs: Map<String, Value>,
    /// Why it ended badly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ThreadFault>,
    /// Where another model took over because the one before failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<FellBack>,
    /// The summaries that took the place of turns in later requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub summaries: Vec<Summarized>,
    /// The model that was asked for; older threads do not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedModel>,
    /// The models that answered, as their servers name them, in the order of their first answers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<String>,
    /// A file by which stock git verifies its commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_signers: Option<std::path::PathBuf>,
    /// Keys that were made for this run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys_created: Vec<KeyInfo>,
    /// Warnings and advice of the directive's validation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Finding>,
    /// Whom the commits name as committer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<String>,
    /// Whether git knew no identity, and a placeholder was taken.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub identity_is_fallback: bool,
}

impl Outcome {
    /// Returns the name by which the thread is found again.
    #[must_use]
    pub fn name(&self) -> ThreadName {
        ThreadName { thread_id: self.thread_id.clone(), remote: self.remote.clone() }
    }
}

impl From<&Money> for Spend {
    fn from(money: &Money) -> Self {
        Self { amount: money.amount(), currency: money.currency().to_owned() }
    }
}

impl Outcome {
    /// Tells whether the thread can be taken up again by itself: a limit has to be raised first.
    #[must_use]
    pub fn can_be_resumed(&self) -> bool {
        match (self.status, self.error.as_ref().map(|fault| fault.code.as_str())) {
            (Status::Interrupted | Status::Cancelled, _) => true,
            (Status::Error, Some(code)) => ending::is_passing(code),
            (Status::Error, None) | (Status::Running | Status::Completed, _) => false,
        }
    }
}

/// The facts about a thread when it begins.
pub(in crate::thread) struct Beginning {
    pub(in crate::thread) thread_id: ThreadId,
    pub(in crate::thread) directive: TokenDirective,
    pub(in crate::thread) inputs: Map<String, Value>,
    pub(in crate::thread) model: String,
    pub(in crate::thread) provider: ItemId,
    pub(in crate::thread) base: Option<CommitId>,
    pub(in crate::thread) forked_from: Option<ForkedFrom>,
    pub(in crate::thread) rerun_of: Option<ThreadId>,
    pub(in crate::thread) in_place: bool,
    pub(in crate::thread) set_up: Option<String>,
    pub(in crate::thread) now: Timestamp,
}

impl Record {
    pub(in crate::thread) fn new(beginning: Beginning, harness: &Harness) -> Self {
        let limits = harness.ceilings().as_text();
        Self {
            v: FORMAT,
            thread_id: beginning.thread_id,
            status: Status::Running,
            directive: beginning.directive,
            inputs: beginning.inputs,
            model: beginning.model,
            provider: beginning.provider,
            limits: limits.into_iter().map(|(name, value)| (name, Value::String(value))).collect(),
            turns: 0,
            usage: Usage::default(),
            tokens: counted(harness),
            spend: harness.spend().into(),
            passed: harness.passed(),
            parent: None,
            forked_from: beginning.forked_from,
            rerun_of: beginning.rerun_of,
            base: beginning.base,
            in_place: beginning.in_place,
            set_up: beginning.set_up,
            started_at: beginning.now,
            ended_at: None,
            outputs: Map::new(),
            error: None,
            fallbacks: Vec::new(),
            summaries: Vec::new(),
            asked: None,
            answered: Vec::new(),
        }
    }

    /// Takes over which model was asked for, which one answers from here on, and which one did.
    pub(in crate::thread) fn take_over(&mut self, event: &Event) {
        match &event.what {
            EventData::ThreadStart { model: Some(choice), .. }
            | EventData::ThreadForked { model: Some(choice), .. } => {
                self.asked = Some(choice.asked.clone());
            }
            EventData::StepFinish { model: Some(name), .. } if !self.answered.contains(name) => {
                self.answered.push(name.clone());
            }
            EventData::Summary { turns, .. } => self.summaries.push(Summarized { turn: event.turn, turns: *turns }),
            _ => {}
        }
        if let EventData::Fallback { provider, model, reason, .. } = &event.what {
            let from_provider = std::mem::replace(&mut self.provider, provider.clone());
            let from_model = std::mem::replace(&mut self.model, model.clone());
            let (turn, provider, model, reason) = (event.turn, provider.clone(), model.clone(), reason.clone());
            self.fallbacks.push(FellBack { turn, from_provider, from_model, provider, model, reason });
        }
    }

    /// Takes over that the thread goes on, and under which limits.
    pub(in crate::thread) fn reopen(&mut self, harness: &Harness) {
        let limits = harness.ceilings().as_text();
        self.limits = limits.into_iter().map(|(name, value)| (name, Value::String(value))).collect();
        self.status = Status::Running;
        self.ended_at = None;
        self.outputs = Map::new();
        self.error = None;
    }

    /// Takes over what the machine counted.
    pub(in crate::thread) fn count(&mut self, harness: &Harness) {
        self.turns = harness.turns();
        self.usage = harness.usage();
        self.tokens = counted(harness);
        self.spend = harness.spend().into();
        self.passed = harness.passed();
    }

    /// Takes over how the thread ended, from its terminal event.
    pub(in crate::thread) fn close(&mut self, what: &EventData, now: Timestamp) {
        match what {
            EventData::ThreadComplete { outputs } => {
                self.status = Status::Completed;
                self.outputs = outputs.clone();
            }
            EventData::ThreadError { code, message } => {
                self.status = Status::Error;
                self.error = Some(ThreadFault { code: code.clone(), message: message.clone() });
            }
            EventData::ThreadCancelled { cause } => {
                self.status = Status::Cancelled;
                self.error = Some(ThreadFault { code: "cancelled".to_owned(), message: cause.clone() });
            }
            _ => return,
        }
        self.ended_at = Some(now);
    }

    /// Presents the thread as on its branch.
    pub(in crate::thread) fn outcome(self, branch: String, commit_id: CommitId) -> Outcome {
        Outcome {
            thread_id: self.thread_id,
            directive: self.directive.id,
            status: self.status,
            ending: Ending::of(self.status, self.error.as_ref().map_or("", |error| &error.code)),
            branch,
            remote: None,
            commit_id,
            base: self.base,
            forked_from: self.forked_from,
            rerun_of: self.rerun_of,
            in_place: self.in_place,
            turns: self.turns,
            usage: self.usage,
            tokens: self.tokens,
            spend: self.spend,
            passed: self.passed,
            model: self.model,
            provider: self.provider,
            started_at: self.started_at,
            ended_at: self.ended_at,
            outputs: self.outputs,
            error: self.error,
            fallbacks: self.fallbacks,
            summaries: self.summaries,
            asked: self.asked,
            answered: self.answered,
            allowed_signers: None,
            keys_created: Vec::new(),
            warnings: Vec::new(),
            identity: None,
            identity_is_fallback: false,
        }
    }
}

/// Returns the tokens that the limit counts, unless these are the ones that were billed.
fn counted(harness: &Harness) -> Option<u64> {
    match harness.ceilings().counting {
        Counting::Whole => None,
        Counting::Bound | Counting::Estimate => Some(harness.tokens()),
    }
}
