//! What a reader wants to know of a thread first: what was refused, what it touched, what it changed, and which instructions
//! it followed. Facts of the record; whether the record counts is another question.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use super::files::{FileContent, read};
use crate::capability::Access;
use crate::event::{CallStatus, Event, EventData, ToldAs};
use crate::git::Repository;
use crate::id::{Extension, ItemId, ItemType, SPACE_FOLDER, Version, item_path};
use crate::item::{Builtin, PersonGrant};
use crate::locate::subject_at;
use crate::session::Session;
use crate::thread::error::Error;
use crate::thread::record::{Content, History};
use crate::thread::tree::DiffKind;
use crate::thread::tree::difference::{changed, kind};
use crate::trust::{ContentHash, KeyId, LineState, Signed};

/// A thread in short.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// What its person let it do by flags; none for a directive with permissions of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<PersonGrant>,
    /// The calls that were refused.
    pub refused: Vec<RefusedCall>,
    /// What it reached besides the files that it changed.
    pub touched: Touched,
    /// Everything that it changed, as one diff.
    pub changes: Vec<ChangedFile>,
    /// The instructions that it followed, in the order in which they came.
    pub instructions: Vec<Instruction>,
    /// What its model was told of the project's own instructions, such as `AGENTS.md`; empty in older threads.
    pub project: Vec<ProjectInstruction>,
}

/// A file in which the project instructs agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProjectInstruction {
    /// Its path, from the top.
    pub path: String,
    /// What the model got of it.
    pub told: ToldAs,
    /// Its object in the commit that the thread is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blob_id: Option<String>,
    /// How many bytes it had.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The key that signed the list which has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
    /// The names under which this key is trusted here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signers: Vec<String>,
    /// Why it was data, or left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A call that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedCall {
    /// The turn.
    pub turn: u32,
    /// The call, in words.
    pub call: String,
    /// The paths that the call of a built-in tool would have read or written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// What a thread reached.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub struct Touched {
    /// The paths that built-in tools read.
    pub read: BTreeSet<String>,
    /// The tools that ran, and the programs.
    pub ran: BTreeSet<String>,
    /// The hosts that tools reached.
    pub hosts: BTreeSet<String>,
    /// The hosts that they may not reach.
    pub refused_hosts: BTreeSet<String>,
}

/// A file that a thread changed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct ChangedFile {
    /// From the top of the work tree.
    pub path: String,
    /// What became of it.
    pub change: DiffKind,
    /// The lines that were added and removed; none for what has no lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<(usize, usize)>,
}

/// An item whose instructions reached the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Instruction {
    /// Its type.
    pub item_type: ItemType,
    /// Its id.
    pub item_id: ItemId,
    /// The directive's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The SHA-256 of its file, as recorded, or of the file in the thread's tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<ContentHash>,
    /// The key of its signature line, where its file is at hand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<KeyId>,
    /// The names under which this key is trusted here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub signers: Vec<String>,
}

/// Sums a thread up.
///
/// # Errors
///
/// Fails when its changes cannot be listed.
pub(super) fn summary(session: &Session, repository: &Repository, history: &History) -> Result<Summary, Error> {
    let mut summary = Summary { changes: changes(repository, history)?, ..Summary::default() };
    summary.granted = history.granted().cloned();
    let (directive, mut found) = (history.directive(), Vec::new());
    found.push((ItemType::Directive, directive.id.clone(), Some(directive.sha256)));
    let events: Vec<&Event> = history.turns.iter().flat_map(|turn| &turn.lines).filter_map(event).collect();
    for event in &events {
        summary.take(event, &events);
        found.extend(taken_in(event, &events));
        summary.project.extend(project_instruction(session, event));
    }
    for (item_type, item_id, sha256) in found {
        if !summary.instructions.iter().any(|known| known.item_type == item_type && known.item_id == item_id) {
            summary.instructions.push(instruction(session, repository, history, item_type, item_id, sha256));
        }
    }
    if let Some(first) = summary.instructions.first_mut() {
        first.version = Some(directive.version);
    }
    Ok(summary)
}

