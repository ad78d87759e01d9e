//! What in a project waits for its person: items to sign, to commit or to look at, keys to decide about, threads to take up again.

use serde::Serialize;

use super::error::Error;
use crate::id::{ItemId, ItemType, Space, ThreadId};
use crate::ops::decisions::{ProjectState, ProposalStatus, project_state};
use crate::ops::list::{self, Listed};
use crate::ops::locate::{AgentFileChange, LineEnds, ListedAgentFiles, LocateError, Purpose};
use crate::project::Project;
use crate::session::Session;
use crate::thread::{self, Ending};
use crate::trust::Verdict;

/// What waits.
#[derive(Debug, Serialize)]
pub(super) struct StatusOutcome {
    /// Items of the project that are not as they should be, or not committed.
    pub(super) items: Vec<ItemStatus>,
    /// Files that instruct agents and differ from the signed list of them, or are not in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) agent_files: Vec<AgentFileStatus>,
    /// Whether the project has any item.
    #[serde(skip)]
    pub(super) has_items: bool,
    /// What the project proposes to trust, where the person has not decided about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposal: Option<ProjectState>,
    /// Threads that run, that did not end well, or whose changes are not accepted.
    pub(super) threads: Vec<ThreadStatus>,
}

/// An item that waits.
#[derive(Debug, Serialize)]
pub(super) struct ItemStatus {
    pub(super) item_type: ItemType,
    pub(super) item_id: ItemId,
    pub(super) path: String,
    /// The verdict of its signature.
    pub(super) verdict: Verdict,
    /// Whether its file differs from what the last commit has.
    pub(super) uncommitted: bool,
    /// Why its line ends differ, where these are all that changed since it was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line_ends: Option<LineEnds>,
}

/// A file that instructs agents and waits.
#[derive(Debug, Serialize)]
pub(super) struct AgentFileStatus {
    pub(super) path: String,
    /// How it differs from the list.
    pub(super) change: AgentFileChange,
}

/// A thread that waits.
#[derive(Debug, Serialize)]
pub(super) struct ThreadStatus {
    pub(super) thread_id: ThreadId,
    pub(super) directive: ItemId,
    pub(super) ending: Ending,
    /// Whether it can be taken up again by itself.
    #[serde(skip)]
    pub(super) can_be_resumed: bool,
}

impl StatusOutcome {
    /// Looks at the project.
    pub(super) fn of(session: &Session) -> Result<Self, Error> {
        let project = session.project();
        let listed = list::list(project, &list::Options { space: Some(Space::Project), ..list::Options::default() })?;
        let has_items = !listed.items.is_empty();
        let items = items(project, listed.items)?;
        let agent_files = agent_files(project)?;
        Ok(Self { items, agent_files, has_items, proposal: proposal(project)?, threads: threads(session)? })
    }

    /// Tells whether nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        self.items.is_empty() && self.agent_files.is_empty() && self.proposal.is_none() && self.threads.is_empty()
    }
}

fn items(project: &Project, listed: Vec<Listed>) -> Result<Vec<ItemStatus>, Error> {
    let root = project.root()?;
    let repository = project.repository();
    let dirty = repository
        .map(|repository| repository.dirty_paths())
        .transpose()
        .map_err(LocateError::from)?
        .unwrap_or_default();
    let status = |item: Listed| {
        let Listed { item_type, item_id, path, verdict, .. } = item;
        let below = std::path::Path::new(&path).strip_prefix(root).ok().and_then(std::path::Path::to_str);
        let uncommitted = below.is_some_and(|path| dirty.contains(path));
        let is_changed = verdict == Verdict::Tampered && item_type != ItemType::Skill;
        let line_ends = below.filter(|_| is_changed).and_then(|path| {
            let located = project.locate(item_type, &item_id, Some(Space::Project), Purpose::Author).ok()?;
            LineEnds::of(project, path, &located.signed)
        });
        ItemStatus { item_type, item_id, path, verdict, uncommitted, line_ends }
    };
    let waits = |item: &ItemStatus| item.uncommitted || !matches!(item.verdict, Verdict::Good | Verdict::Builtin);
    Ok(listed.into_iter().map(status).filter(waits).collect())
}

fn agent_files(project: &Project) -> Result<Vec<AgentFileStatus>, Error> {
    let listed = ListedAgentFiles::here(project)?;
    let changes = listed.into_iter().flat_map(|listed| listed.changes);
    Ok(changes.map(|(path, change)| AgentFileStatus { path, change }).collect())
}

fn proposal(project: &Project) -> Result<Option<ProjectState>, Error> {
    Ok(project_state(project)?.filter(|state| match state.status {
        ProposalStatus::Proposed | ProposalStatus::Changed | ProposalStatus::Unusable => true,
        ProposalStatus::Accepted => false,
    }))
}

fn threads(session: &Session) -> Result<Vec<ThreadStatus>, Error> {
    let status = |thread: thread::Outcome| ThreadStatus {
        can_be_resumed: thread.can_be_resumed(),
        thread_id: thread.thread_id,
        directive: thread.directive,
        ending: thread.ending,
    };
    Ok(thread::pending(session)?.into_iter().map(status).collect())
}
