//! The calls that a thread's runner began and died in: the log has them, and nothing has their results.

use serde::Serialize;
use serde_json::Value;

use super::blocks::Called;
use crate::event::{Event, EventData};
use crate::git::{CommitId, Repository};
use crate::id::ItemId;
use crate::keys::{KeyName, KeyStore};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{CallOf, Content, History, Received, Status, log};

/// A call without a result.
#[derive(Debug, Serialize)]
pub struct Interrupted {
    /// The turn.
    pub turn: u32,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The item it acts on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Its arguments.
    pub input: Value,
}

impl Interrupted {
    /// Presents it as any other call.
    #[must_use]
    pub const fn called(&self) -> Called<'_> {
        let Self { tool, item_id, input, .. } = self;
        Called { tool: tool.as_str(), item_id: item_id.as_ref(), input, asked: None, denied: None, result: None }
    }
}

/// Lists the calls of an interrupted thread that have no result, in its log or in its journal.
pub(super) fn interrupted(
    session: &Session,
    repository: &Repository,
    history: &History,
) -> Result<Vec<Interrupted>, Error> {
    // The log of a fetched thread is where it ran.
    if history.outcome.status != Status::Interrupted || history.outcome.remote.is_some() {
        return Ok(Vec::new());
    }
    let (common_dir, thread_id) = (repository.common_dir(), &history.outcome.thread_id);
    let events = log::uncommitted(common_dir, thread_id, history.lines().count())?;
    let agent = KeyStore::new(session.context())?.find_public(KeyName::Agent)?;
    // A journal that cannot be read tells of no result.
    let received = agent
        .zip(last_turn(history))
        .and_then(|(agent, commit_id)| Received::read(common_dir, thread_id, commit_id, &agent).ok())
        .unwrap_or_default();
    let has_result = |id: &str| {
        let is_result =
            |event: &Event| matches!(&event.what, EventData::ToolCallResult { call_id, .. } if call_id == id);
        received.ended.contains_key(&CallOf::Model(id.to_owned())) || events.iter().any(is_result)
    };
    let begun = events.iter().filter_map(|event| match &event.what {
        EventData::ToolCallStart { call_id, tool, item_id, input, .. } if !has_result(call_id) => {
            let (tool, item_id, input) = (tool.clone(), item_id.clone(), input.clone());
            Some(Interrupted { turn: event.turn, tool, item_id, input })
        }
        _ => None,
    });
    Ok(begun.collect())
}

/// Returns the commit that the journal's lines follow: the last one that does not tell of a resumption.
fn last_turn(history: &History) -> Option<&CommitId> {
    let is_resumption = |at: usize| {
        let turn = history.turns.iter().find(|turn| turn.commit == Some(at));
        let first = turn.and_then(|turn| turn.lines.first()).map(|line| &line.content);
        matches!(first, Some(Content::Event(event)) if matches!(event.what, EventData::ThreadResumed { .. }))
    };
    let commits = history.commits.iter().enumerate().rev();
    commits.into_iter().find(|(at, _)| !is_resumption(*at)).map(|(_, commit)| &commit.commit_id)
}
