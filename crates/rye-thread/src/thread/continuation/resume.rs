//! Taking a thread up again: after its runner died at any point, or after an end that need not be one.
//!
//! The machine is derived from the record, as for a fork, and goes on from its last commit on the same branch. Data
//! received since is in the journal: an answer is not asked for again, and a call that ended is not made again. A call
//! that had begun and not ended is made again if it can have left nothing behind but files of the tree, which is made
//! anew; for any other the user decides, before anything is changed.
//!
//! Commit point: the move of the branch to its `resume:` commit. Killed before it, the thread is unchanged.

use std::path::PathBuf;
use std::time::Duration;

use super::bounds::Bounds;
use super::interruption::{self, Unfinished};
use super::reissue::{ceilings, reissue};
use super::restoration::{self, Past};
use crate::capability::{Token, TokenChain};
use crate::event::{Event, EventData, Stood, Then, UnfinishedCall};
use crate::extends::Chain;
use crate::git::{CommitId, Identity, Repository};
use crate::id::ThreadId;
use crate::item::{Directive, Limits};
use crate::machine::{Machine, Resumption, Terms, ending, lost_requests};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::{Error, ResumeError};
use crate::thread::model::Guard;
use crate::thread::model::provider::{self, Chosen};
use crate::thread::record::branch::name;
use crate::thread::record::{Branch, CallOf, Held, Journal, Log, Outcome, People, Received, Ref, Verb, archive};
use crate::thread::run::{Going, Ground, Observer, Ready, Wanted, Work, exclusions, go, request, script};
use crate::thread::tree::{Changes, InPlace, OwnTree, State, own_tree};

/// The plugin that answers from a script.
const SCRIPTED: &str = "scripted";

/// What to take up again, and how.
#[derive(Debug, Clone)]
pub struct ResumeOptions {
    /// The thread.
    pub thread_id: ThreadId,
    /// The file a scripted provider answers from.
    pub script: Option<PathBuf>,
    /// Limits in the place of those that counted before; the directive's hold all the same.
    pub limits: Limits,
    /// How long an outage of the model is waited for, instead of ten minutes.
    pub patience: Option<Duration>,
    /// What becomes of calls that had begun and not ended.
    pub unfinished: Unfinished,
}

/// A thread that is held and derived, with what its last runner left.
struct Found {
    held: Held,
    past: Past,
    received: Received,
    /// The events beyond the last commit.
    tail: Vec<Event>,
}

/// The decisions before any change.
struct Decided {
    chosen: Chosen,
    directives: Chain,
    resumption: Resumption,
    tokens: Option<Vec<Token>>,
    /// What becomes of the calls that had begun and not ended.
    unfinished: Vec<(CallOf, UnfinishedCall)>,
}

/// Takes a thread up again.
///
/// # Errors
///
/// Fails when the thread is unknown, when another process runs it, when it completed or would end again as it ended,
/// when a commit is not signed by the agent, when the record differs from the derived one, when the directive was
/// changed since, without a decision about an unfinished call, and as [`run`](crate::thread::run()).
pub fn resume(
    session: &Session,
    options: &ResumeOptions,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let (session, ready) = Ready::for_thread(session)?;
    let repository = &ready.repository;
    let Found { held, mut past, mut received, tail } = find(&session, repository, &options.thread_id)?;
    let decided = decide(&session, options, &past, &mut received, &tail, observer)?;
    restoration::accept_signed(&session, past.results().chain(received.results()));

    let segment = past.last();
    let (thread_id, base) = (segment.thread_id.clone(), segment.start.base.clone());
    let tip = past.commit_id.clone();
    let in_place = segment.start.in_place.then(|| InPlace::take(&session, &thread_id)).transpose()?;
    let kept = restoration::own_items(repository, base.as_ref(), &tip)?;
    // Until here whoever was asked about a call could look at what it did.
    own_tree::clear(repository, &thread_id)?;
    let is_late = || decided.resumption.remaining_ms(session.context().elapsed_ms()) == 0;
    let wanted = Wanted { cancel, is_late: &is_late };
    let (tree, mut changes) =
        restoration::own_tree(&session, repository, &thread_id, &past.ends(), &kept, wanted, observer)?;
    if tree.set_up() != past.last().start.set_up.as_deref() {
        return Err(Error::SetUpChanged { thread_id });
    }
    let in_place = in_place
        .map(|in_place| settle_in(in_place, repository, base.as_ref(), &tip, &received, &tree, &mut changes))
        .transpose()?;

    let unanswered = lost_requests::on_record(&segment.events).saturating_add(received.sent);
    let branch = branch(&session, repository, &past)?;
    let (journal, log) = reopen(&session, repository, held, &past, received, &tail, &decided.unfinished)?;
    let setup = past.segments.pop().expect("because a past is that of a thread").setup;
    let Decided { chosen, directives, resumption, tokens, .. } = decided;
    let (chain, mut course) = (resumption.chain.clone(), past.derived.course);
    course.resume(resumption)?;
    let going = Going {
        course,
        branch,
        log,
        journal,
        unanswered,
        tokens,
        setup: None,
        toolbox: setup.toolbox.clone(),
        guard: Guard::new(&session)?,
        chain,
        request: request(&setup, script(&session, options.script.as_deref(), &chosen)?),
        chosen: chosen.with_patience(options.patience),
        loaded: directives.links().map(exclusions).collect(),
        findings: Vec::new(),
    };
    let ground = Ground { tree, work: Work { changes, in_place }, parent: Some(tip) };
    go(session, ready, going, ground, cancel, observer)
}

