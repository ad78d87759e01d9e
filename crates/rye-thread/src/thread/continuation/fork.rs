//! Continuing a thread from one of its turns, as a new thread.
//!
//! The past for the model is derived from the record, and only from commits that the agent signed: the machine is
//! driven through the recorded answers and results, and goes on from there. Permissions only narrow: the tokens of the
//! old thread are issued again for the new one, behind them what the directive is granted today.
//!
//! Commit point: the creation of the new branch with its first commit. Killed before it, no thread is there.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;

use super::restoration::{self, Past};
use crate::capability::TokenChain;
use crate::event::{AskedModel, CallStatus, ModelChoice};
use crate::extends::Chain;
use crate::git::CommitId;
use crate::id::{ItemId, ThreadId};
use crate::item::Limits;
use crate::machine::harness::Ceilings;
use crate::machine::{Fork, Origin, SetupRecord};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::model::Guard;
use crate::thread::model::provider::{self, Chosen};
use crate::thread::record::{Content, ForkedFrom, History, Outcome, Record, RecordedCommit, Verb, log};
use crate::thread::replay::Segment;
use crate::thread::run::{
    Declared, Observer, Place, Prepared, Ready, Wanted, Work, asked, drive, exclusions, mint, request, script,
};

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
    /// How long an outage of the model is waited for, instead of ten minutes.
    pub patience: Option<Duration>,
}

/// Continues a thread from one of its turns.
///
/// # Errors
///
/// Fails when the thread or turn is unknown, when a commit up to it is not signed by the agent, when the record differs
/// from the derived one, when the directive was changed since, and as [`run`](crate::thread::run()).
pub fn fork(
    session: &Session,
    options: &ForkOptions,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let (session, ready) = Ready::for_thread(session)?;
    let repository = &ready.repository;
    let commit_id = turn_commit(&History::read(&session, &options.thread_id)?, options.turn)?;
    let past = Past::read(&session, repository, &options.thread_id, commit_id, Verb::Fork)?;
    let (base, parent, ends) = (past.last().start.base.clone(), past.commit_id.clone(), past.ends());
    let kept = restoration::own_items(repository, base.as_ref(), &parent)?;
    restoration::accept_signed(&session, past.results());
    let prepared = prepare(&session, options, past)?;
    let log = ready.begin(&session, &prepared)?;
    let is_late = || prepared.machine.harness().remaining_ms(session.context().elapsed_ms()) == 0;
    let wanted = Wanted { cancel, is_late: &is_late };
    let made = restoration::own_tree(&session, repository, &prepared.thread_id, &ends, &kept, wanted, observer);
    let (tree, changes) = made.inspect_err(|_| drop(log::remove(repository.common_dir(), &prepared.thread_id)))?;
    let work = Work { changes, in_place: None };
    let place = Place { tree, work, base, parent: Some(parent) };
    drive(session, ready, prepared, log, place, cancel, observer)
}

/// Returns the commits of turns from which a thread can be continued, the oldest first. The end of a thread is not a
/// turn.
pub(in crate::thread) fn forkable(history: &History) -> Vec<&RecordedCommit> {
    let is_end = |place: usize| {
        let turn = history.turns.iter().find(|turn| turn.commit == Some(place));
        let last = turn.and_then(|turn| turn.lines.last()).map(|line| &line.content);
        matches!(last, Some(Content::Event(event)) if event.what.is_terminal())
    };
    let commits = history.commits.iter().enumerate();
    commits.filter(|(place, _)| !is_end(*place)).map(|(_, commit)| commit).collect()
}

/// Tells from what the provider of steps keeps whether it has done all of them. It passes over the rest of a step that has failed.
pub(in crate::thread) fn is_through(state: &Value, steps: usize, has_failed: bool) -> bool {
    let number = |name: &str| state.get(name).and_then(Value::as_u64);
    let is_in_step = has_failed && number("made").is_some_and(|made| made > 0);
    number("next_step").is_some_and(|next| next + u64::from(is_in_step) >= steps as u64)
}

/// Returns the commit of a turn.
fn turn_commit(history: &History, turn: u32) -> Result<CommitId, Error> {
    let turns = forkable(history);
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
    let has_failed = past.results().last().is_some_and(|(status, _)| status != CallStatus::Ok);
    let Past { mut segments, derived, commit_id } = past;
    let Segment { thread_id: old, start, setup, .. } = segments.pop().expect("because a past is that of a thread");
    let start = Record {
        provider: derived.course.record().provider.clone(),
        model: derived.course.record().model.clone(),
        ..start
    };
    let directives = restoration::directives(session, &start)?;
    let directive = directives.leaf().directive();
    let mut chosen = choose(session, options, &start, &directives)?;
    let mut derived = derived;
    let state = derived.course.machine.provider_state();
    if chosen.follows_steps() && is_through(state, directive.steps.len(), has_failed) {
        return Err(Error::NoStepLeft { thread_id: old, turn: options.turn });
    }
    if chosen.id == start.provider && chosen.model == start.model {
        chosen.resume(derived.course.machine.provider_state().clone());
    } else {
        derived.course.machine.forget_states();
    }
    let ctx = session.context();
    let rules = &session.context().config().limits;
    let limits = asked(&options.limits, setup.granted.as_ref());
    let ceilings = Ceilings::new(&directive.limits, directive.cost.as_ref(), &limits, rules)?;
    chosen.take_currency(&ceilings, rules)?;
    let thread_id = ThreadId::new(&directive.name, ctx.now(), ctx.random()?);
    let (inherited, declared) = (derived.chain.tokens(), Declared::new(&directives, setup.granted.as_ref()));
    let chain = mint(session, &thread_id, inherited, &declared, None, &ceilings, session.project().agent()?)?;
    let asked = AskedModel::new(&directive.wanted_model(), options.model.as_deref(), options.provider.as_ref());
    let setup = renewed(setup, &chain, &ceilings, &chosen, asked);
    let turn = derived.course.machine.harness().number();
    let machine = derived.course.machine.forked(Fork {
        origin: Origin { thread_id: old.clone(), turn, commit_id: commit_id.to_string() },
        chain: chain.clone(),
        ceilings,
        price: chosen.price.clone(),
        max_output_tokens: setup.max_output_tokens,
        compaction: setup.compaction,
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
        chosen: chosen.with_patience(options.patience),
        guard: Guard::new(session)?,
        loaded: directives.links().map(exclusions).collect(),
        findings: Vec::new(),
    })
}

/// Returns what the new thread's machine is made of: what counts now in the place of what counted for the old one.
fn renewed(
    mut setup: SetupRecord,
    chain: &TokenChain,
    ceilings: &Ceilings,
    chosen: &Chosen,
    asked: AskedModel,
) -> SetupRecord {
    setup.policy = chain.policy().clone();
    setup.limits = ceilings.clone();
    setup.price = chosen.price.clone();
    setup.max_output_tokens = chosen.max_output_tokens();
    setup.compaction = chosen.compaction();
    setup.model = Some(ModelChoice { asked, provider: chosen.id.clone(), model: chosen.model.clone() });
    setup
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
            Err(Error::NoPrice { .. } | Error::NoModel { .. } | Error::UnknownProvider { .. }) => {
                choose(None, Some(model))
            }
            chosen => chosen,
        },
    }
}
