//! The driver: performs what the machine asks for, in order, and nothing else.
//!
//! Every event is durable before anything follows from it. The terminal event and its commit are written however the
//! thread ends: by its outputs, an error, a limit, or a signal. When storage itself fails, the run ends with that
//! error; what was committed stays, and the thread shows as interrupted.

use std::collections::VecDeque;
use std::time::Duration;

use rye_plugin_abi::provider::EncodeRequest;

use super::branch::{self, Addition, Branch, People};
use super::changes::Changes;
use super::error::Error;
use super::log::{self, Log};
use super::machine::{Effect, Input, Machine, Performed, Question};
use super::perform::Performer;
use super::prepare::{Prepared, RunOptions, prepare};
use super::provider::Chosen;
use super::record::{Beginning, Outcome, Record};
use super::transcript;
use super::tree::{self, OwnTree, Taken};
use crate::action::Permitted;
use crate::capability::{Capability, Denial, Token};
use crate::error::with_causes;
use crate::event::{Event, EventData};
use crate::git::{CommitId, Head, Identity, Repository};
use crate::id::SPACE_FOLDER;
use crate::keys::{KeyInfo, KeyStore, TrustDir};
use crate::process::{CancelFlag, Cause};
use crate::session::Session;
use crate::trust::SigningKey;

/// Whoever wants to see a thread while it runs.
pub trait Observer {
    /// Sees an event, after it became durable.
    fn event(&mut self, event: &Event);

    /// Hears how many paths its person has not committed, which are not in the thread's tree.
    fn left_out(&mut self, _paths: usize) {}

    /// Asks the user to approve a call matched by `permissions.ask`, described in one line. Without a terminal the call is denied.
    fn agrees(&mut self, _call: &str, _pattern: &Capability) -> bool {
        false
    }
}

/// Where a thread works, and as whom.
#[derive(Clone, Copy)]
struct Place<'run> {
    session: &'run Session,
    tree: &'run OwnTree,
    base: Option<&'run CommitId>,
    agent: &'run SigningKey,
    identity: &'run Identity,
}

/// A running thread.
struct Driver<'run> {
    machine: Machine,
    performer: Performer<'run>,
    agent: &'run SigningKey,
    chosen: Chosen,
    request: EncodeRequest,
    log: Log,
    branch: Branch,
    record: Record,
    token: Vec<Token>,
    events: Vec<Event>,
    /// How many of the events are durable, and seen by the observer.
    settled: usize,
    observer: &'run mut dyn Observer,
    committed_start: bool,
}

/// Runs a directive as a thread.
///
/// # Errors
///
/// Fails when the thread cannot begin, or its log or branch cannot be written. A thread that ended badly is an
/// outcome.
pub fn run(
    session: &Session,
    options: &RunOptions,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    // What the agent signs in this thread counts in no other.
    let session = session.for_thread();
    let ctx = session.context();
    let repository = session.require_repository()?;
    session.project_root()?;
    let store = KeyStore::new(ctx)?;
    let keys_created: Vec<KeyInfo> = store.ensure(ctx)?.into_iter().filter(|key| key.created).collect();
    let mut prepared = prepare(&session, options, session.agent()?)?;
    // Before the thread begins: a folder that cannot be written must not cost a finished thread its outcome.
    let allowed_signers = TrustDir::new(ctx)?.write_git_files(&store)?.allowed_signers;
    let (identity, identity_is_fallback) = identity(&repository);
    let warnings = prepared.findings.clone();
    tree::sweep(&repository)?;
    let base = match repository.head()? {
        Head::Unborn { .. } => None,
        head => head.commit_id().cloned(),
    };
    repository.refuse_name_conflict(&branch::name(&ctx.config().threads.prefix, &prepared.thread_id))?;
    let thread_id = prepared.thread_id.clone();
    let log = Log::create(repository.common_dir(), &prepared.thread_id, &prepared.directive.id)?;
    let made = own_tree(&session, &repository, &mut prepared, base.as_ref(), options.with_changes, cancel, observer);
    // Of a thread that never began nothing stays; what kept it from beginning is the better answer.
    let (tree, changes) = made.inspect_err(|_| drop(log::remove(repository.common_dir(), &thread_id)))?;
    let session = session.in_tree(tree.linked().work_dir());
    let agent = session.agent()?;
    let place = Place { session: &session, tree: &tree, base: base.as_ref(), agent, identity: &identity };
    let mut driver = Driver::new(place, repository, log, changes, prepared, cancel, observer)?;
    driver.drive(cancel)?;
    let mut outcome = driver.outcome()?;
    outcome.allowed_signers = Some(allowed_signers);
    outcome.keys_created = keys_created;
    outcome.warnings = warnings;
    outcome.identity = Some(format!("{} <{}>", identity.name, identity.email));
    outcome.identity_is_fallback = identity_is_fallback;
    Ok(outcome)
}

