//! The record of one thread, as the input of a second derivation.
//!
//! A fork is a segment behind that of the thread it continues. Every byte is taken from the commits of one history.

use crate::capability::Token;
use crate::event::Event;
use crate::git::{CommitId, CommitInfo, Repository};
use crate::id::ThreadId;
use crate::machine::{SETUP_FORMAT, SetupRecord};
use crate::thread::error::Error;
use crate::thread::record::state::record_at;
use crate::thread::record::{Content, History, Record, Ref, branch};

use super::difference::{At, Stop};

/// The record of one thread.
pub(in crate::thread) struct Segment {
    pub(in crate::thread) thread_id: ThreadId,
    /// `thread.json` of its first commit.
    pub(in crate::thread) start: Record,
    pub(in crate::thread) setup: SetupRecord,
    pub(in crate::thread) tokens: Vec<Token>,
    pub(in crate::thread) events: Vec<Event>,
    pub(in crate::thread) commits: Vec<RecordedCommit>,
}

/// One commit of a record.
pub(in crate::thread) struct RecordedCommit {
    pub(in crate::thread) commit_id: CommitId,
    pub(in crate::thread) info: CommitInfo,
    pub(in crate::thread) turn: Option<u32>,
    /// How many events of the thread are recorded with this commit and those before it.
    pub(in crate::thread) upto: usize,
}

impl RecordedCommit {
    pub(super) const fn at<'a>(&'a self, thread_id: &'a ThreadId) -> At<'a> {
        At { thread_id, commit_id: &self.commit_id, turn: self.turn }
    }
}

/// Reads the history of a thread as a commit has it, behind those of the threads that it continues.
pub(in crate::thread) fn lineage(
    repository: &Repository,
    thread_id: &ThreadId,
    tip: &CommitId,
) -> Result<Vec<History>, Error> {
    let mut histories: Vec<History> = Vec::new();
    let mut next = Some((thread_id.clone(), tip.clone()));
    while let Some((thread_id, tip)) = next.take() {
        let history = History::at(repository, &Ref { thread_id, name: String::new(), commit_id: tip, remote: None })?;
        // The continued thread is older than the fork, so this ends.
        let parent = history.commits.first().and_then(|first| first.info.parents.first());
        let fork = history.record.forked_from.as_ref().filter(|fork| parent == Some(&fork.commit_id));
        next = fork.map(|fork| (fork.thread_id.clone(), fork.commit_id.clone()));
        histories.push(history);
    }
    histories.reverse();
    Ok(histories)
}

/// Takes the input for deriving threads again from their histories, each of which continues the one before.
///
/// # Errors
///
/// Fails when one of them was recorded without `setup.json`, and where an event cannot be read.
pub(in crate::thread) fn segments(repository: &Repository, histories: Vec<History>) -> Result<Vec<Segment>, Stop> {
    let mut segments: Vec<Segment> = Vec::new();
    for history in histories {
        let thread_id = history.record.thread_id.clone();
        let segment = segment(repository, &thread_id, history)?;
        let before = segments.last().and_then(|before| before.commits.last());
        let named = segment.start.forked_from.as_ref().map(|fork| &fork.commit_id);
        if named != before.map(|before| &before.commit_id) {
            let id = |id: Option<&CommitId>| id.map_or("none", CommitId::as_str).to_owned();
            let first = &segment.commits[0];
            let (recorded, derived) = (id(named), id(first.info.parents.first()));
            let mut difference = first.at(&thread_id).field("forked_from", &recorded, &derived);
            difference.path = Some(branch::path(&thread_id, "thread.json"));
            return Err(difference.into());
        }
        segments.push(segment);
    }
    Ok(segments)
}

fn segment(repository: &Repository, thread_id: &ThreadId, history: History) -> Result<Segment, Stop> {
    let unknown = || Error::Unknown { name: thread_id.to_string(), suggestion: None };
    let first = history.commits.first().ok_or_else(unknown)?;
    let at = At { thread_id, commit_id: &first.commit_id, turn: first.turn };
    let missing = |name: &str| {
        let mut difference = at.wrong(format!("`{name}` is missing"));
        difference.path = Some(branch::path(thread_id, name));
        Stop::from(difference)
    };
    let start = record_at(repository, &first.commit_id, thread_id)?.ok_or_else(|| missing("thread.json"))?;
    let setup = setup(repository, thread_id, &first.commit_id)?;
    let tokens = repository.file_at(&first.commit_id, &branch::path(thread_id, "token.json")).map_err(Error::from)?;
    let tokens = tokens.ok_or_else(|| missing("token.json"))?;
    let unreadable = |source| Error::Setup { thread_id: thread_id.clone(), file: "token.json", source };
    let tokens = serde_json::from_slice(&tokens).map_err(unreadable)?;
    let mut events = Vec::new();
    let mut counts = vec![0; history.commits.len()];
    for turn in &history.turns {
        let commit = turn.commit.map(|place| &history.commits[place]);
        let last = history.commits.last().unwrap_or(first);
        let at = commit.unwrap_or(last);
        let at = At { thread_id, commit_id: &at.commit_id, turn: Some(turn.turn) };
        let path = branch::path(thread_id, &branch::turn_file(turn.turn));
        let Some(place) = turn.commit else {
            let mut difference = at.wrong(format!("no commit records turn {}", turn.turn));
            difference.path = Some(path);
            return Err(difference.into());
        };
        for (number, line) in turn.lines.iter().enumerate() {
            let Content::Event(event) = &line.content else {
                let mut difference = at.wrong(format!("line {} is not an event of this thread", number + 1));
                (difference.path, difference.field) = (Some(path), Some(format!("line {}", number + 1)));
                difference.recorded = line.text.chars().take(200).collect::<String>().into();
                return Err(difference.into());
            };
            events.push(event.as_ref().clone());
            counts[place] += 1;
        }
    }
    let mut upto = 0;
    let commits = history.commits.into_iter().zip(counts).map(|(commit, count)| {
        upto += count;
        RecordedCommit { commit_id: commit.commit_id, info: commit.info, turn: commit.turn, upto }
    });
    Ok(Segment { thread_id: thread_id.clone(), start, setup, tokens, commits: commits.collect(), events })
}

fn setup(repository: &Repository, thread_id: &ThreadId, first: &CommitId) -> Result<SetupRecord, Error> {
    let thread_id = || thread_id.clone();
    let path = branch::path(&thread_id(), "setup.json");
    let Some(bytes) = repository.file_at(first, &path)? else {
        return Err(Error::NoSetup { thread_id: thread_id() });
    };
    let unreadable = |source| Error::Setup { thread_id: thread_id(), file: "setup.json", source };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(unreadable)?;
    if value["v"] != SETUP_FORMAT {
        return Err(Error::SetupFormat { thread_id: thread_id(), found: value["v"].to_string() });
    }
    serde_json::from_value(value).map_err(unreadable)
}
