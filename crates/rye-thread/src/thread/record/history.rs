//! A thread's record, read back from its branch: its commits, and the events of every turn.
//!
//! A branch is untrusted and can be damaged. So nothing is required of it but one readable `thread.json`: an unknown
//! event is kept as it is, unreadable parts are named in [`History::warnings`], and the rest is returned. A commit's
//! changes are read on demand.
//!
//! Deliberately not here: judging signatures.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::archive::Ref;
use super::branch;
use super::remote_refs;
use super::replaced;
use super::state;
use super::thread_json::{Outcome, Record};
use super::transcript;
use crate::capability::TokenDirective;
use crate::event::{Event, EventData, FORMAT};
use crate::git::{self, BlobId, CommitId, CommitInfo, Repository, TreeChange};
use crate::id::{SPACE_FOLDER, ThreadId, ThreadName};
use crate::item::PersonGrant;
use crate::session::Session;
use crate::thread::error::Error;

/// The most commits of a thread that are read.
const MOST_COMMITS: usize = 1_000_000;

/// The most commits of a thread that are read to list it.
const MOST_LISTED: usize = 10_000;

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

/// The largest file of events that is read, in bytes.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// A thread's record.
#[derive(Debug)]
pub struct History {
    /// The state of the thread, as its `thread.json` says.
    pub outcome: Outcome,
    pub(in crate::thread) record: Record,
    /// Its own commits, the oldest first.
    pub commits: Vec<RecordedCommit>,
    /// Its turns, by number: 0 is the start, the end has a number of its own.
    pub turns: Vec<RecordedTurn>,
    /// What cannot be read or does not fit, a sentence each.
    pub warnings: Vec<String>,
}

/// A commit of a thread.
#[derive(Debug)]
pub struct RecordedCommit {
    /// Its id.
    pub commit_id: CommitId,
    /// What it says; its signature is not judged.
    pub info: CommitInfo,
    /// The turn whose events it brings, as its trailer says.
    pub turn: Option<u32>,
}

/// A turn of a thread.
#[derive(Debug)]
pub struct RecordedTurn {
    /// Its number.
    pub turn: u32,
    /// The place of its commit among [`History::commits`]; none if no commit names the turn.
    pub commit: Option<usize>,
    /// What happened in it.
    pub lines: Vec<RecordedLine>,
}

/// A line of a turn's file.
#[derive(Debug)]
pub struct RecordedLine {
    /// The unchanged line.
    pub text: String,
    /// What it is.
    pub content: Content,
}

/// What a line of a turn's file is.
#[derive(Debug)]
pub enum Content {
    /// An event that this program knows.
    Event(Box<Event>),
    /// JSON that is not a known event: of another program, or of a newer version.
    Unknown {
        /// Its `type`; empty if it names none.
        kind: String,
    },
    /// No JSON: cut off or damaged.
    Broken,
}

impl History {
    /// Reads a thread's record from its branch.
    ///
    /// # Errors
    ///
    /// Fails outside a repository, when the thread is unknown, and when none of its commits has a readable
    /// `thread.json`.
    pub fn read(session: &Session, thread: impl Into<ThreadName>) -> Result<Self, Error> {
        let thread = thread.into();
        let repository = session.project().require_repository()?;
        let unknown = || Error::Unknown { name: thread.to_string(), suggestion: None };
        let found = remote_refs::find(&repository, &session.context().config().threads.prefix, &thread)?;
        Self::at(&repository, &found.ok_or_else(unknown)?)
    }

    /// Reads a thread's record as one of its commits has it.
    ///
    /// # Errors
    ///
    /// As [`History::read`].
    pub(in crate::thread) fn at(repository: &Repository, found: &Ref) -> Result<Self, Error> {
        let mut reader = Reader { repository, thread_id: &found.thread_id, most: MOST_COMMITS, warnings: Vec::new() };
        let mut history = reader.history(found)?;
        history.turns = reader.turns(&found.commit_id, &history.commits);
        history.warnings = reader.warnings;
        history.warnings.extend(gaps(&history.turns));
        let inherited = history.record.forked_from.as_ref().map(|fork| fork.turn);
        let lost = replaced::missing(&numbered(&history.turns), inherited);
        history.warnings.extend(lost);
        Ok(history)
    }

    /// Reads a thread's commits and its state, and none of its turns.
    ///
    /// # Errors
    ///
    /// As [`History::read`], and when it has more commits than are read for a list.
    pub(in crate::thread) fn glance(repository: &Repository, found: &Ref) -> Result<Self, Error> {
        let mut reader = Reader { repository, thread_id: &found.thread_id, most: MOST_LISTED, warnings: Vec::new() };
        let history = reader.history(found)?;
        match history.commits.len() {
            0..MOST_LISTED => Ok(history),
            _ => Err(git::Error::TooManyCommits { limit: MOST_LISTED }.into()),
        }
    }

    /// Returns what its person let it do by flags, as its first event says; none for a directive with permissions of its own.
    #[must_use]
    pub fn granted(&self) -> Option<&PersonGrant> {
        match &self.events().next()?.what {
            EventData::ThreadStart { granted, .. } | EventData::ThreadForked { granted, .. } => granted.as_deref(),
            _ => None,
        }
    }

