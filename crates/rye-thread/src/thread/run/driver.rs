//! The driver: performs what the machine asks for, in order, and nothing else.
//!
//! Every event is durable before anything follows from it. The terminal event and its commit are written however the
//! thread ends: by its outputs, an error, a limit, or a signal. When storage itself fails, the run ends with that
//! error; commits stay, and the thread shows as interrupted.

mod question;
mod recollection;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use rye_plugin_abi::provider::{EncodeRequest, Message};

use super::course::{Call, Course, Host, Step};
use super::keeper::Keeper;
use super::observer::{Observer, Tally};
use super::performer::{Loaded, Performer, Work};
use super::prerequisites::Ready;
use super::scribe::Scribe;
use crate::action::{Permitted, Recall, Toolbox};
use crate::capability::{Capability, Token, TokenChain};
use crate::event::{Event, EventData, SkippedPath, Usage};
use crate::format::Finding;
use crate::git::CommitId;
use crate::id::ItemId;
use crate::machine::harness::Harness;
use crate::machine::{Effect, Input, Performed, Position, Question, SetupRecord};
use crate::process::{self, CancelFlag, Cause};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::model::provider::Chosen;
use crate::thread::record::{Addition, Branch, Journal, Log, Outcome, Record};
use crate::thread::tree::{Fault, OwnTree};
use crate::trust::SigningKey;

/// A thread at the point from which it goes on.
pub(in crate::thread) struct Going {
    pub(in crate::thread) course: Course,
    pub(in crate::thread) branch: Branch,
    pub(in crate::thread) log: Log,
    pub(in crate::thread) journal: Journal,
    /// How many of its requests were sent before and not answered.
    pub(in crate::thread) unanswered: u32,
    /// What its next commit brings of what it may do, and of what its machine is made of.
    pub(in crate::thread) tokens: Option<Vec<Token>>,
    pub(in crate::thread) setup: Option<SetupRecord>,
    pub(in crate::thread) toolbox: Toolbox,
    pub(in crate::thread) chain: TokenChain,
    pub(in crate::thread) chosen: Chosen,
    pub(in crate::thread) guard: Guard,
    pub(in crate::thread) request: EncodeRequest,
    pub(in crate::thread) loaded: Vec<Loaded>,
    pub(in crate::thread) findings: Vec<Finding>,
}

/// Where a thread works.
pub(in crate::thread) struct Ground {
    pub(in crate::thread) tree: OwnTree,
    pub(in crate::thread) work: Work,
    /// The commit that its tree was made of.
    pub(in crate::thread) parent: Option<CommitId>,
}

/// Performs what the course of a thread asks for.
struct Live<'run> {
    performer: Performer<'run>,
    agent: &'run SigningKey,
    cancel: &'run CancelFlag,
    chosen: Chosen,
    request: EncodeRequest,
    scribe: Scribe<'run>,
    keeper: Keeper<'run>,
    branch: Branch,
    /// What the next commit brings of what the thread may do, and of what its machine is made of.
    tokens: Option<Vec<Token>>,
    setup: Option<SetupRecord>,
    /// Whether this run has committed.
    has_begun: bool,
    /// What attempts used that failed while the model was asked last.
    failed: Usage,
    /// The count at the last request to the model.
    asked_at: Option<Harness>,
    /// The variables that say where a model is asked, with the hosts: each is told once.
    redirected: Vec<(String, String)>,
}

/// Has a thread go on to its end.
pub(in crate::thread) fn go(
    session: Session,
    ready: Ready,
    going: Going,
    ground: Ground,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let Ground { tree, work, parent } = ground;
    let session = session.in_tree(tree.linked().work_dir());
    let Ready { keys_created, allowed_signers, identity, identity_is_fallback, .. } = ready;
    let Going {
        mut course,
        branch,
        log,
        journal,
        tokens,
        setup,
        chain,
        chosen,
        request,
        loaded,
        findings,
        unanswered,
        ..
    } = going;
    let agent = session.project().agent()?;
    let mut live = Live {
        performer: Performer::new(&session, &tree, parent.as_ref(), work, chain, loaded, cancel)
            .offering(going.toolbox.clone())
            .guarding(going.guard),
        scribe: Scribe::new(log, course.record(), course.events(), observer),
        keeper: Keeper::new(journal, agent, unanswered),
        agent,
        cancel,
        chosen,
        request,
        branch,
        tokens,
        setup,
        has_begun: false,
        failed: Usage::default(),
        asked_at: None,
        redirected: Vec::new(),
    };
    live.tell_beforehand(&going.toolbox);
    course.run(&mut live)?;
    let mut outcome = live.outcome(course.record)?;
    outcome.allowed_signers = Some(allowed_signers);
    outcome.keys_created = keys_created;
    outcome.warnings = findings;
    outcome.identity = Some(format!("{} <{}>", identity.name, identity.email));
    outcome.identity_is_fallback = identity_is_fallback;
    Ok(outcome)
}

