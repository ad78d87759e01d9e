//! What a thread is that goes on: derived from its record, which the agent signed, and its tree made again.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::capability::ProjectPath;
use crate::event::{CallStatus, Event, EventData};
use crate::execute::SetUpBase;
use crate::extends::{self, Chain};
use crate::format::Profile;
use crate::git::{CommitId, Repository};
use crate::id::{ItemType, SPACE_FOLDER, ThreadId, Timestamp};
use crate::locate::{Purpose, subject_at};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Record, Verb};
use crate::thread::replay::{Depth, Derived, Segment, derived, judge, lineage};
use crate::thread::run::{Observer, Wanted, furnish, is_to_be_made, make_set_up, make_tree};
use crate::thread::tree::{Changes, OwnTree, runner};

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// A thread as it was at one of its commits, behind those that it continues.
pub(super) struct Past {
    pub(in crate::thread) segments: Vec<Segment>,
    pub(in crate::thread) derived: Derived,
    pub(in crate::thread) commit_id: CommitId,
}

impl Past {
    /// Derives a thread up to a commit, after every commit up to it was found to be the agent's.
    ///
    /// # Errors
    ///
    /// Fails when a commit is not signed by the agent, and when the record differs from the derived one.
    pub(in crate::thread) fn read(
        session: &Session,
        repository: &Repository,
        thread_id: &ThreadId,
        commit_id: CommitId,
        verb: Verb,
    ) -> Result<Self, Error> {
        let histories = lineage(repository, thread_id, &commit_id)?;
        if let Some(bad) = judge(session, &histories, verb).into_iter().next() {
            return Err(Error::of_commit(&bad.thread_id.into(), bad.commit_id, bad.fault));
        }
        let (segments, derived) = derived(repository, thread_id, histories, Depth::Events)?;
        Ok(Self { segments, derived, commit_id })
    }

    /// Returns the thread itself.
    pub(in crate::thread) fn last(&self) -> &Segment {
        self.segments.last().expect("because a past is that of a thread")
    }

    /// Returns the commits that it reaches from and to.
    pub(in crate::thread) fn ends(&self) -> Ends {
        let first = self.segments.first().and_then(|segment| segment.commits.first());
        let first = first.map_or(&self.commit_id, |commit| &commit.commit_id).clone();
        Ends { first, last: self.commit_id.clone(), base: self.last().start.base.clone() }
    }

    /// Returns for how many milliseconds the threads ran that it continues, and it itself.
    pub(in crate::thread) fn used_ms(&self) -> u64 {
        self.segments.iter().map(|segment| ran_ms(segment.start.started_at, &segment.events)).sum()
    }

    /// Returns what calls came to.
    pub(in crate::thread) fn results(&self) -> impl Iterator<Item = (CallStatus, &Value)> {
        self.segments.iter().flat_map(|segment| &segment.events).filter_map(|event| match &event.what {
            EventData::ToolCallResult { status, output, .. } => Some((*status, output)),
            _ => None,
        })
    }
}

/// The first and the last commit of a past.
pub(in crate::thread) struct Ends {
    /// The first commit of the first of the threads: by its attributes files are converted, whatever tools wrote since.
    first: CommitId,
    /// What the tree is made of.
    last: CommitId,
    /// The commit that the person ran the thread from.
    base: Option<CommitId>,
}

/// Returns for how many milliseconds a thread ran, without the time between its end and its being taken up again.
pub(super) fn ran_ms(started_at: Timestamp, events: &[Event]) -> u64 {
    let resumed = events.iter().rev().find_map(|event| match &event.what {
        EventData::ThreadResumed { used_ms, .. } => Some((*used_ms, event.time)),
        _ => None,
    });
    let (before, began) = resumed.unwrap_or((0, started_at));
    let last = events.last().map_or(began, |event| event.time);
    let ran = last.milliseconds().saturating_sub(began.milliseconds());
    before.saturating_add(u64::try_from(ran).unwrap_or_default())
}

/// Verifies the directive as it is today: it must be the recorded one, byte for byte.
pub(in crate::thread) fn directives(session: &Session, start: &Record) -> Result<Chain, Error> {
    let project = session.project();
    let located = project.locate(ItemType::Directive, &start.directive.id, None, Purpose::Use)?;
    let verified = project.verified(located, Profile::Thread)?;
    if verified.content().sha256 != start.directive.sha256 {
        let (directive, thread_id) = (start.directive.id.clone(), start.thread_id.clone());
        return Err(Error::DirectiveChanged { directive, thread_id });
    }
    let directives = extends::resolve(project, verified)?;
    directives.require_offered()?;
    Ok(directives)
}

/// Returns the paths of items that the thread changed: these are the fork's too, whatever the person has in their place.
pub(super) fn own_items(
    repository: &Repository,
    base: Option<&CommitId>,
    tip: &CommitId,
) -> Result<BTreeSet<ProjectPath>, Error> {
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
pub(super) fn accept_signed<'a>(session: &Session, results: impl Iterator<Item = (CallStatus, &'a Value)>) {
    for (_, output) in results.filter(|(status, _)| *status == CallStatus::Ok) {
        for item in output["items"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            // The path may be that of a tree that is gone.
            let inner = |path: String| path.rsplit_once(&format!("{SPACE_FOLDER}/")).map(|(_, inner)| inner.to_owned());
            let path = text(&item["path"]).and_then(inner).map(|inner| format!("{SPACE_FOLDER}/{inner}"));
            let subject = path.and_then(|path| subject_at(&path));
            let hash = text(&item["signature"]["hash"]).and_then(|hash| hash.parse().ok());
            if let (Some(subject), Some(hash)) = (subject, hash) {
                session.project().accept_from_agent(subject, hash);
            }
        }
    }
}

/// Makes the tree of the turn's commit, with the items of the person's and those of the thread on top.
pub(in crate::thread) fn own_tree(
    session: &Session,
    repository: &Repository,
    thread_id: &ThreadId,
    ends: &Ends,
    kept: &BTreeSet<ProjectPath>,
    wanted: Wanted<'_>,
    observer: &mut dyn Observer,
) -> Result<(OwnTree, Changes), Error> {
    let base = SetUpBase { commit_id: ends.base.as_ref(), is_checked_out: false };
    if is_to_be_made(session, repository, base)? {
        // What the thread wrote is not run: the person's commit is checked out for the set-up.
        let mut persons = make_tree(session, repository, thread_id, base.commit_id, wanted)?;
        let base = SetUpBase { is_checked_out: true, ..base };
        make_set_up(&mut persons, session, base, wanted.cancel, observer)?;
    }
    let mut tree = make_tree(session, repository, thread_id, Some(&ends.last), wanted)?;
    furnish(&mut tree, session, repository, (base, &repository.dirty_paths()?), wanted.cancel, observer)?;
    let run = runner(session, repository, wanted.cancel);
    let mut changes = Changes::new(repository.cleaner_at(&ends.first, run)?);
    tree.take_items_but(session, kept, &mut |path, found| changes.know(path, found))?;
    Ok((tree, changes))
}