/// Takes the lock of a thread and derives it. Unsigned data does not become a message: the journal is signed, and of
/// the log beyond the last commit only the names of calls are looked at.
fn find(session: &Session, repository: &Repository, thread_id: &ThreadId) -> Result<Found, Error> {
    let common_dir = repository.common_dir();
    let prefix = &session.context().config().threads.prefix;
    found(repository, prefix, thread_id)?;
    let held = Log::hold(common_dir, thread_id)?;
    // Its runner is dead, and no other process writes its branch.
    repository.release_ref(&name(prefix, thread_id));
    // Its former holder may have moved it.
    let commit_id = found(repository, prefix, thread_id)?.commit_id;
    let past = Past::read(session, repository, thread_id, commit_id, Verb::Resume)?;
    let received = Received::read(common_dir, thread_id, last_turn(&past), &session.project().agent()?.public())?;
    let tail = held.tail(past.last().events.len())?;
    Ok(Found { held, past, received, tail })
}

/// Finds the thread's ref.
fn found(repository: &Repository, prefix: &str, thread_id: &ThreadId) -> Result<Ref, Error> {
    let unknown = || Error::Unknown { name: thread_id.to_string(), suggestion: None };
    archive::find(repository, prefix, thread_id)?.ok_or_else(unknown)
}

/// Returns the commit of the last turn, of the start or of the end: that from which the machine goes on.
fn last_turn(past: &Past) -> &CommitId {
    let segment = past.last();
    let mut from = 0;
    let own = segment.commits.iter().filter(|commit| {
        let first = &segment.events[from];
        from = commit.upto;
        !matches!(first.what, EventData::ThreadResumed { .. })
    });
    own.last().map_or(&past.commit_id, |commit| &commit.commit_id)
}

