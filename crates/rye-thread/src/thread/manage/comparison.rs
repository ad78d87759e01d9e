//! Two runs side by side: outputs, files, calls, and what they cost.

use serde::Serialize;
use serde_json::{Map, Value};

use super::diff::is_meant;
use crate::event::{CallStatus, EventData, Usage};
use crate::format::aligned;
use crate::git::{CommitId, Pages, Repository};
use crate::id::{ItemId, SPACE_FOLDER, ThreadId, ThreadName};
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Outcome, Spend, Status, state};
use crate::thread::replay::lineage;
use crate::thread::tree::difference;

/// The most files that a thread's tree may hold.
const MAX_ENTRIES: usize = 2_000_000;

/// Two runs side by side.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// One of them.
    pub a: Run,
    /// The other.
    pub b: Run,
    /// Their outputs, by name.
    pub outputs: Vec<OutputPair>,
    /// The paths that are not the same in their last trees, sorted; without the records of threads.
    pub files: Vec<FilePair>,
    /// Their calls in order.
    pub calls: Vec<CallPair>,
}

/// A run as a whole.
#[derive(Debug, Serialize)]
pub struct Run {
    /// The thread.
    pub thread_id: ThreadId,
    /// Its last commit.
    pub commit_id: CommitId,
    /// The directive.
    pub directive: ItemId,
    /// Its state.
    pub status: Status,
    /// The model.
    pub model: String,
    /// The provider document.
    pub provider: ItemId,
    /// Round trips to the model.
    pub turns: u32,
    /// Tokens used.
    pub usage: Usage,
    /// Money spent.
    pub spend: Spend,
}

/// One output of two runs.
#[derive(Debug, Serialize)]
pub struct OutputPair {
    /// Its name.
    pub name: String,
    /// Whether both runs returned the same.
    pub same: bool,
    /// What one returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Value>,
    /// What the other returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Value>,
}

/// One path of two trees.
#[derive(Debug, Serialize)]
pub struct FilePair {
    /// From the top of the work tree.
    pub path: String,
    /// The difference.
    pub difference: RunDifference,
}

/// One call of two runs, or of one of them.
#[derive(Debug, Serialize)]
pub struct CallPair {
    /// The difference.
    pub difference: RunDifference,
    /// The call in one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub a: Option<Call>,
    /// The call in the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub b: Option<Call>,
}

/// A call of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Call {
    /// The turn.
    pub turn: u32,
    /// The tool's name as the model wrote it.
    pub tool: String,
    /// The item it acts on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Its arguments.
    pub input: Value,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<CallStatus>,
    #[serde(skip)]
    output: Value,
}

/// How the same thing of two runs differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunDifference {
    /// Not at all.
    None,
    /// It has other content, or other arguments.
    Content,
    /// The same call had another result.
    Result,
    /// Only the first run has it.
    OnlyA,
    /// Only the second run has it.
    OnlyB,
}

/// Compares two runs. `paths` are the files and folders that count, from the top of the work tree; without any, all do.
///
/// # Errors
///
/// Fails outside a repository, when the thread is unknown, and when a record or tree cannot be read.
pub fn compare(
    session: &Session,
    a: impl Into<ThreadName>,
    b: impl Into<ThreadName>,
    paths: &[String],
) -> Result<Comparison, Error> {
    let repository = session.project().require_repository()?;
    let (a, b) = (state::show(session, a)?, state::show(session, b)?);
    let (calls_a, calls_b) = (calls(&repository, &a)?, calls(&repository, &b)?);
    let mut files = files(&repository, &a.commit_id, &b.commit_id)?;
    files.retain(|file| is_meant(&file.path, paths));
    Ok(Comparison {
        outputs: outputs(&a.outputs, &b.outputs),
        files,
        calls: pairs(&calls_a, &calls_b),
        a: a.into(),
        b: b.into(),
    })
}

/// Has the person's git list the files in which two runs differ, with how much.
///
/// # Errors
///
/// Fails when git cannot be run.
pub fn show_stat(session: &Session, comparison: &Comparison, pages: Option<Pages<'_>>) -> Result<(), Error> {
    let paths = comparison.files.iter().map(|file| file.path.as_str());
    difference::show(session, [&comparison.a.commit_id, &comparison.b.commit_id], paths, "--stat", pages)
}

