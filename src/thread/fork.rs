//! Continuing a thread from one of its turns, as a new thread.
//!
//! What the model is told of the past is derived from the record, and only from commits that the agent signed: the machine
//! is driven through the recorded answers and results, and goes on from there. Permissions only narrow: the tokens of the
//! old thread are issued again for the new one, behind them what the directive is granted today.
//!
//! Commit point: the creation of the new branch with its first commit. Killed before it, no thread is there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::Value;

use super::changes::Changes;
use super::driver::{Place, Ready, drive, furnish};
use super::error::Error;
use super::guard::Guard;
use super::harness::Ceilings;
use super::history::History;
use super::log;
use super::machine::{Fork, Origin};
use super::observer::Observer;
use super::perform::{Work, exclusions};
use super::prepare::{Prepared, mint, request, script};
use super::provider::{self, Chosen};
use super::record::{ForkedFrom, Outcome, Record, Status};
use super::replay::{Depth, Derived, Segment, Stop, Whose, derive, judge, lineage, segments};
use super::tree::OwnTree;
use crate::capability::ProjectPath;
use crate::event::{CallStatus, EventData};
use crate::format::Profile;
use crate::git::{CommitId, Repository};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, ThreadId};
use crate::item::Limits;
use crate::ops::extends::{self, Chain};
use crate::ops::locate::{Purpose, subject_at};
use crate::process::CancelFlag;
use crate::session::Session;

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// What to continue, and how.
#[derive(Debug, Clone)]
pub struct ForkOptions {
    /// The thread.
    pub thread_id: ThreadId,
    /// The turn after which to go on; 0 is the start.
    pub turn: u32,
    /// The provider document, instead of the thread's.
    pub provider: Option<ItemId>,
    /// The model, instead of the thread's.
    pub model: Option<String>,
    /// The file a scripted provider answers from.
    pub script: Option<PathBuf>,
    /// Limits that only narrow the directive's.
    pub limits: Limits,
}

/// A thread as it was at one of its turns.
struct Past {
    segments: Vec<Segment>,
    derived: Derived,
    commit_id: CommitId,
}

/// Continues a thread from one of its turns.
///
/// # Errors
///
/// Fails when there is no such thread or turn, when a commit up to it is not signed by the agent, when the record is not what
/// is derived of it, when the directive was changed since, and as [`run`](super::run).
pub fn fork(
    session: &Session,
    options: &ForkOptions,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let session = session.for_thread();
    session.project_root()?;
    let ready = Ready::new(&session)?;
    let repository = &ready.repository;
    let past = past(&session, repository, options)?;
    let (base, parent) = (past.last().start.base.clone(), past.commit_id.clone());
    let kept = own_items(repository, base.as_ref(), &parent)?;
    accept_signed(&session, &past.segments);
    let prepared = prepare(&session, options, past)?;
    let log = ready.begin(&session, &prepared)?;
    let made = own_tree(&session, repository, &prepared.thread_id, &parent, &kept, cancel, observer);
    let (tree, changes) = made.inspect_err(|_| drop(log::remove(repository.common_dir(), &prepared.thread_id)))?;
    let work = Work { changes, in_place: None };
    let place = Place { tree, work, base, parent: Some(parent) };
    drive(session, ready, prepared, log, place, cancel, observer)
}

impl Past {
    fn last(&self) -> &Segment {
        self.segments.last().expect("because a past is that of a thread")
    }

    /// Returns for how many milliseconds the thread ran, with those that it continues.
    fn used_ms(&self) -> u64 {
        let ran = |segment: &Segment| {
            let last = segment.events.last().map_or(segment.start.started_at, |event| event.time);
            last.milliseconds().saturating_sub(segment.start.started_at.milliseconds())
        };
        self.segments.iter().map(ran).filter_map(|ran| u64::try_from(ran).ok()).sum()
    }
}