/// Decides everything about how the thread goes on. Unfinished calls are asked about last.
fn decide(
    session: &Session,
    options: &ResumeOptions,
    past: &Past,
    received: &mut Received,
    tail: &[Event],
    observer: &mut dyn Observer,
) -> Result<Decided, Error> {
    let (segment, machine) = (past.last(), &past.derived.course.machine);
    let (ctx, thread_id) = (session.context(), &segment.thread_id);
    let after = stood(thread_id, &segment.events)?;
    let start = &segment.start;
    let directives = restoration::directives(session, start)?;
    let directive = directives.leaf().directive();
    let mut chosen = choose(session, options, past, received, directive)?;
    let rules = &ctx.config().limits;
    let limits = ceilings(directive, machine.harness().ceilings(), &options.limits, rules)?;
    chosen.take_currency(&limits, rules)?;
    let bounds = Bounds::new(thread_id, machine, &limits, &chosen.price, directive, rules)?;
    bounds.require_raised(after, &segment.events)?;
    let own_ms = used_ms(past, tail);
    let policy = session.project().policy()?;
    let tokens = reissue(session, past.derived.chain.tokens(), &limits)?;
    let chain = match &tokens {
        Some(chain) => chain.clone(),
        None => past.derived.chain.clone(),
    };
    let chain = chain.under(policy.clone());
    let terms = Terms {
        policy,
        limits: limits.clone(),
        price: chosen.price.clone(),
        max_output_tokens: chosen.max_output_tokens(),
        compaction: chosen.compaction(),
    };
    let (answered, retaken) = (received.answer.is_some(), machine.cut_off().next().is_some());
    let told = |unfinished| told(machine, &terms, &chain, received, after, own_ms, unfinished);
    let mut resumption = Resumption {
        event: told(Vec::new())?,
        chain: chain.clone(),
        ceilings: limits.clone(),
        price: terms.price.clone(),
        max_output_tokens: terms.max_output_tokens,
        compaction: terms.compaction,
        answered,
        summarized: received.summarized,
        retaken,
        now_ms: ctx.elapsed_ms(),
        used_ms: own_ms.saturating_add(inherited_ms(past)),
    };
    let shadowed = ctx.config().items.shadow_reserved;
    let open = interruption::open(&bounds, machine, &resumption, received, (&segment.events, tail), shadowed)?;
    let unfinished = interruption::decide(thread_id, &open, options.unfinished, observer)?;
    resumption.event = told(unfinished.iter().map(|(_, call)| call.clone()).collect())?;
    let tokens = tokens.map(|chain| chain.tokens().to_vec());
    Ok(Decided { chosen, directives, resumption, tokens, unfinished })
}

/// Chooses who answers: the provider and the model that answered last. A fallback may have taken over since the start.
fn choose(
    session: &Session,
    options: &ResumeOptions,
    past: &Past,
    received: &Received,
    directive: &Directive,
) -> Result<Chosen, Error> {
    let (course, declared) = (&past.derived.course, directive.wanted_model());
    let now = course.record();
    let mut chosen = provider::choose(session, Some(&now.provider), Some(&now.model), Some(&declared))?;
    if chosen.document.plugin == SCRIPTED && options.script.is_none() {
        return Err(ResumeError::NoScript { thread_id: past.last().thread_id.clone() }.into());
    }
    chosen.resume(course.machine.provider_state().clone());
    chosen.leave_out(&left_out(&past.last().events));
    received.fell_back.iter().try_for_each(|(to, _)| chosen.require_fallback(to))?;
    Ok(chosen)
}

/// Returns the fields that the model's server does not know, by what the record tells since it answers.
fn left_out(events: &[Event]) -> Vec<String> {
    let since = events.iter().rposition(|event| matches!(event.what, EventData::Fallback { .. })).unwrap_or_default();
    let fields = events[since..].iter().filter_map(|event| match &event.what {
        EventData::Retry { without, .. } => Some(without.clone()),
        _ => None,
    });
    fields.flatten().collect()
}

/// Tells of the resumption, as the record has it.
fn told(
    machine: &Machine,
    terms: &Terms,
    chain: &TokenChain,
    received: &Received,
    after: Stood,
    used_ms: u64,
    unfinished: Vec<UnfinishedCall>,
) -> Result<EventData, Error> {
    Ok(EventData::ThreadResumed {
        after,
        turn: machine.last_number(),
        limits: terms.limits_as_text(),
        token: chain.tokens().last().map(|leaf| leaf.sha256().to_string()).unwrap_or_default(),
        used_ms,
        answered: received.answer.is_some(),
        retaken: machine.cut_off().next().is_some(),
        summarized: received.summarized,
        unanswered: received.sent,
        unfinished,
        terms: Box::new(serde_json::to_value(terms).map_err(Error::Encode)?),
    })
}