    /// Returns every event that this program knows, in order.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.lines().filter_map(|line| match &line.content {
            Content::Event(event) => Some(event.as_ref()),
            Content::Unknown { .. } | Content::Broken => None,
        })
    }

    /// Returns every line of its turns, in order.
    pub fn lines(&self) -> impl Iterator<Item = &RecordedLine> {
        self.turns.iter().flat_map(|turn| &turn.lines)
    }

    /// Returns `transcript.md` as it is recorded; made now for a thread that has none.
    pub fn recorded_transcript(&self, repository: &Repository) -> Result<String, Error> {
        let path = branch::path(&self.outcome.thread_id, "transcript.md");
        let recorded = repository.file_at(&self.outcome.commit_id, &path)?;
        Ok(recorded.map_or_else(|| self.transcript(), |bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Tells the thread in Markdown, as its `transcript.md` does, from the events that this program knows.
    #[must_use]
    pub fn transcript(&self) -> String {
        transcript::markdown(&self.record, self.events())
    }

    /// Returns the directive that the thread runs, as it was when the thread began.
    #[must_use]
    pub const fn directive(&self) -> &TokenDirective {
        &self.record.directive
    }

    /// Returns the inputs, defaults filled in.
    #[must_use]
    pub const fn inputs(&self) -> &Map<String, Value> {
        &self.record.inputs
    }

    /// Returns the limits in force, as text by name.
    #[must_use]
    pub const fn limits(&self) -> &Map<String, Value> {
        &self.record.limits
    }

    /// Returns the commit that the thread began at.
    #[must_use]
    pub fn base(&self) -> Option<&CommitId> {
        self.commits.first().and_then(|first| first.info.parents.first())
    }

    /// Lists what one of the thread's commits changed, without the record of threads.
    pub fn changes(&self, repository: &Repository, commit: &RecordedCommit) -> Result<Vec<TreeChange>, Error> {
        let from: Vec<CommitId> = commit.info.parents.iter().take(1).cloned().collect();
        let changes = repository.changes_below(&from, &commit.commit_id, "", MOST_ENTRIES)?;
        let own = format!("{SPACE_FOLDER}/threads/");
        Ok(changes.into_iter().filter(|change| !change.path.starts_with(&own)).collect())
    }
}

/// A branch being read.
struct Reader<'a> {
    repository: &'a Repository,
    thread_id: &'a ThreadId,
    most: usize,
    warnings: Vec<String>,
}

impl Reader<'_> {
    /// Reads everything but the turns.
    fn history(&mut self, found: &Ref) -> Result<History, Error> {
        let unknown = || Error::Unknown { name: self.thread_id.to_string(), suggestion: None };
        let (commits, record) = self.commits(&found.commit_id)?;
        let record = record.ok_or_else(unknown)?;
        let outcome = state::stand(self.repository, record.clone(), found);
        Ok(History { outcome, record, commits, turns: Vec::new(), warnings: Vec::new() })
    }

    /// Reads the thread's own commits, and the newest `thread.json` that is readable.
    fn commits(&mut self, tip: &CommitId) -> Result<(Vec<RecordedCommit>, Option<Record>), Error> {
        let mut record = self.record(tip);
        let mut commits = Vec::new();
        let mut next = Some(tip.clone());
        while let Some(commit_id) = next.take() {
            let info = match self.repository.commit_info(&commit_id) {
                // Shallow or damaged: what comes after it is there.
                Err(error) if !commits.is_empty() => {
                    self.warn(format!("the commits before `{}` cannot be read: {error}", short(&commit_id)));
                    break;
                }
                info => info?,
            };
            let (thread, turn) = trailers(&info.message);
            let is_named = thread.as_deref() == Some(self.thread_id.as_str());
            let brings =
                |turn| self.repository.has_at(&commit_id, &branch::path(self.thread_id, &branch::turn_file(turn)));
            let turn = if is_named && turn.map(brings).transpose()? == Some(true) { turn } else { None };
            if !is_named && !self.repository.has_at(&commit_id, &self.thread_id.folder())? {
                break;
            }
            if turn.is_none() {
                self.warn(format!("commit `{}` names no turn of this thread", short(&commit_id)));
            }
            if commits.len() == self.most {
                self.warn(format!("only the last {} commits are read", self.most));
                break;
            }
            if !matches!(record, Ok(Some(_)))
                && let Ok(Some(older)) = self.record(&commit_id)
            {
                let at = short(&commit_id);
                self.warn(format!("`thread.json` of the last commit cannot be read; that of `{at}` is shown"));
                record = Ok(Some(older));
            }
            next = info.parents.first().cloned();
            commits.push(RecordedCommit { commit_id, info, turn });
        }
        commits.reverse();
        let record = record?;
        let begun = commits.first().and_then(|first: &RecordedCommit| first.info.parents.first());
        let named =
            |record: &Record| record.forked_from.as_ref().map(|fork| fork.commit_id.clone()).or(record.base.clone());
        if record.as_ref().is_some_and(|record| named(record).as_ref() != begun) {
            self.warn("the thread did not begin at the commit that its `thread.json` names".to_owned());
        }
        Ok((commits, record))
    }

    fn record(&self, commit_id: &CommitId) -> Result<Option<Record>, Error> {
        let record = state::record_at(self.repository, commit_id, self.thread_id)?;
        Ok(record.filter(|record| record.thread_id == *self.thread_id))
    }

    /// Reads the events of every turn, as the last commit has them.
    fn turns(&mut self, tip: &CommitId, commits: &[RecordedCommit]) -> Vec<RecordedTurn> {
        let folder = branch::path(self.thread_id, "turns");
        let entries = match self.repository.entries_below(tip, &folder, MOST_ENTRIES) {
            Ok(entries) => entries,
            Err(error) => {
                self.warn(format!("the turns cannot be listed: {error}"));
                return Vec::new();
            }
        };
        let mut by_turn: BTreeMap<u32, usize> = BTreeMap::new();
        for (place, commit) in commits.iter().enumerate() {
            commit.turn.map(|turn| by_turn.entry(turn).or_insert(place));
        }
        let mut files: BTreeMap<u32, BlobId> = BTreeMap::new();
        for entry in entries {
            let number = entry.path.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl")?.parse().ok());
            match number {
                Some(turn) if !files.contains_key(&turn) => drop(files.insert(turn, entry.blob_id)),
                _ => self.warn(format!("`{}` is not a file of a turn", entry.path)),
            }
        }
        for turn in by_turn.keys().filter(|turn| !files.contains_key(turn)) {
            self.warnings.push(format!("the events of turn {turn} are missing"));
        }
        let mut turns = Vec::new();
        for (turn, blob_id) in files {
            let lines = self.lines(turn, &blob_id);
            turns.push(RecordedTurn { turn, commit: by_turn.get(&turn).copied(), lines });
        }
        turns
    }

    fn lines(&mut self, turn: u32, blob_id: &BlobId) -> Vec<RecordedLine> {
        let bytes = match self.repository.blob_within(blob_id, MOST_BYTES) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => {
                self.warn(format!("the events of turn {turn} are too large to be read"));
                return Vec::new();
            }
            Err(error) => {
                self.warn(format!("the events of turn {turn} cannot be read: {error}"));
                return Vec::new();
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<RecordedLine> = text.lines().map(|line| read_line(self.thread_id, line)).collect();
        let broken = lines.iter().filter(|line| matches!(line.content, Content::Broken)).count();
        if broken > 0 {
            let lines = if broken == 1 { "1 line that is" } else { &format!("{broken} lines that are") };
            self.warn(format!("turn {turn} has {lines} not JSON"));
        }
        for line in &lines {
            if let Content::Unknown { kind } = &line.content {
                self.warn(format!("turn {turn} has an event of unknown type `{kind}`"));
            }
        }
        lines
    }

    fn warn(&mut self, sentence: String) {
        if !self.warnings.contains(&sentence) {
            self.warnings.push(sentence);
        }
    }
}

/// Reads a line of a thread's events.
pub(super) fn read_line(thread_id: &ThreadId, text: &str) -> RecordedLine {
    let is_ours = |event: &Event| event.v <= FORMAT && event.thread_id == *thread_id;
    let content = match serde_json::from_str::<Event>(text) {
        Ok(event) if is_ours(&event) => Content::Event(Box::new(event)),
        _ => match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
                Content::Unknown { kind }
            }
            Err(_) => Content::Broken,
        },
    };
    RecordedLine { text: text.to_owned(), content }
}