fn project_instruction(session: &Session, event: &Event) -> Option<ProjectInstruction> {
    let EventData::ProjectFile { path, blob_id, bytes, told, key_id, reason } = event.what.clone() else { return None };
    let signers = key_id.as_ref().map(|key_id| session.project().keys().principals(key_id)).unwrap_or_default();
    Some(ProjectInstruction { path, told, blob_id, bytes, key_id, signers, reason })
}

fn event(line: &crate::thread::record::RecordedLine) -> Option<&Event> {
    match &line.content {
        Content::Event(event) => Some(event),
        Content::Unknown { .. } | Content::Broken => None,
    }
}

impl Summary {
    fn take(&mut self, event: &Event, events: &[&Event]) {
        match &event.what {
            EventData::PermissionDenied { call_id, call, .. } => {
                let paths = paths_of(events, call_id);
                self.refused.push(RefusedCall { turn: event.turn, call: call.clone(), paths });
            }
            EventData::HookTriggered { call, status: CallStatus::Denied, .. } => {
                self.refused.push(RefusedCall { turn: event.turn, call: call.clone(), paths: Vec::new() });
            }
            EventData::ToolCallStart { call_id, tool, item_id: Some(id), input, .. }
                if status_of(events, call_id) != Some(CallStatus::Denied) =>
            {
                self.touched.take(tool, id, input);
            }
            EventData::ToolCallResult { hosts, .. } => {
                for asked in hosts {
                    let reached = if asked.allowed { &mut self.touched.hosts } else { &mut self.touched.refused_hosts };
                    reached.insert(asked.host.clone());
                }
            }
            _ => {}
        }
    }
}

impl Touched {
    /// Takes a call of a tool, by its own name or by `rye_execute`.
    fn take(&mut self, tool: &str, id: &ItemId, input: &Value) {
        let Some(parameters) = parameters(tool, input) else { return };
        let empty = Map::new();
        let parameters = parameters.unwrap_or(&empty);
        match Builtin::of(id) {
            Some(builtin) => {
                let touches = builtin.touches(parameters).unwrap_or_default();
                let read = touches.into_iter().filter(|touch| touch.access == Access::Read);
                self.read.extend(read.map(|touch| touch.path.to_string()));
            }
            None => {
                let program = parameters.get("program").and_then(Value::as_str);
                self.ran.insert(program.map_or_else(|| id.to_string(), |program| format!("{id} ({program})")));
            }
        }
    }
}

/// Returns the parameters of a call of a tool, by its own name or by `rye_execute`; none for a call of something else.
fn parameters<'i>(tool: &str, input: &'i Value) -> Option<Option<&'i Map<String, Value>>> {
    let item_type = input.get("item_type").and_then(Value::as_str);
    let parameters = match (tool, item_type) {
        ("rye_execute", Some("tool")) => input.get("parameters"),
        ("rye_execute" | "rye_load" | "rye_sign" | "rye_search", _) => return None,
        _ => Some(input),
    };
    Some(parameters.and_then(Value::as_object))
}

/// Lists the paths that a call of a built-in tool touches.
fn paths_of(events: &[&Event], wanted: &str) -> Vec<String> {
    let touches = |event: &&Event| match &event.what {
        EventData::ToolCallStart { call_id, tool, item_id: Some(id), input, .. } if call_id == wanted => {
            let parameters = parameters(tool, input)??;
            Builtin::of(id)?.touches(parameters).ok()
        }
        _ => None,
    };
    let touches = events.iter().find_map(touches).unwrap_or_default();
    touches.into_iter().map(|touch| touch.path.to_string()).collect()
}

