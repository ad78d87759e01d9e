//! The driver: performs what the machine asks for, in order, and nothing else.
//!
//! Every event is durable before anything follows from it. The terminal event and its commit are written however the
//! thread ends: by its outputs, an error, a limit, or a signal. When storage itself fails, the run ends with that
//! error; what was committed stays, and the thread shows as interrupted.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rye_plugin_abi::provider::{EncodeRequest, Message};

use super::branch::{self, Addition, Branch, People};
use super::changes::Changes;
use super::course::{Call, Course, Host, Position, Step};
use super::error::Error;
use super::harness::Harness;
use super::in_place::InPlace;
use super::log::{self, Log};
use super::machine::{Effect, Input, Performed, Question};
use super::observer::{Observer, Tally};
use super::perform::{Performer, Work};
use super::prepare::{Prepared, RunOptions, prepare};
use super::provider::{Asking, Chosen};
use super::record::{Beginning, Outcome, Record};
use super::scribe::Scribe;
use super::setup::SetupRecord;
use super::share;
use super::tree::{self, Fault, OwnTree, Taken};
use crate::action::Permitted;
use crate::capability::{Capability, Token};
use crate::error::with_causes;
use crate::event::{Event, EventData, SkippedPath, Usage};
use crate::git::{CommitId, Head, Identity, Repository};
use crate::id::{ItemId, SPACE_FOLDER};
use crate::keys::{KeyInfo, KeyStore, TrustDir};
use crate::process::{CancelFlag, Cause};
use crate::session::Session;
use crate::trust::SigningKey;

/// What a thread needs to be there before it begins.
pub(super) struct Ready {
    pub(super) repository: Repository,
    keys_created: Vec<KeyInfo>,
    allowed_signers: PathBuf,
    identity: Identity,
    identity_is_fallback: bool,
}

/// How a thread begins.
struct Begin {
    /// With its person's uncommitted changes.
    with_changes: bool,
    /// In its person's own tree.
    in_place: Option<InPlace>,
}

/// Where a thread works, and what it begins at.
pub(super) struct Place {
    pub(super) tree: OwnTree,
    pub(super) work: Work,
    /// The commit that the person ran it from.
    pub(super) base: Option<CommitId>,
    /// The commit that its branch begins at, and that its tree was made of.
    pub(super) parent: Option<CommitId>,
}

/// Performs what the course of a thread asks for.
struct Live<'run> {
    performer: Performer<'run>,
    agent: &'run SigningKey,
    cancel: &'run CancelFlag,
    chosen: Chosen,
    request: EncodeRequest,
    scribe: Scribe<'run>,
    branch: Branch,
    token: Vec<Token>,
    setup: SetupRecord,
    /// What attempts used that failed while the model was asked last.
    failed: Usage,
    /// What was counted when the model was asked last.
    asked_at: Option<Harness>,
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
    session.project_root()?;
    let ready = Ready::new(&session)?;
    let mut prepared = prepare(&session, options, session.agent()?)?;
    let repository = &ready.repository;
    let base = match repository.head()? {
        Head::Unborn { .. } => None,
        head => head.commit_id().cloned(),
    };
    let in_place = options.in_place.then(|| InPlace::take(&session, &prepared.thread_id)).transpose()?;
    let log = ready.begin(&session, &prepared)?;
    let thread_id = prepared.thread_id.clone();
    let begin = Begin { with_changes: options.with_changes, in_place };
    let made = own_tree(&session, repository, &mut prepared, base.as_ref(), begin, cancel, observer);
    // Of a thread that never began nothing stays; what kept it from beginning is the better answer.
    let (tree, work) = made.inspect_err(|_| drop(log::remove(repository.common_dir(), &thread_id)))?;
    let place = Place { tree, work, parent: base.clone(), base };
    drive(session, ready, prepared, log, place, cancel, observer)
}

impl Ready {
    /// Makes the keys and files that a thread needs. A folder that cannot be written must not cost a finished thread its
    /// outcome.
    pub(super) fn new(session: &Session) -> Result<Self, Error> {
        let ctx = session.context();
        let repository = session.require_repository()?;
        let store = KeyStore::new(ctx)?;
        let keys_created = store.ensure(ctx)?.into_iter().filter(|key| key.created).collect();
        let allowed_signers = TrustDir::new(ctx)?.write_git_files(&store)?.allowed_signers;
        let (identity, identity_is_fallback) = identity(&repository);
        Ok(Self { repository, keys_created, allowed_signers, identity, identity_is_fallback })
    }

    /// Takes the lock and begins the log of a thread.
    pub(super) fn begin(&self, session: &Session, prepared: &Prepared) -> Result<Log, Error> {
        tree::sweep(&self.repository)?;
        let name = branch::name(&session.context().config().threads.prefix, &prepared.thread_id);
        self.repository.refuse_name_conflict(&name)?;
        Log::create(self.repository.common_dir(), &prepared.thread_id)
    }
}