/// Reads what the last paragraph of a message says about thread and turn. The model's text comes before it.
pub(in crate::thread) fn trailers(message: &str) -> (Option<String>, Option<u32>) {
    let last = message.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let value = |name: &str| last.lines().rev().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    (value("Rye-Thread").map(str::to_owned), value("Rye-Turn").and_then(|turn| turn.parse().ok()))
}

/// Returns the events that this program knows, each with the turn whose file has it.
fn numbered(turns: &[RecordedTurn]) -> Vec<(u32, &EventData)> {
    let lines = turns.iter().flat_map(|turn| turn.lines.iter().map(|line| (turn.turn, &line.content)));
    let events = lines.filter_map(|(turn, content)| match content {
        Content::Event(event) => Some((turn, &event.what)),
        Content::Unknown { .. } | Content::Broken => None,
    });
    events.collect()
}

/// Tells where numbers of events are missing.
fn gaps(turns: &[RecordedTurn]) -> Vec<String> {
    let (mut expected, mut gaps) = (Some(0), Vec::new());
    for line in turns.iter().flat_map(|turn| &turn.lines) {
        match &line.content {
            Content::Event(event) => {
                if expected.is_some_and(|expected| expected != event.seq) {
                    gaps.push(format!("events are missing before number {}", event.seq));
                }
                expected = event.seq.checked_add(1);
            }
            // It has a number that is not read.
            Content::Unknown { .. } | Content::Broken => expected = None,
        }
    }
    gaps
}

fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}
