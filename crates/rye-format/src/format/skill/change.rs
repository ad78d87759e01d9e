//! What a skill's folder changes of an earlier one: what runs and what it asks a client to allow first, then its text.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::document;
use crate::format::bounded_diff;
use crate::item::{SKILL_FILE, SkillContent, SkillFile, is_script_name};

/// What a skill changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct SkillChange {
    /// What it can do and the one before could not: new and changed scripts, executable files, tools that it asks a client to allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<String>,
    /// What it can no longer do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost: Vec<String>,
    /// The files that are new, changed or gone: scripts first, then `SKILL.md`.
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
    /// The change of its text; of a new file its text, but of a new skill only scripts and `SKILL.md`; empty where it is not text or not
    /// known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
}

/// The files of a skill's folder, with their bytes as far as these are at hand.
#[derive(Debug, Clone, Default)]
pub struct SkillFiles<'b> {
    files: BTreeMap<String, (SkillFile, Option<&'b [u8]>)>,
}

impl<'b> SkillFiles<'b> {
    /// Gathers files with their bytes.
    #[must_use]
    pub fn new(files: &[SkillFile], bytes: impl Fn(&str) -> Option<&'b [u8]>) -> Self {
        let files = files.iter().map(|file| (file.path.clone(), (file.clone(), bytes(&file.path))));
        Self { files: files.collect() }
    }

    /// Takes in a folder that was read with its bytes.
    #[must_use]
    pub fn of(content: &'b SkillContent) -> Self {
        Self::new(&content.folder.files(), |path| content.bytes.get(path).map(Vec::as_slice))
    }

    fn tools(&self, name: &str) -> BTreeSet<String> {
        let text = self.files.get(SKILL_FILE).and_then(|(_, bytes)| *bytes);
        let document = text.and_then(|bytes| document(name, bytes).0);
        document.into_iter().flat_map(|document| document.allowed_tools).collect()
    }
}

impl SkillChange {
    /// Compares two folders of the skill `name`. Of a skill that is new, everything it can do is gained.
    #[must_use]
    pub fn between(name: &str, old: &SkillFiles<'_>, new: &SkillFiles<'_>) -> Self {
        let mut change = Self::default();
        let (before, after) = (old.tools(name), new.tools(name));
        change.gained.extend(after.difference(&before).map(|tool| format!("allowed-tools {tool}")));
        let mut files = Vec::new();
        for (path, (file, bytes)) in &new.files {
            let (runs, was) = (is_script(file, *bytes), old.files.get(path));
            match was {
                None => {
                    // Every addition to a skill may contain instructions.
                    let is_read = runs || path == SKILL_FILE || !old.files.is_empty();
                    let diff = if is_read { diff(Some(&[]), *bytes) } else { String::new() };
                    files.push((rank(path, runs), FileChange { status: "added", path: path.clone(), diff }));
                    change.gained.extend(runs.then(|| format!("script {path}")));
                }
                Some((was, was_bytes)) if was.sha256 != file.sha256 => {
                    let diff = diff(*was_bytes, *bytes);
                    files.push((rank(path, runs), FileChange { status: "changed", path: path.clone(), diff }));
                    change.gained.extend(runs.then(|| format!("changed script {path}")));
                }
                Some(_) => {}
            }
            let was_executable = was.is_some_and(|(was, _)| was.executable);
            change.gained.extend((file.executable && !was_executable).then(|| format!("executable {path}")));
            change.lost.extend((!file.executable && was_executable).then(|| format!("executable {path}")));
        }
        for (path, (was, bytes)) in old.files.iter().filter(|(path, _)| !new.files.contains_key(*path)) {
            let runs = is_script(was, *bytes);
            files.push((rank(path, runs), FileChange { status: "removed", path: path.clone(), diff: String::new() }));
            change.lost.extend(runs.then(|| format!("script {path}")));
        }
        change.lost.extend(before.difference(&after).map(|tool| format!("allowed-tools {tool}")));
        files.sort_by(|a, b| (a.0, &a.1.path).cmp(&(b.0, &b.1.path)));
        change.files = files.into_iter().map(|(_, file)| file).collect();
        change
    }

    /// Tells whether nothing changes.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty() && self.files.is_empty()
    }
}

/// Scripts come first, then the instructions, then everything else.
fn rank(path: &str, runs: bool) -> u8 {
    match (runs, path == SKILL_FILE) {
        (true, _) => 0,
        (false, true) => 1,
        (false, false) => 2,
    }
}

/// Tells whether a file is there to be run.
fn is_script(file: &SkillFile, bytes: Option<&[u8]>) -> bool {
    let path = file.path.as_str();
    let is_named_so = path.starts_with("scripts/") || is_script_name(path);
    file.executable || is_named_so || bytes.is_some_and(|bytes| bytes.starts_with(b"#!"))
}

fn diff(old: Option<&[u8]>, new: Option<&[u8]>) -> String {
    match (old.and_then(text), new.and_then(text)) {
        (Some(old), Some(new)) => bounded_diff(old, new),
        _ => String::new(),
    }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trust::ContentHash;

    type Given = (&'static str, bool, &'static str);

    fn files(given: &'static [Given]) -> SkillFiles<'static> {
        let file = |(path, executable, text): &Given| SkillFile {
            path: (*path).to_owned(),
            executable: *executable,
            size: text.len() as u64,
            sha256: ContentHash::of(text.as_bytes()),
        };
        let listed: Vec<SkillFile> = given.iter().map(file).collect();
        SkillFiles::new(&listed, |path| given.iter().find(|one| one.0 == path).map(|one| one.2.as_bytes()))
    }

    #[test]
    fn what_runs_comes_first_and_a_new_script_is_shown_whole() {
        let old = files(&[("SKILL.md", false, "a\n"), ("gone.py", false, "g"), ("z.sh", false, "one\n")]);
        let new = files(&[
            ("SKILL.md", false, "b\n"),
            ("notes.md", false, "n"),
            ("scripts/new", true, "curl\n"),
            ("z.sh", false, "two\n"),
        ]);
        let change = SkillChange::between("x", &old, &new);
        let order: Vec<(&str, &str)> = change.files.iter().map(|file| (file.status, file.path.as_str())).collect();
        let wanted = [
            ("removed", "gone.py"),
            ("added", "scripts/new"),
            ("changed", "z.sh"),
            ("changed", "SKILL.md"),
            ("added", "notes.md"),
        ];
        assert_eq!(order, wanted);
        assert!(change.files[1].diff.contains("+curl") && change.files[4].diff.contains("+n"), "{change:?}");
        let pulled = SkillChange::between("x", &SkillFiles::default(), &new);
        assert!(pulled.files.iter().all(|file| (file.path == "notes.md") == file.diff.is_empty()), "{pulled:?}");
        assert_eq!(change.gained, ["script scripts/new", "executable scripts/new", "changed script z.sh"]);
        assert_eq!(change.lost, ["script gone.py"]);
        assert!(SkillChange::between("x", &new, &new).is_empty());
    }
}
