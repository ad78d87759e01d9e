//! Words and calls of threads, read straight from git's objects: one document a turn.
//!
//! A turn's file is one line of JSON per event; its blob's id says whether it changed. A branch is untrusted, so a line
//! only has to be JSON: every text in it is searched, whatever its event is.

use std::cell::RefCell;
use std::collections::BTreeMap;

use serde_json::Value;

use super::error::Error;
use super::outcome::{FoundTurn, Hit, Outcome, Snippet, What};
use super::page::{SNIPPET, rounded};
use super::request::{Search, place};
use super::schema::THREAD;
use super::sort::Sort;
use crate::git::{self, BlobId, CommitId, Repository};
use crate::id::ThreadId;
use crate::index::{self, Corpus, Document, Entry, Found, Stamp};

/// More files than this in one thread are not looked for.
const MOST_FILES: usize = 200_000;

/// The largest file of a turn that is read.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// How far back the commits of turns are looked for.
const MOST_COMMITS: usize = 20_000;

/// What a commit says before the number of the turn that it brings.
const TURN: &str = "Rye-Turn: ";

/// A line with a longer text is cut there: a search needs its beginning.
const MOST_TEXT: usize = 64 * 1024;

/// The names of an event's values that are not words of a person or model.
const NO_WORDS: [&str; 6] = ["token", "sha256", "call_id", "artifact", "usage", "stop_reason"];

/// The turns of all threads of a repository.
struct Turns {
    repository: Repository,
    /// By thread and turn, as the entries are.
    turns: Vec<Turn>,
    entries: Vec<Entry>,
    failures: Vec<String>,
    /// By the tip they begin at.
    walks: RefCell<BTreeMap<String, Walk>>,
}

/// A walk back through the commits of a thread, as far as was needed yet.
struct Walk {
    next: Option<CommitId>,
    steps: usize,
    /// The commits that brought turns.
    brought: BTreeMap<u32, CommitId>,
}

/// A turn, seen and not read.
struct Turn {
    thread_id: ThreadId,
    turn: u32,
    blob_id: BlobId,
    tip: CommitId,
}

/// The words of a turn.
#[derive(Default)]
struct Said {
    directive: String,
    lines: Vec<String>,
    /// The first sentence of the model, or else of whoever spoke.
    opening: String,
}

/// Searches the turns of all threads, also of those that run now.
pub(super) fn search(search: &Search<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Outcome, Error> {
    let Some(repository) = search.project.repository() else { return Ok(Outcome::default()) };
    let prefix = &search.project.context().config().threads.prefix;
    let turns = Turns::of(repository, prefix)?;
    let newest = |a: usize, b: usize| turns.turns[b].date().cmp(&turns.turns[a].date());
    let by_id = |a: usize, b: usize| turns.turns[a].order().cmp(&turns.turns[b].order());
    let options = index::Options {
        accepts: None,
        value: None,
        offset: search.offset,
        max: search.max,
        sort: match search.options.sort {
            Sort::Score => index::Sort::Score,
            Sort::Date => index::Sort::By(&newest),
            Sort::Name => index::Sort::By(&by_id),
        },
        fuzzy: search.options.fuzzy,
        explain: search.options.explain,
    };
    let found = index::search(&place(search, "threads"), &turns, search.query, &options, progress)?;
    let hits = found.hits.iter().map(|ranked| turns.hit(ranked, &found.words));
    let results = hits.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let warnings = turns.failures.iter().cloned().chain(found.warning.clone()).collect();
    let Found { total, corrected, did_you_mean, .. } = found;
    Ok(Outcome { total, results, corrected, did_you_mean, warnings, ..Outcome::default() })
}

impl Turns {
    /// Looks at the turns of all threads. A thread that cannot be read is told and left out.
    fn of(repository: Repository, prefix: &str) -> Result<Self, git::Error> {
        let branches = ThreadId::branches(prefix);
        let (turns, entries, failures, walks) = (Vec::new(), Vec::new(), Vec::new(), RefCell::default());
        let mut found = Self { turns, entries, failures, walks, repository };
        for (name, tip) in found.repository.branches_below(&branches)? {
            let Ok(thread_id) = name[branches.len()..].parse::<ThreadId>() else { continue };
            if let Err(error) = found.add(&thread_id, &tip) {
                found.failures.push(format!("thread `{thread_id}` is not searched: {error}"));
            }
        }
        found.turns.sort_by_cached_key(Turn::order);
        // A branch that was made by hand may have two files of one turn.
        found.turns.dedup_by(|a, b| a.order() == b.order());
        found.entries = found.turns.iter().map(|turn| Entry { key: turn.order(), stamp: turn.stamp() }).collect();
        Ok(found)
    }

    fn add(&mut self, thread_id: &ThreadId, tip: &CommitId) -> Result<(), git::Error> {
        for file in self.repository.entries_below(tip, &format!("{}/turns", thread_id.folder()), MOST_FILES)? {
            let name = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".jsonl"));
            let Some(turn) = name.and_then(|name| name.parse().ok()) else { continue };
            self.turns.push(Turn { thread_id: thread_id.clone(), turn, blob_id: file.blob_id, tip: tip.clone() });
        }
        Ok(())
    }

    fn hit(&self, ranked: &index::Hit, words: &index::Matched) -> Result<Option<Hit>, git::Error> {
        let Some(turn) = self.turns.get(ranked.position) else { return Ok(None) };
        let said = Said::read(&self.repository.blob_up_to(&turn.blob_id, MOST_BYTES)?);
        let text = said.lines.join("\n");
        let snippet = Snippet::cut(&text, &words.ranges(&text), SNIPPET);
        Ok(Some(Hit {
            what: What::Turn(FoundTurn {
                item_type: THREAD,
                item_id: turn.thread_id.clone(),
                turn: turn.turn,
                commit_id: self.commit_of(turn),
            }),
            title: format!("{}, turn {}", said.directive, turn.turn),
            description: Snippet::cut(&said.opening, &[], SNIPPET).text,
            parameters: Vec::new(),
            score: rounded(ranked.score),
            date: turn.date(),
            snippet: snippet.text,
            highlights: snippet.highlights,
            explanation: ranked.explanation.clone(),
        }))
    }

    /// Finds the commit that brought a turn; none where it is not here, as beyond the end of a shallow clone.
    fn commit_of(&self, turn: &Turn) -> Option<CommitId> {
        let mut walks = self.walks.borrow_mut();
        walks.entry(turn.tip.to_string()).or_insert_with(|| Walk::from(&turn.tip)).to(turn.turn, &self.repository)
    }
}