/// Makes the thread's tree and notes what it begins with.
fn own_tree(
    session: &Session,
    repository: &Repository,
    prepared: &mut Prepared,
    base: Option<&CommitId>,
    with_changes: bool,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<(OwnTree, Changes), Error> {
    let mut tree = OwnTree::make(session, repository, &prepared.thread_id, base, cancel)?;
    if !with_changes {
        // What is below `.ai/` is there as it stands.
        let is_elsewhere = |path: &String| !path.starts_with(&format!("{SPACE_FOLDER}/"));
        let dirty = repository.dirty_paths()?;
        let left_out = dirty.into_iter().filter(is_elsewhere).count();
        observer.left_out(left_out);
        tree.take_items(session)?;
        let first = tree.take_first();
        return Ok((tree, Changes::from_first(first)));
    }
    let Taken { paths, left_out } = tree.take_changes(session, repository)?;
    let mut changes = Changes::default();
    left_out.into_iter().for_each(|(path, reason)| changes.skip(&path, reason));
    // Whatever the directive may write: this is its person's work, and the thread's first commit.
    changes.look(&tree, base, None)?;
    // A staged file that git ignores is in the tree and not in its commit.
    let (paths, ignored): (Vec<_>, Vec<_>) = paths.into_iter().partition(|path| changes.is_taken(path));
    ignored.into_iter().for_each(|path| changes.skip(&path, "ignored"));
    if !paths.is_empty() {
        prepared.setup.context.insert(0, EventData::ChangesTaken { paths });
    }
    // Items that git ignores count too.
    tree.take_items(session)?;
    changes.know(tree.take_first());
    Ok((tree, changes))
}

/// Takes whom git knows, or a placeholder: a thread must run in a fresh environment too.
fn identity(repository: &Repository) -> (Identity, bool) {
    match repository.committer() {
        Some(identity) => (identity, false),
        None => (Identity::new("rye", "rye@localhost"), true),
    }
}

impl<'run> Driver<'run> {
    fn new(
        place: Place<'run>,
        repository: Repository,
        log: Log,
        changes: Changes,
        prepared: Prepared,
        cancel: &'run CancelFlag,
        observer: &'run mut dyn Observer,
    ) -> Result<Self, Error> {
        let Place { session, tree, base, agent, identity } = place;
        let ctx = session.context();
        let token = prepared.setup.chain.tokens().to_vec();
        let chain = prepared.setup.chain.clone();
        let machine = Machine::new(prepared.setup);
        let beginning = Beginning {
            thread_id: prepared.thread_id.clone(),
            directive: prepared.directive.clone(),
            inputs: prepared.inputs,
            model: prepared.chosen.model.clone(),
            provider: prepared.chosen.id.clone(),
            base: base.cloned(),
            now: ctx.now(),
        };
        let record = Record::new(beginning, machine.harness());
        let name = branch::name(&ctx.config().threads.prefix, &prepared.thread_id);
        let author = Identity::new(&prepared.chosen.model, &identity.email);
        let people = People { author, committer: identity.clone() };
        let branch = Branch::new(repository, name, prepared.thread_id, base.cloned(), people)?;
        Ok(Self {
            machine,
            request: prepared.request,
            performer: Performer::new(session, tree, base, changes, chain, prepared.loaded, cancel),
            agent,
            chosen: prepared.chosen,
            log,
            branch,
            record,
            token,
            events: Vec::new(),
            settled: 0,
            observer,
            committed_start: false,
        })
    }

    /// Performs effects until the machine has none left.
    fn drive(&mut self, cancel: &CancelFlag) -> Result<(), Error> {
        let mut effects: VecDeque<Effect> = self.step(Input::Begin).into();
        while let Some(effect) = effects.pop_front() {
            if !matches!(effect, Effect::Record(_)) {
                self.settle()?;
            }
            if let (true, Some(cause)) = (may_wait(&effect), cancel.cause()) {
                // What was said already is still written down; what would be done is not.
                effects.retain(|effect| matches!(effect, Effect::Record(_)));
                effects.extend(self.step(Input::Cancel { cause: sentence(cause).to_owned() }));
                continue;
            }
            if let Some(input) = self.perform(effect)? {
                effects.extend(self.step(input));
            }
        }
        Ok(())
    }

    fn step(&mut self, input: Input) -> Vec<Effect> {
        let now = self.performer.session.context().elapsed_ms();
        self.machine.step(input, now)
    }

    fn perform(&mut self, effect: Effect) -> Result<Option<Input>, Error> {
        match effect {
            Effect::Record(what) => self.write_down(what).map(|()| None),
            Effect::Ask(question) => Ok(Some(self.ask(question))),
            Effect::Perform { call_id, permitted } => self.dispatch(call_id, permitted).map(Input::Performed).map(Some),
            Effect::Hook { call_id, permitted } => self.dispatch(call_id, permitted).map(Input::Hooked).map(Some),
            Effect::Commit => self.commit(self.turn(), None).map(|()| Some(Input::Committed)),
            Effect::End => self.end().map(|()| None),
        }
    }

    /// Performs what is permitted, if a person who has to be asked agrees.
    fn dispatch(&mut self, call_id: String, permitted: Permitted) -> Result<Performed, Error> {
        if let Some(denial) = self.asked(&call_id, &permitted)? {
            return self.refuse(call_id, permitted.action().to_string(), &denial);
        }
        let now = self.performer.session.context().elapsed_ms();
        let remaining = Duration::from_millis(self.machine.harness().remaining_ms(now));
        self.performer.perform(call_id, permitted, remaining)
    }

    /// Asks a person about a call, where their configuration wants it; returns what to tell when nobody agrees. The
    /// answer is durable before the call is made.
    fn asked(&mut self, call_id: &str, permitted: &Permitted) -> Result<Option<Denial>, Error> {
        let Some((call, pattern)) = permitted.must_ask() else { return Ok(None) };
        if !permitted.can_be_shown() {
            return Ok(Some(Denial::NotShown { call: call.to_string(), pattern: pattern.clone() }));
        }
        let described = permitted.described();
        let agreed = self.observer.agrees(&described, pattern);
        self.write_down(EventData::PermissionAsked {
            call_id: call_id.to_owned(),
            call: described,
            pattern: pattern.to_string(),
            agreed,
        })?;
        self.settle()?;
        Ok((!agreed).then(|| Denial::NotAgreed { call: call.to_string(), pattern: pattern.clone() }))
    }

    fn refuse(&mut self, call_id: String, call: String, denial: &Denial) -> Result<Performed, Error> {
        let refused = Performed::denied(call_id.clone(), &denial.to_string());
        let message = denial.for_people();
        self.write_down(EventData::PermissionDenied { call_id, call, message })?;
        Ok(refused)
    }

    /// Writes an event down. Nothing may follow a terminal one, so what was left out is told before it.
    fn write_down(&mut self, what: EventData) -> Result<(), Error> {
        if what.is_terminal() {
            self.performer.look()?;
            self.write_down_skipped()?;
        }
        let now = self.performer.session.context().now();
        let turn = if what.is_terminal() { self.end_turn() } else { self.turn() };
        self.record.close(&what, now);
        self.events.push(self.log.record(what, turn, now)?);
        Ok(())
    }

    /// Makes what was written down durable and shows it, before anything is done that follows from it.
    fn settle(&mut self) -> Result<(), Error> {
        self.log.flush()?;
        for event in &self.events[self.settled..] {
            self.observer.event(event);
        }
        self.settled = self.events.len();
        Ok(())
    }

    fn write_down_skipped(&mut self) -> Result<(), Error> {
        match self.performer.changes.take_skipped() {
            paths if paths.is_empty() => Ok(()),
            paths => self.write_down(EventData::PathsSkipped { paths }),
        }
    }

    fn ask(&mut self, question: Question) -> Input {
        let mut request = self.request.clone();
        request.messages = question.messages;
        request.max_output_tokens = question.max_output_tokens;
        match self.chosen.ask(request) {
            Ok(events) => Input::Answer(events),
            Err(error) => Input::ModelFailed { code: "provider".to_owned(), message: with_causes(&error) },
        }
    }

    fn commit(&mut self, turn: u32, transcript: Option<String>) -> Result<(), Error> {
        self.performer.look()?;
        self.write_down_skipped()?;
        self.settle()?;
        self.record.count(self.machine.harness());
        let events = self.log.take_uncommitted();
        let addition = Addition {
            turn,
            events: &events,
            files: self.performer.changes.take_files(),
            artifacts: std::mem::take(&mut self.performer.artifacts),
            token: (!self.committed_start).then_some(self.token.as_slice()),
            transcript,
            now: self.performer.session.context().now(),
        };
        self.branch.commit(&self.record, addition, self.agent)?;
        self.committed_start = true;
        Ok(())
    }

    /// Commits the terminal event with the whole transcript.
    fn end(&mut self) -> Result<(), Error> {
        self.record.count(self.machine.harness());
        let transcript = transcript::markdown(&self.record, &self.events);
        self.commit(self.end_turn(), Some(transcript))
    }

    fn turn(&self) -> u32 {
        self.machine.harness().turns()
    }

    /// The end has a file of its own: those of turns never change.
    fn end_turn(&self) -> u32 {
        self.turn() + 1
    }

    fn outcome(self) -> Result<Outcome, Error> {
        let branch = self.branch.name().to_owned();
        let unknown = || Error::Unknown { name: self.record.thread_id.to_string(), suggestion: None };
        let commit_id = self.branch.tip().filter(|_| self.branch.is_created()).cloned().ok_or_else(unknown)?;
        Ok(self.record.outcome(branch, commit_id))
    }
}

/// Tells whether an effect may be given up when somebody stops the thread.
const fn may_wait(effect: &Effect) -> bool {
    matches!(effect, Effect::Ask(_) | Effect::Perform { .. } | Effect::Hook { .. } | Effect::Commit)
}

const fn sentence(cause: Cause) -> &'static str {
    match cause {
        Cause::Requested => "it was asked to stop",
        Cause::Interrupted => "it was interrupted (Ctrl-C)",
        Cause::Terminated => "it was told to terminate",
        Cause::HungUp => "its terminal was closed",
    }
}