impl Host for Live<'_> {
    type Error = Error;

    fn elapsed_ms(&mut self) -> u64 {
        self.performer.session.context().elapsed_ms()
    }

    fn stopped(&mut self, before: &Effect, _: &VecDeque<Effect>) -> Option<Input> {
        // A billed answer is recorded.
        if matches!(before, Effect::Ask(_)) && self.keeper.has_answer() {
            return None;
        }
        if let Some(cause) = self.cancel.cause() {
            return Some(Input::Cancel { cause: sentence(cause).to_owned() });
        }
        self.fault().map(|Fault { code, message }| Input::Fail { code: code.to_owned(), message })
    }

    fn fault(&mut self) -> Option<Fault> {
        let guard = &self.performer.guard;
        self.performer.fault().map(|fault| Fault { message: guard.text(fault.message), ..fault })
    }

    fn record(&mut self, what: EventData, turn: u32, directive: ItemId) -> Result<Event, Error> {
        self.scribe.record(what, Position { turn, directive }, self.performer.session.context())
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.keeper.flush()?;
        self.scribe.settle()
    }

    fn count(&mut self, messages: Arc<Vec<Message>>, remaining: Duration) -> Result<Input, Error> {
        let mut request = self.request.clone();
        request.messages = messages;
        let session = self.performer.session;
        let counted = self.chosen.count(request, session, self.cancel, remaining);
        Ok(match self.cancel.cause() {
            Some(cause) => Input::Cancel { cause: sentence(cause).to_owned() },
            None => Input::Counted(counted),
        })
    }

    fn standing(&mut self, harness: &Harness, remaining: Duration) {
        self.scribe.observer.standing(&Tally::new(harness, remaining));
        self.asked_at = Some(harness.clone());
    }

    fn ask(&mut self, question: Question, position: Position, remaining: Duration) -> Result<Input, Error> {
        self.put(question, &position, remaining)
    }

    fn failed_attempts(&mut self) -> Usage {
        std::mem::take(&mut self.failed)
    }

    fn noted(&mut self) -> Vec<Event> {
        self.scribe.noted()
    }

    fn agrees(&mut self, described: &str, pattern: &Capability) -> Result<bool, Error> {
        let observer = &mut *self.scribe.observer;
        self.keeper.agrees(described, || observer.agrees(described, pattern))
    }

    fn runs_beside(&self, permitted: &Permitted) -> bool {
        self.performer.runs_beside(permitted)
    }

    fn perform(&mut self, calls: Vec<Call>, remaining: Duration) -> Result<Vec<Performed>, Error> {
        let observer = &mut *self.scribe.observer;
        self.keeper.perform(&mut self.performer, calls, remaining, &mut |call_id, stage| observer.call(call_id, stage))
    }

    fn recall(&mut self, call_id: String, recall: &Recall, record: &Record) -> Result<Performed, Error> {
        self.recalled(call_id, recall, record)
    }

    fn hook(
        &mut self,
        call_id: String,
        permitted: Permitted,
        remaining: Duration,
        _: &VecDeque<Effect>,
    ) -> Result<Performed, Error> {
        self.keeper.hook(&mut self.performer, call_id, permitted, remaining)
    }

    fn look(&mut self) -> Result<Vec<SkippedPath>, Error> {
        self.performer.look()?;
        let skipped = self.performer.changes.take_skipped();
        Ok(self.performer.guard.paths(skipped))
    }

    fn commit(&mut self, record: &Record, step: Step<'_>) -> Result<(), Error> {
        step.transcript.iter().for_each(|whole| self.scribe.end(whole));
        let addition = Addition {
            turn: step.turn,
            events: step.events,
            files: self.performer.changes.take_files(),
            edits: Vec::new(),
            artifacts: std::mem::take(&mut self.performer.artifacts),
            tokens: self.tokens.as_deref(),
            setup: self.setup.as_ref(),
            transcript: step.transcript,
            now: self.performer.session.context().now(),
        };
        self.branch.commit(record, addition, self.agent)?;
        if !std::mem::replace(&mut self.has_begun, true) {
            self.scribe.observer.began();
        }
        (self.tokens, self.setup) = (None, None);
        match step.events.first().map(|event| &event.what) {
            // Data received before belongs to the turn that now follows.
            Some(EventData::ThreadResumed { .. }) => self.keeper.restore(&self.performer),
            _ => self.keeper.committed(self.branch.tip()),
        }
    }
}

impl Live<'_> {
    /// Tells where the model is asked, and which tools are withheld for want of a program.
    fn tell_beforehand(&mut self, toolbox: &Toolbox) {
        self.tell_of_redirection();
        let doing = self.performer.doing();
        let withheld = toolbox.tools().filter_map(|id| Some((id.clone(), doing.withholds(id)?)));
        let (withheld, missing): (Vec<ItemId>, Vec<process::Error>) = withheld.unzip();
        if let Some(missing) = missing.first() {
            self.scribe.observer.withheld(&withheld, missing);
        }
    }

    fn outcome(self, record: Record) -> Result<Outcome, Error> {
        let branch = self.branch.name().to_owned();
        let unknown = || Error::Unknown { name: record.thread_id.to_string(), suggestion: None };
        let commit_id = self.branch.tip().filter(|_| self.branch.is_created()).cloned().ok_or_else(unknown)?;
        Ok(record.outcome(branch, commit_id))
    }
}

const fn sentence(cause: Cause) -> &'static str {
    match cause {
        Cause::Requested => "it was asked to stop",
        Cause::Interrupted => "it was interrupted (Ctrl-C)",
        Cause::Terminated => "it was told to terminate",
        Cause::HungUp => "its terminal was closed",
        Cause::Quit => "it was told to quit (Ctrl-\\)",
    }
}
