//! The beginning of a thread: what has to be there, its log, its tree, and what it begins with.

use std::collections::BTreeSet;

use super::course::Course;
use super::driver::{Going, Ground, go};
use super::observer::Observer;
use super::performer::Work;
use super::preparation::{Prepared, RunOptions, prepare};
use super::prerequisites::Ready;
use super::set_up;
use crate::event::EventData;
use crate::execute::{self, NewTree, SetUpBase};
use crate::git::{self, CommitId, Head, Identity, Repository};
use crate::id::{SPACE_FOLDER, ThreadId};
use crate::keys::{KeyName, KeyStore};
use crate::process::CancelFlag;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Beginning, Branch, Journal, Log, Outcome, People, Record, branch, log};
use crate::thread::tree::own_tree::may_take;
use crate::thread::tree::{Changes, InPlace, OwnTree, Taken, runner};

/// How a thread begins.
struct Begin {
    /// With its person's uncommitted changes.
    with_changes: bool,
    /// In its person's own tree.
    in_place: Option<InPlace>,
}

/// Where a thread works, and what it begins at.
pub(in crate::thread) struct Place {
    pub(in crate::thread) tree: OwnTree,
    pub(in crate::thread) work: Work,
    /// The commit that the person ran it from.
    pub(in crate::thread) base: Option<CommitId>,
    /// The commit that its branch begins at, and that its tree was made of.
    pub(in crate::thread) parent: Option<CommitId>,
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
    let session = session.for_thread();
    session.project().root()?;
    let is_without_agent = KeyStore::new(session.context())?.missing().contains(&KeyName::Agent);
    let base = match session.project().require_repository()?.head()? {
        Head::Unborn { .. } => None,
        head => head.commit_id().cloned(),
    };
    let options = RunOptions { words_of: options.words_of.clone().or_else(|| base.clone()), ..options.clone() };
    let mut prepared = prepare(&session, &options)?;
    let ready = Ready::new(&session, is_without_agent)?;
    let repository = &ready.repository;
    let in_place = options.in_place.then(|| InPlace::take(&session, &prepared.thread_id)).transpose()?;
    let log = ready.begin(&session, &prepared)?;
    let thread_id = prepared.thread_id.clone();
    let begin = Begin { with_changes: options.with_changes, in_place };
    let made = own_tree(&session, repository, &mut prepared, base.as_ref(), begin, cancel, observer);
    // A thread that never began leaves nothing; the first failure is the better answer.
    let (tree, work) = made.inspect_err(|_| drop(log::remove(repository.common_dir(), &thread_id)))?;
    let place = Place { tree, work, parent: base.clone(), base };
    drive(session, ready, prepared, log, place, cancel, observer)
}

/// Drives a thread that is ready to its end.
pub(in crate::thread) fn drive(
    session: Session,
    ready: Ready,
    prepared: Prepared,
    log: Log,
    place: Place,
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<Outcome, Error> {
    let Place { tree, work, base, parent } = place;
    let (ctx, repository, identity) = (session.context(), &ready.repository, &ready.identity);
    let name = branch::name(&ctx.config().threads.prefix, &prepared.thread_id);
    let author = Identity::new(&prepared.chosen.model, &identity.email);
    let people = People { author, committer: identity.clone() };
    let branch = Branch::new(repository.clone(), name, prepared.thread_id.clone(), parent.clone(), people)?;
    let journal = Journal::create(repository.common_dir(), &prepared.thread_id)?;
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
        set_up: tree.set_up().map(str::to_owned),
        now: ctx.now(),
    };
    let record = Record::new(beginning, prepared.machine.harness());
    let going = Going {
        unanswered: 0,
        course: Course::new(prepared.machine, record),
        branch,
        log,
        journal,
        tokens: Some(prepared.chain.tokens().to_vec()),
        toolbox: prepared.setup.toolbox.clone(),
        setup: Some(prepared.setup),
        chain: prepared.chain,
        chosen: prepared.chosen,
        guard: prepared.guard,
        request: prepared.request,
        loaded: prepared.loaded,
        findings: prepared.findings,
    };
    go(session, ready, going, Ground { tree, work, parent }, cancel, observer)
}