/// Returns the item that an event took in.
fn taken_in(event: &Event, events: &[&Event]) -> Option<(ItemType, ItemId, Option<ContentHash>)> {
    match &event.what {
        EventData::ContextInjected { item_id, sha256, .. } => {
            Some((ItemType::Knowledge, item_id.clone(), Some(*sha256)))
        }
        EventData::ToolCallStart { call_id, tool, item_id: Some(id), input, .. }
            if tool == "rye_execute" && status_of(events, call_id) == Some(CallStatus::Ok) =>
        {
            let item_type = input.get("item_type")?.as_str()?.parse::<ItemType>().ok()?;
            (item_type != ItemType::Tool).then(|| (item_type, id.clone(), None))
        }
        EventData::HookTriggered { call, status: CallStatus::Ok, .. } => {
            let words: Vec<&str> = call.split_whitespace().take(3).collect();
            let ["execute", item_type, id] = words[..] else { return None };
            let item_type = item_type.parse::<ItemType>().ok().filter(|it| *it != ItemType::Tool)?;
            Some((item_type, id.trim_matches('`').parse().ok()?, None))
        }
        _ => None,
    }
}

fn status_of(events: &[&Event], wanted: &str) -> Option<CallStatus> {
    events.iter().find_map(|event| match &event.what {
        EventData::ToolCallResult { call_id, status, .. } if call_id == wanted => Some(*status),
        _ => None,
    })
}

/// Looks up the file of an item: as it was in the thread's tree, or in its space, if its digest is the recorded one.
fn instruction(
    session: &Session,
    repository: &Repository,
    history: &History,
    item_type: ItemType,
    item_id: ItemId,
    recorded: Option<ContentHash>,
) -> Instruction {
    let extension = match item_type {
        // Its manifest is what is signed.
        ItemType::Skill => Some(Extension::MANIFEST),
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => "md".parse::<Extension>().ok(),
    };
    let path = extension.map(|extension| format!("{SPACE_FOLDER}/{}", item_path(item_type, &item_id, &extension)));
    let at = |commit_id| repository.file_at(commit_id, path.as_ref()?).ok().flatten();
    let in_space = || {
        let candidates = session.project().workspace().candidates(item_type, &item_id).ok()?;
        let read = |candidate| session.project().workspace().read(candidate).ok();
        candidates.iter().filter_map(read).find(|bytes| Some(ContentHash::of(bytes)) == recorded)
    };
    let is_it = |bytes: &Vec<u8>| recorded.is_none_or(|recorded| recorded == ContentHash::of(bytes));
    let in_base = history.base().and_then(at).filter(is_it);
    let bytes = in_base.or_else(|| at(&history.outcome.commit_id).filter(is_it)).or_else(in_space);
    let subject = path.as_deref().and_then(subject_at);
    let key_id =
        bytes.clone().zip(subject).and_then(|(bytes, subject)| match Signed::new(subject, bytes).split().line {
            LineState::Present(line) => Some(line.key_id),
            LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => None,
        });
    let signers = key_id.as_ref().map(|key_id| session.project().keys().principals(key_id)).unwrap_or_default();
    let sha256 = recorded.or_else(|| bytes.as_deref().map(ContentHash::of));
    Instruction { item_type, item_id, version: None, sha256, key_id, signers }
}

/// Lists everything that a thread changed, from its first tree to its last.
fn changes(repository: &Repository, history: &History) -> Result<Vec<ChangedFile>, Error> {
    let Some(first) = history.commits.first() else { return Ok(Vec::new()) };
    let changes = changed(repository, &first.commit_id, &history.outcome.commit_id)?;
    let file = |(at, change)| {
        let lines = match read(repository, at, change).content {
            FileContent::Text(hunks) => {
                let count = |sign: char| hunks.lines().filter(|line| line.starts_with(sign)).count();
                Some((count('+'), count('-')))
            }
            FileContent::Opaque
            | FileContent::Link(..)
            | FileContent::Submodule
            | FileContent::Unreadable(_)
            | FileContent::Unread => None,
        };
        ChangedFile { path: change.path.clone(), change: kind(change), lines }
    };
    Ok(changes.iter().enumerate().map(file).collect())
}