/// Drives a thread that is ready to its end.
pub(super) fn drive(
    session: Session,
    ready: Ready,
    prepared: Prepared,
    log: Log,
    place: Place,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let Place { tree, work, base, parent } = place;
    let session = session.in_tree(tree.linked().work_dir());
    let Ready { repository, keys_created, allowed_signers, identity, identity_is_fallback } = ready;
    let (ctx, agent, warnings) = (session.context(), session.agent()?, prepared.findings);
    let name = branch::name(&ctx.config().threads.prefix, &prepared.thread_id);
    let author = Identity::new(&prepared.chosen.model, &identity.email);
    let people = People { author, committer: identity.clone() };
    let branch = Branch::new(repository, name, prepared.thread_id.clone(), parent.clone(), people)?;
    let beginning = Beginning {
        thread_id: prepared.thread_id,
        directive: prepared.directive,
        inputs: prepared.inputs,
        model: prepared.chosen.model.clone(),
        provider: prepared.chosen.id.clone(),
        base,
        forked_from: prepared.forked_from,
        rerun_of: prepared.rerun_of,
        in_place: work.in_place.is_some(),
        now: ctx.now(),
    };
    let record = Record::new(beginning, prepared.machine.harness());
    let mut live = Live {
        token: prepared.chain.tokens().to_vec(),
        performer: Performer::new(&session, &tree, parent.as_ref(), work, prepared.chain, prepared.loaded, cancel)
            .offering(prepared.setup.toolbox.clone())
            .asking(&prepared.chosen, prepared.guard),
        agent,
        cancel,
        chosen: prepared.chosen,
        request: prepared.request,
        scribe: Scribe::new(log, &record, observer),
        branch,
        setup: prepared.setup,
        failed: Usage::default(),
        asked_at: None,
    };
    if let Some((variable, host)) = live.chosen.redirected() {
        let (variable, host) = (variable.to_owned(), host);
        live.scribe.observer.redirected(&variable, &host);
    }
    let mut course = Course::new(prepared.machine, record);
    course.run(&mut live)?;
    let mut outcome = live.outcome(course.record)?;
    outcome.allowed_signers = Some(allowed_signers);
    outcome.keys_created = keys_created;
    outcome.warnings = warnings;
    outcome.identity = Some(format!("{} <{}>", identity.name, identity.email));
    outcome.identity_is_fallback = identity_is_fallback;
    Ok(outcome)
}