/// Tells the state of the thread.
///
/// # Errors
///
/// Fails when it completed, and when it ended in a way that it would end in again.
fn stood(thread_id: &ThreadId, events: &[Event]) -> Result<Stood, Error> {
    let thread_id = || thread_id.clone();
    match events.last().map(|event| &event.what) {
        Some(EventData::ThreadComplete { .. }) => Err(ResumeError::Completed { thread_id: thread_id() }.into()),
        Some(EventData::ThreadCancelled { .. }) => Ok(Stood::Cancelled),
        Some(EventData::ThreadError { code, .. }) if code == ending::LIMIT => Ok(Stood::Limit),
        Some(EventData::ThreadError { code, .. }) if ending::is_of_provider(code) => Ok(Stood::Provider),
        Some(EventData::ThreadError { code, .. }) if code == ending::CONTEXT => Ok(Stood::Context),
        Some(EventData::ThreadError { code, .. }) if code == ending::MAX_TOKENS => Ok(Stood::MaxTokens),
        Some(EventData::ThreadError { code, .. }) if ending::TREE.contains(&code.as_str()) => Ok(Stood::Tree),
        Some(EventData::ThreadError { code, .. }) => {
            Err(ResumeError::NotResumable { thread_id: thread_id(), code: code.clone() }.into())
        }
        Some(_) | None => Ok(Stood::Interrupted),
    }
}

/// Returns for how many milliseconds the thread itself ran, up to the last event that its runner wrote.
fn used_ms(past: &Past, tail: &[Event]) -> u64 {
    let segment = past.last();
    let events: Vec<Event> = segment.events.iter().chain(tail).cloned().collect();
    restoration::ran_ms(segment.start.started_at, &events)
}

/// Returns for how many milliseconds the threads ran that it continues.
fn inherited_ms(past: &Past) -> u64 {
    let before = past.segments.iter().rev().skip(1);
    before.map(|before| restoration::ran_ms(before.start.started_at, &before.events)).sum()
}

/// Gives a thread that works in its person's tree what it left there, and what its person changed since.
fn settle_in(
    mut in_place: InPlace,
    repository: &Repository,
    base: Option<&CommitId>,
    tip: &CommitId,
    received: &Received,
    tree: &OwnTree,
    changes: &mut Changes,
) -> Result<InPlace, Error> {
    in_place.take_up(repository, base, tip)?;
    for (path, file) in &received.files {
        let written = file.bytes().map(|bytes| changes.written(path, bytes, file.executable)).transpose()?;
        // A file that cannot be converted was not brought over either.
        match written {
            Some(Some(change)) => in_place.left(path.clone(), change.state()),
            Some(None) => {}
            None => in_place.left(path.clone(), State::Removed),
        }
    }
    in_place.refresh(tree, changes)?;
    Ok(in_place)
}

/// Takes up the branch, which names whom it named from the beginning. One in the archive comes back.
fn branch(session: &Session, repository: &Repository, past: &Past) -> Result<Branch, Error> {
    let segment = past.last();
    let prefix = &session.context().config().threads.prefix;
    let found = found(repository, prefix, &segment.thread_id)?;
    let name = name(prefix, &segment.thread_id);
    let committer = segment.commits[0].info.committer.identity.clone();
    if found.name != name {
        let now = committer.at(session.context().now().seconds());
        repository.rename_branch(&found.name, &name, &found.commit_id, &now)?;
    }
    let people = People { author: Identity::new(&segment.start.model, &committer.email), committer };
    Branch::existing(repository.clone(), name, segment.thread_id.clone(), past.commit_id.clone(), people)
}

/// Opens journal and log. The log's facts about calls are in the journal before the log is cut behind the last commit.
fn reopen(
    session: &Session,
    repository: &Repository,
    held: Held,
    past: &Past,
    received: Received,
    tail: &[Event],
    unfinished: &[(CallOf, UnfinishedCall)],
) -> Result<(Journal, Log), Error> {
    let (segment, agent) = (past.last(), session.project().agent()?);
    let (common_dir, thread_id) = (repository.common_dir(), &segment.thread_id);
    let begun = interruption::begun(&received, tail, &past.derived.course.machine);
    let mut journal = Journal::open(common_dir, thread_id, Some(last_turn(past).clone()), received)?;
    for (id, call) in begun {
        journal.begun(&id, &call, agent)?;
    }
    for (id, _) in unfinished.iter().filter(|(_, call)| call.then == Then::Fail) {
        journal.given_up(id, agent)?;
    }
    journal.flush()?;
    let log = held.reopen(&segment.events)?;
    Ok((journal, log))
}