impl Walk {
    fn from(tip: &CommitId) -> Self {
        Self { next: Some(tip.clone()), steps: 0, brought: BTreeMap::new() }
    }

    /// Goes on until the commit that brought a turn is found, by the trailer it says so with.
    fn to(&mut self, turn: u32, repository: &Repository) -> Option<CommitId> {
        while !self.brought.contains_key(&turn) && self.steps < MOST_COMMITS {
            let at = self.next.take()?;
            let commit = repository.commit_info(&at).ok()?;
            let trailers = commit.message.lines().rev().take_while(|line| !line.is_empty());
            for turn in trailers.filter_map(|line| line.strip_prefix(TURN)?.parse().ok()) {
                self.brought.entry(turn).or_insert_with(|| at.clone());
            }
            self.next = commit.parents.into_iter().next();
            self.steps += 1;
        }
        self.brought.get(&turn).cloned()
    }
}

impl Corpus for Turns {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, position: usize) -> Option<Document> {
        let turn = self.turns.get(position)?;
        let said = Said::read(&self.repository.blob_up_to(&turn.blob_id, MOST_BYTES).ok()?);
        let id = turn.thread_id.to_string();
        Some(Document {
            names: vec![id.clone(), said.directive.clone()],
            fields: vec![
                ("type", THREAD.to_owned()),
                ("id", id),
                ("name", said.directive.clone()),
                ("title", said.directive),
                ("body", said.lines.join("\n")),
            ],
        })
    }
}

impl Turn {
    /// Returns the parts that are unique to a turn, and sorts by thread and turn.
    fn order(&self) -> String {
        format!("{}/{:08}", self.thread_id, self.turn)
    }

    /// A blob's id says everything that a stat says of a file.
    fn stamp(&self) -> Stamp {
        let digits = |from: usize| {
            let digits = self.blob_id.as_str().get(from..from + 16);
            digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
        };
        Stamp { size: digits(0), inode: digits(16), modified_ns: 0, changed_ns: 0 }
    }

    /// Returns when its thread began, with its turn: turns of one thread come one after another.
    fn date(&self) -> i64 {
        self.thread_id.started_at().map_or(0, |start| start.seconds().saturating_mul(1_000_000_000))
            + i64::from(self.turn)
    }
}

impl Said {
    /// Reads the events of a turn; lines that are not JSON are passed over.
    fn read(bytes: &[u8]) -> Self {
        let mut said = Self::default();
        let text = String::from_utf8_lossy(bytes);
        for event in text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            if let Some(directive) = event.get("directive").and_then(Value::as_str) {
                directive.clone_into(&mut said.directive);
            }
            let first = said.lines.len();
            said.add(event.get("data").unwrap_or(&Value::Null));
            let is_model = event.get("type").and_then(Value::as_str) == Some("assistant_text");
            if (said.opening.is_empty() || is_model)
                && let Some(line) = said.lines.get(first)
            {
                line.clone_into(&mut said.opening);
            }
        }
        said
    }

    /// Adds every text in a value.
    fn add(&mut self, value: &Value) {
        match value {
            Value::String(text) if !text.trim().is_empty() => {
                self.lines.push(text[..text.floor_char_boundary(MOST_TEXT)].to_owned());
            }
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::Object(values) => {
                let words = values.iter().filter(|(name, _)| !NO_WORDS.contains(&name.as_str()));
                words.for_each(|(_, value)| self.add(value));
            }
            _ => {}
        }
    }
}
