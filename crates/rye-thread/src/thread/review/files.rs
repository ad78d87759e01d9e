//! What a commit changed in a file, as a diff where there is one to show.

use serde::Serialize;

use crate::format::bounded_diff;
use crate::git::{Mode, Repository, TreeChange, TreeEntry};
use crate::thread::tree::DiffKind;
use crate::thread::tree::difference::kind;

/// The most files of one commit whose diffs are read.
const MOST_FILES: usize = 300;

/// The largest file that is compared line by line, in bytes.
const MOST_BYTES: u64 = 512 * 1024;

/// A file that a commit changed.
#[derive(Debug, Serialize)]
pub struct FileChange {
    /// From the top of the work tree.
    pub path: String,
    /// Its result.
    pub change: DiffKind,
    /// What it holds now, compared with before.
    #[serde(skip)]
    pub content: FileContent,
}

/// How the content of a file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileContent {
    /// The hunks of a unified diff, without its header; empty if only the mode changed.
    Text(String),
    /// It is not text, or too large to compare.
    Opaque,
    /// A symbolic link, to these places before and after.
    Link(Option<String>, Option<String>),
    /// A submodule.
    Submodule,
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// One of so many that it was not looked at.
    Unread,
}

/// Reads what became of one path, the `at`th of its commit.
pub(super) fn read(repository: &Repository, at: usize, change: &TreeChange) -> FileChange {
    let content = if at < MOST_FILES { content(repository, change) } else { FileContent::Unread };
    FileChange { path: change.path.clone(), change: kind(change), content }
}

fn content(repository: &Repository, change: &TreeChange) -> FileContent {
    let sides = [&change.before, &change.after];
    let is = |mode: Mode| sides.iter().any(|side| side.as_ref().is_some_and(|entry| entry.mode == mode));
    if is(Mode::Submodule) {
        return FileContent::Submodule;
    }
    let mut texts = [None, None];
    for (text, side) in texts.iter_mut().zip(sides) {
        match side.as_ref().map(|entry| repository.blob_within(&entry.blob_id, MOST_BYTES)) {
            None => {}
            Some(Ok(Some(bytes))) if !bytes.contains(&0) => match String::from_utf8(bytes) {
                Ok(read) => *text = Some(read),
                Err(_) => return FileContent::Opaque,
            },
            Some(Ok(_)) => return FileContent::Opaque,
            Some(Err(error)) => return FileContent::Unreadable(error.to_string()),
        }
    }
    let [before, after] = texts;
    let is_link = |side: &Option<TreeEntry>| side.as_ref().is_none_or(|entry| entry.mode == Mode::Symlink);
    if sides.into_iter().all(is_link) {
        return FileContent::Link(before, after);
    }
    FileContent::Text(bounded_diff(&before.unwrap_or_default(), &after.unwrap_or_default()))
}