/// Derives a thread up to the turn, after every commit up to it was found to be the agent's.
fn past(session: &Session, repository: &Repository, options: &ForkOptions) -> Result<Past, Error> {
    let ForkOptions { thread_id, turn, .. } = options;
    let commit_id = turn_commit(&History::read(session, thread_id)?, *turn)?;
    let histories = lineage(repository, thread_id, &commit_id)?;
    if let Some(bad) = judge(session, &histories, Whose::Agent)?.into_iter().next() {
        return Err(Error::Commit { thread_id: bad.thread_id, commit_id: bad.commit_id, source: bad.fault });
    }
    let segments = segments(repository, histories);
    let derived = segments.and_then(|segments| {
        let derived = derive(repository, &segments, Depth::Events, &mut 0)?;
        Ok((segments, derived))
    });
    match derived {
        Ok((segments, derived)) => Ok(Past { segments, derived, commit_id }),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Different(difference)) => {
            Err(Error::Derived { thread_id: difference.thread_id, message: difference.message })
        }
        Err(Stop::Over) => Err(Error::NoTurns { thread_id: thread_id.clone() }),
    }
}

/// Returns the commit of a turn. The end of a thread is no turn.
fn turn_commit(history: &History, turn: u32) -> Result<CommitId, Error> {
    let ended = match history.record.status {
        Status::Completed | Status::Error | Status::Cancelled => 1,
        Status::Running | Status::Interrupted => 0,
    };
    let turns = &history.commits[..history.commits.len().saturating_sub(ended)];
    if let Some(commit) = turns.iter().find(|commit| commit.turn == Some(turn)) {
        return Ok(commit.commit_id.clone());
    }
    let thread_id = history.record.thread_id.clone();
    let mut numbers = turns.iter().filter_map(|commit| commit.turn);
    match (numbers.next(), turns.last().and_then(|last| last.turn)) {
        (Some(first), Some(last)) => Err(Error::NoTurn { thread_id, turn, first, last }),
        _ => Err(Error::NoTurns { thread_id }),
    }
}

/// Decides everything about the new thread. The directive must be the very one that the old thread ran.
fn prepare(session: &Session, options: &ForkOptions, past: Past) -> Result<Prepared, Error> {
    let used_ms = past.used_ms();
    let Past { mut segments, derived, commit_id } = past;
    let Segment { thread_id: old, start, setup, .. } = segments.pop().expect("because a past is that of a thread");
    let start = Record { provider: derived.record.provider.clone(), model: derived.record.model.clone(), ..start };
    let directives = directives(session, &start)?;
    let directive = directives.leaf().directive();
    let mut chosen = choose(session, options, &start, &directives)?;
    let mut derived = derived;
    if chosen.id == start.provider && chosen.model == start.model {
        chosen.resume(derived.machine.provider_state().clone());
    } else {
        derived.machine.forget_states();
    }
    let ctx = session.context();
    let rules = &session.context().config().limits;
    let ceilings = Ceilings::new(&directive.limits, directive.cost.as_ref(), &options.limits, rules)?;
    chosen.take_currency(&ceilings, rules)?;
    let thread_id = ThreadId::new(&directive.name, ctx.now(), ctx.random()?);
    let inherited = derived.chain.tokens();
    let chain = mint(session, &thread_id, inherited, &directives, None, &ceilings, session.agent()?)?;
    let mut setup = setup;
    setup.policy = chain.policy().clone();
    setup.limits = ceilings.clone();
    setup.price = chosen.price.clone();
    setup.max_output_tokens = chosen.max_output_tokens();
    let turn = derived.machine.harness().turns();
    let machine = derived.machine.forked(Fork {
        origin: Origin { thread_id: old.clone(), turn, commit_id: commit_id.to_string() },
        chain: chain.clone(),
        ceilings,
        price: chosen.price.clone(),
        max_output_tokens: setup.max_output_tokens,
        now_ms: ctx.elapsed_ms(),
        used_ms,
    })?;
    Ok(Prepared {
        thread_id,
        directive: start.directive,
        inputs: start.inputs,
        request: request(&setup, script(session, options.script.as_deref(), &chosen)?),
        machine,
        chain,
        setup,
        forked_from: Some(ForkedFrom { thread_id: old, turn, commit_id }),
        rerun_of: None,
        chosen,
        guard: Guard::new(session)?,
        loaded: directives.links().map(exclusions).collect(),
        findings: Vec::new(),
    })
}