fn outputs(a: &Map<String, Value>, b: &Map<String, Value>) -> Vec<OutputPair> {
    let mut names: Vec<&String> = a.keys().chain(b.keys().filter(|name| !a.contains_key(*name))).collect();
    names.sort();
    let pair = |name: &String| {
        let (a, b) = (a.get(name).cloned(), b.get(name).cloned());
        OutputPair { name: name.clone(), same: a == b, a, b }
    };
    names.into_iter().map(pair).collect()
}

fn files(repository: &Repository, a: &CommitId, b: &CommitId) -> Result<Vec<FilePair>, Error> {
    let own = format!("{SPACE_FOLDER}/threads/");
    let changes = repository.changes_below(std::slice::from_ref(a), b, "", MAX_ENTRIES)?;
    let changes = changes.into_iter().filter(|change| !change.path.starts_with(&own));
    let pair = |change: crate::git::TreeChange| FilePair {
        difference: match (&change.before, &change.after) {
            (None, _) => RunDifference::OnlyB,
            (Some(_), None) => RunDifference::OnlyA,
            (Some(_), Some(_)) => RunDifference::Content,
        },
        path: change.path,
    };
    Ok(changes.map(pair).collect())
}

/// Reads the calls of a run; a fork has those of the threads that it continues.
fn calls(repository: &Repository, thread: &Outcome) -> Result<Vec<Call>, Error> {
    let mut calls: Vec<(String, Call)> = Vec::new();
    for history in lineage(repository, &thread.thread_id, &thread.commit_id)? {
        for event in history.events() {
            match &event.what {
                EventData::ToolCallStart { call_id, tool, item_id, input, .. } => {
                    let (tool, item_id, input) = (tool.clone(), item_id.clone(), input.clone());
                    let call = Call { turn: event.turn, tool, item_id, input, status: None, output: Value::Null };
                    calls.push((call_id.clone(), call));
                }
                EventData::ToolCallResult { call_id, status, output, .. } => {
                    if let Some((_, call)) = calls.iter_mut().rev().find(|(id, _)| id == call_id) {
                        (call.status, call.output) = (Some(*status), output.clone());
                    }
                }
                _ => {}
            }
        }
    }
    Ok(calls.into_iter().map(|(_, call)| call).collect())
}

/// Aligns the calls of two runs, in order.
fn pairs(a: &[Call], b: &[Call]) -> Vec<CallPair> {
    let keys =
        |calls: &[Call]| calls.iter().map(|call| (call.tool.clone(), call.input.to_string())).collect::<Vec<_>>();
    let pair = |(a, b): (Option<&Call>, Option<&Call>)| CallPair {
        difference: match (a, b) {
            (Some(a), Some(b)) if (&a.tool, &a.input) != (&b.tool, &b.input) => RunDifference::Content,
            (Some(a), Some(b)) if (a.status, &a.output) != (b.status, &b.output) => RunDifference::Result,
            (Some(_), Some(_)) => RunDifference::None,
            (Some(_), None) => RunDifference::OnlyA,
            (None, _) => RunDifference::OnlyB,
        },
        a: a.cloned(),
        b: b.cloned(),
    };
    let mut pairs = Vec::new();
    for (one, other) in aligned(&keys(a), &keys(b)) {
        let (one, other) = (&a[one], &b[other]);
        // Where they differ, calls of the same tool are aligned.
        let tools = |calls: &[Call]| calls.iter().map(|call| call.tool.clone()).collect::<Vec<_>>();
        for (these, those) in aligned(&tools(one), &tools(other)) {
            let (one, other) = (&one[these], &other[those]);
            match one.len() == other.len() && one.iter().zip(other).all(|(a, b)| a.tool == b.tool) {
                true => pairs.extend(one.iter().zip(other).map(|(a, b)| pair((Some(a), Some(b))))),
                false => {
                    pairs.extend(one.iter().map(|a| pair((Some(a), None))));
                    pairs.extend(other.iter().map(|b| pair((None, Some(b)))));
                }
            }
        }
    }
    pairs
}

impl From<Outcome> for Run {
    fn from(thread: Outcome) -> Self {
        Self {
            thread_id: thread.thread_id,
            commit_id: thread.commit_id,
            directive: thread.directive,
            status: thread.status,
            model: thread.model,
            provider: thread.provider,
            turns: thread.turns,
            usage: thread.usage,
            spend: thread.spend,
        }
    }
}