/// Why a tree is not made any more: the user stopped the thread, or its time is over.
#[derive(Clone, Copy)]
pub(in crate::thread) struct Wanted<'a> {
    pub(in crate::thread) cancel: &'a CancelFlag,
    pub(in crate::thread) is_late: &'a (dyn Fn() -> bool + Sync),
}

/// Makes a thread's tree while it is wanted: that counts as time of the thread.
pub(in crate::thread) fn make_tree(
    session: &Session,
    repository: &Repository,
    thread_id: &ThreadId,
    base: Option<&CommitId>,
    wanted: Wanted<'_>,
) -> Result<OwnTree, Error> {
    let Wanted { cancel, is_late } = wanted;
    let is_over = || cancel.is_set() || is_late();
    match OwnTree::make(session, repository, thread_id, base, &is_over) {
        // A tree that was left half way looks like one whose files were removed.
        Ok(_) | Err(Error::Git(git::Error::Tree { .. })) if !cancel.is_set() && is_late() => Err(Error::Late),
        made => made,
    }
}

/// Gives a tree what no commit has: the folders that a set-up makes from its base, repositories inside of the person's tree, and the folders
/// that the person shares.
pub(in crate::thread) fn furnish(
    tree: &mut OwnTree,
    session: &Session,
    repository: &Repository,
    (base, dirty): (SetUpBase<'_>, &BTreeSet<String>),
    cancel: &CancelFlag,
    observer: &mut dyn Observer,
) -> Result<(), Error> {
    if session.project().proposes_another_tree()? {
        observer.tree_proposed();
    }
    // A set-up sees files of the base alone.
    let mut furnished = set_up::make(tree, session, base, cancel, observer)?;
    tree.take_repositories(session, dirty, cancel)?;
    let new = NewTree { linked: tree.linked(), files: tree.project() };
    let shared = execute::share(session, repository, new, &mut furnished, cancel);
    shared.iter().for_each(|folder| observer.shared(folder));
    tree.set_shared(furnished.iter().map(|folder| folder.path.clone()).collect());
    session.project().note_furnished(furnished);
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
    let is_late = || prepared.machine.harness().remaining_ms(session.context().elapsed_ms()) == 0;
    let mut tree = make_tree(session, repository, &prepared.thread_id, base, Wanted { cancel, is_late: &is_late })?;
    let Begin { with_changes, in_place } = begin;
    let dirty = repository.dirty_paths()?;
    let set_up = SetUpBase { commit_id: base, is_checked_out: true };
    furnish(&mut tree, session, repository, (set_up, &dirty), cancel, observer)?;
    let run = runner(session, repository, cancel);
    let cleaner = if with_changes { repository.cleaner_now(&dirty, run)? } else { tree.linked().cleaner(base, run)? };
    let mut changes = Changes::new(cleaner);
    if let Some(mut in_place) = in_place {
        tree.take_items(session, &mut |path, found| changes.know(path, found))?;
        in_place.refresh(&tree, &mut changes)?;
        return Ok((tree, Work { changes, in_place: Some(in_place) }));
    }
    if !with_changes {
        // Files below `.ai/` are as the person has them.
        let is_elsewhere = |path: &str| !path.starts_with(&format!("{SPACE_FOLDER}/")) && tree.foreign(path).is_none();
        let root = session.project().root()?;
        let left_out = dirty.iter().filter(|path| is_elsewhere(path) && may_take(root, path));
        observer.left_out(left_out.count());
        tree.take_items(session, &mut |path, found| changes.know(path, found))?;
        return Ok((tree, Work { changes, in_place: None }));
    }
    let Taken { paths, left_out } = tree.take_changes(session, &dirty)?;
    left_out.into_iter().for_each(|(path, reason)| changes.skip(&path, reason));
    // With any permissions of the directive: this is its person's work, and the thread's first commit.
    changes.look(&tree, base, None)?;
    changes.take_staged(&tree, &paths)?;
    // The others join the committed ones.
    let paths: Vec<String> = paths.into_iter().filter(|path| changes.is_taken(path)).collect();
    if !paths.is_empty() {
        prepared.machine.begin_with(EventData::ChangesTaken { paths });
    }
    // Items that git ignores count too.
    tree.take_items(session, &mut |path, found| changes.know(path, found))?;
    Ok((tree, Work { changes, in_place: None }))
}