/// Verifies the directive as it is today: it must be the recorded one, byte for byte.
fn directives(session: &Session, start: &Record) -> Result<Chain, Error> {
    let located = session.locate(ItemType::Directive, &start.directive.id, None, Purpose::Use)?;
    let verified = session.verified(located, Profile::Thread)?;
    if verified.content().sha256 != start.directive.sha256 {
        let (directive, thread_id) = (start.directive.id.clone(), start.thread_id.clone());
        return Err(Error::DirectiveChanged { directive, thread_id });
    }
    let directives = extends::resolve(session, verified)?;
    directives.require_offered()?;
    Ok(directives)
}

/// Chooses who answers: the old thread's provider and model, as far as no other is asked for.
fn choose(session: &Session, options: &ForkOptions, start: &Record, directives: &Chain) -> Result<Chosen, Error> {
    let declared = directives.leaf().directive().wanted_model();
    let choose = |provider, model| provider::choose(session, provider, model, Some(&declared));
    let same = &start.provider;
    match (options.provider.as_ref(), options.model.as_deref()) {
        (None, None) => choose(Some(same), Some(&start.model)),
        (Some(provider), None) if provider == same => choose(Some(same), Some(&start.model)),
        (Some(provider), model) => choose(Some(provider), model),
        (None, Some(model)) => match choose(Some(same), Some(model)) {
            Err(Error::NoPrice { .. } | Error::NoProvider { .. }) => choose(None, Some(model)),
            chosen => chosen,
        },
    }
}

/// Returns the paths of items that the thread changed: these are the fork's too, whatever the person has in their place.
fn own_items(repository: &Repository, base: Option<&CommitId>, tip: &CommitId) -> Result<BTreeSet<ProjectPath>, Error> {
    let from: Vec<CommitId> = base.into_iter().cloned().collect();
    let changes = repository.changes_below(&from, tip, SPACE_FOLDER, MOST_ENTRIES)?;
    let is_item = |path: &str| {
        ItemType::ALL.iter().any(|item_type| path.starts_with(&format!("{SPACE_FOLDER}/{}/", item_type.folder())))
    };
    Ok(changes
        .into_iter()
        .filter(|change| is_item(&change.path))
        .filter_map(|change| change.path.parse().ok())
        .collect())
}

/// Lets the items count that the agent signed in the thread so far.
fn accept_signed(session: &Session, segments: &[Segment]) {
    for event in segments.iter().flat_map(|segment| &segment.events) {
        let EventData::ToolCallResult { status: CallStatus::Ok, output, .. } = &event.what else { continue };
        for item in output["items"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            // The path may be that of a tree that is gone.
            let inner = |path: String| path.rsplit_once(&format!("{SPACE_FOLDER}/")).map(|(_, inner)| inner.to_owned());
            let path = text(&item["path"]).and_then(inner).map(|inner| format!("{SPACE_FOLDER}/{inner}"));
            let subject = path.and_then(|path| subject_at(&path));
            let hash = text(&item["signature"]["hash"]).and_then(|hash| hash.parse().ok());
            if let (Some(subject), Some(hash)) = (subject, hash) {
                session.accept_from_agent(subject, hash);
            }
        }
    }
}

/// Makes the tree of the turn's commit, with the items of the person's and those of the thread on top.
fn own_tree(
    session: &Session,
    repository: &Repository,
    thread_id: &ThreadId,
    parent: &CommitId,
    kept: &BTreeSet<ProjectPath>,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<(OwnTree, Changes), Error> {
    let mut tree = OwnTree::make(session, repository, thread_id, Some(parent), cancel)?;
    furnish(&mut tree, session, repository, &repository.dirty_paths()?, cancel, observer)?;
    tree.take_items_but(session, kept)?;
    let first = tree.take_first();
    Ok((tree, Changes::from_first(first)))
}
