//! What a skill changes of the one in its place: what runs and what it asks a client to allow first, then its text.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::error::Error;
use super::found::Found;
use crate::format;
use crate::id::Space;
use crate::item::{SKILL_FILE, SkillFile, SkillFolder};
use crate::ops::locate::Session;
use crate::workspace::SkillPlace;

/// What a skill changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SkillChange {
    /// What it can do and the one before could not: new and changed scripts, executable files, tools that it asks a client to allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<String>,
    /// What it can no longer do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The files that are new, changed or gone, with a word for each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileChange>,
}

/// How one file changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileChange {
    /// `added`, `changed` or `removed`.
    pub status: &'static str,
    /// From the skill's folder.
    pub path: String,
    /// The change of its text; empty for a file that is new or is no text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// Compares what was found with what is in its place. Of a skill that is new, everything it can do is gained.
pub(super) fn change(
    session: &Session,
    space: Space,
    path: &str,
    before: Option<&SkillFolder>,
    found: &Found,
) -> Result<SkillChange, Error> {
    let place = SkillPlace { name: found.id.name().to_owned(), path: path.to_owned() };
    let mut old: BTreeMap<String, (SkillFile, Vec<u8>)> = BTreeMap::new();
    for file in before.map(SkillFolder::files).unwrap_or_default() {
        // What is gone by now is no part of what is compared.
        if let Ok(bytes) = session.workspace().skill_file(space, &place, &file.path) {
            old.insert(file.path.clone(), (file, bytes));
        }
    }
    let files = found.read.folder.files();
    let mut change = SkillChange::default();
    for file in &files {
        let bytes = found.read.bytes.get(&file.path).map_or(&[][..], Vec::as_slice);
        let runs = is_script(file, bytes);
        let there = old.get(&file.path);
        match there {
            None => {
                change.files.push(FileChange { status: "added", path: file.path.clone(), diff: String::new() });
                if runs {
                    change.gained.push(format!("script {}", file.path));
                }
            }
            Some((was, was_bytes)) if was.sha256 != file.sha256 => {
                let diff = diff(was_bytes, bytes);
                change.files.push(FileChange { status: "changed", path: file.path.clone(), diff });
                if runs {
                    change.gained.push(format!("changed script {}", file.path));
                }
            }
            Some(_) => {}
        }
        let was_executable = there.is_some_and(|(was, _)| was.executable);
        if file.executable && !was_executable {
            change.gained.push(format!("executable {}", file.path));
        }
        if !file.executable && was_executable {
            change.lost.push(format!("executable {}", file.path));
        }
    }
    let names: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    for (path, (was, bytes)) in old.iter().filter(|(path, _)| !names.contains(path.as_str())) {
        change.files.push(FileChange { status: "removed", path: path.clone(), diff: String::new() });
        if is_script(was, bytes) {
            change.lost.push(format!("script {path}"));
        }
    }
    tools(&mut change, old.get(SKILL_FILE).map(|(_, bytes)| bytes.as_slice()), found);
    Ok(change)
}

fn tools(change: &mut SkillChange, before: Option<&[u8]>, found: &Found) {
    let of = |tools: &[String]| tools.iter().cloned().collect::<BTreeSet<String>>();
    let document = before.and_then(|bytes| format::skill_document(found.id.name(), bytes).0);
    let (old, new) = (of(document.as_ref().map_or(&[], |it| &it.allowed_tools)), of(&found.document.allowed_tools));
    change.gained.splice(0..0, new.difference(&old).map(|tool| format!("allowed-tools {tool}")));
    change.lost.extend(old.difference(&new).map(|tool| format!("allowed-tools {tool}")));
}

/// Tells whether a file is there to be run.
fn is_script(file: &SkillFile, bytes: &[u8]) -> bool {
    file.executable || bytes.starts_with(b"#!") || file.path.starts_with("scripts/")
}

fn diff(old: &[u8], new: &[u8]) -> String {
    match (std::str::from_utf8(old), std::str::from_utf8(new)) {
        (Ok(old), Ok(new)) => format::bounded_diff(old, new),
        _ => String::new(),
    }
}