/// Gives a tree what no commit has: repositories inside of the person's tree, and the folders that they share.
pub(super) fn furnish(
    tree: &mut OwnTree,
    session: &Session,
    repository: &Repository,
    dirty: &BTreeSet<String>,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<(), Error> {
    tree.take_repositories(session, dirty, cancel)?;
    let shared = share::share(session, repository, tree, cancel);
    shared.iter().for_each(|folder| observer.shared(folder));
    tree.set_shared(shared.into_iter().filter(|folder| folder.copied.is_ok()).map(|folder| folder.path).collect());
    Ok(())
}

/// Makes the thread's tree and notes what it begins with.
fn own_tree(
    session: &Session,
    repository: &Repository,
    prepared: &mut Prepared,
    base: Option<&CommitId>,
    begin: Begin,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<(OwnTree, Work), Error> {
    let mut tree = OwnTree::make(session, repository, &prepared.thread_id, base, cancel)?;
    let Begin { with_changes, in_place } = begin;
    let dirty = repository.dirty_paths()?;
    furnish(&mut tree, session, repository, &dirty, cancel, observer)?;
    if let Some(mut in_place) = in_place {
        tree.take_items(session)?;
        let mut changes = Changes::from_first(tree.take_first());
        in_place.refresh(&tree, &mut changes)?;
        return Ok((tree, Work { changes, in_place: Some(in_place) }));
    }
    if !with_changes {
        // What is below `.ai/` is there as it stands.
        let is_elsewhere =
            |path: &String| !path.starts_with(&format!("{SPACE_FOLDER}/")) && tree.foreign(path).is_none();
        let left_out = dirty.into_iter().filter(is_elsewhere).count();
        observer.left_out(left_out);
        tree.take_items(session)?;
        let first = tree.take_first();
        return Ok((tree, Work { changes: Changes::from_first(first), in_place: None }));
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
        prepared.machine.begin_with(EventData::ChangesTaken { paths });
    }
    // Items that git ignores count too.
    tree.take_items(session)?;
    changes.know(tree.take_first());
    Ok((tree, Work { changes, in_place: None }))
}

/// Takes whom git knows, or a placeholder: a thread must run in a fresh environment too.
fn identity(repository: &Repository) -> (Identity, bool) {
    match repository.committer() {
        Some(identity) => (identity, false),
        None => (Identity::new("rye", "rye@localhost"), true),
    }
}

impl Host for Live<'_> {
    type Error = Error;

    fn elapsed_ms(&mut self) -> u64 {
        self.performer.session.context().elapsed_ms()
    }

    fn stopped(&mut self, _: &Effect, _: &VecDeque<Effect>) -> Option<Input> {
        if let Some(cause) = self.cancel.cause() {
            return Some(Input::Cancel { cause: sentence(cause).to_owned() });
        }
        self.fault().map(|Fault { code, message }| Input::Fail { code: code.to_owned(), message })
    }

    fn fault(&mut self) -> Option<Fault> {
        self.performer.fault()
    }

    fn record(&mut self, what: EventData, turn: u32, directive: ItemId) -> Result<Event, Error> {
        self.scribe.record(what, Position { turn, directive }, self.performer.session.context())
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.scribe.settle()
    }

    fn count(&mut self, messages: Arc<Vec<Message>>, remaining: Duration) -> Result<Input, Error> {
        let mut request = self.request.clone();
        request.messages = Arc::unwrap_or_clone(messages);
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
        let mut request = self.request.clone();
        request.messages = Arc::unwrap_or_clone(question.messages);
        request.max_output_tokens = question.max_output_tokens;
        let Self { performer, chosen, scribe, cancel, failed, .. } = self;
        let Performer { session, guard, .. } = performer;
        let (session, cancel): (&Session, &CancelFlag) = (session, cancel);
        let (scribe, mut written) = (RefCell::new(scribe), Ok(()));
        let asking = Asking {
            session,
            cancel,
            remaining,
            again: &mut |attempt, why, wait| {
                if written.is_ok() {
                    let reason = guard.text(why.to_owned());
                    written = scribe.borrow_mut().retry(attempt, reason, wait, &position, session.context());
                }
            },
            failed,
            allowance: Some(&question.allowance),
            arriving: &mut |delta| scribe.borrow_mut().arriving(delta),
        };
        let answered = chosen.ask(request, asking);
        written?;
        let scribe = scribe.into_inner();
        Ok(match answered {
            Ok(answer) => {
                let now = session.context().elapsed_ms();
                let counted = self.asked_at.take().map(|harness| Tally::after(harness, answer.usage(), now));
                counted.iter().for_each(|tally| scribe.observer.counted(tally));
                Input::Answer(guard.answer(answer))
            }
            // Whatever it failed with, it was stopped.
            Err(_) if let Some(cause) = cancel.cause() => Input::Cancel { cause: sentence(cause).to_owned() },
            Err(failed) => {
                let reason = guard.text(with_causes(&failed));
                match chosen.fall_back(&failed, &reason) {
                    Some(replacement) => {
                        if let Some((variable, host)) = chosen.redirected() {
                            scribe.observer.redirected(variable, &host);
                        }
                        Input::FellBack(replacement)
                    }
                    None => {
                        let (code, message) = failed.told();
                        let message = guard.text(chosen.with_missing_fallbacks(message));
                        Input::ModelFailed { code: code.to_owned(), message }
                    }
                }
            }
        })
    }

    fn failed_attempts(&mut self) -> Usage {
        std::mem::take(&mut self.failed)
    }

    fn noted(&mut self) -> Vec<Event> {
        self.scribe.noted()
    }

    fn agrees(&mut self, described: &str, pattern: &Capability) -> Result<bool, Error> {
        Ok(self.scribe.observer.agrees(described, pattern))
    }

    fn runs_beside(&self, permitted: &Permitted) -> bool {
        self.performer.runs_beside(permitted)
    }

    fn perform(&mut self, calls: Vec<Call>, remaining: Duration) -> Result<Vec<Performed>, Error> {
        let observer = &mut *self.scribe.observer;
        self.performer.perform_all(calls, remaining, &mut |call_id, stage| observer.call(call_id, stage))
    }

    fn hook(
        &mut self,
        call_id: String,
        permitted: Permitted,
        remaining: Duration,
        _: &VecDeque<Effect>,
    ) -> Result<Performed, Error> {
        self.performer.perform(call_id, permitted, remaining)
    }

    fn look(&mut self) -> Result<Vec<SkippedPath>, Error> {
        self.performer.look()?;
        Ok(self.performer.changes.take_skipped())
    }

    fn commit(&mut self, record: &Record, step: Step<'_>) -> Result<(), Error> {
        step.transcript.iter().for_each(|whole| self.scribe.end(whole));
        let addition = Addition {
            turn: step.turn,
            events: step.events,
            files: self.performer.changes.take_files(),
            edits: Vec::new(),
            artifacts: std::mem::take(&mut self.performer.artifacts),
            first: step.is_first.then_some((self.token.as_slice(), &self.setup)),
            transcript: step.transcript,
            now: self.performer.session.context().now(),
        };
        self.branch.commit(record, addition, self.agent)
    }
}

impl Live<'_> {
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
