//! A change of an item, where it is, and how far a commit looks for changes.

use std::path::Path;

use super::super::locate::LocateError;
use super::one::Raw;
use crate::git::Mode;
use crate::trust::{Signed, Subject};
use crate::workspace::Candidate;

/// How far to look.
#[derive(Debug, Clone, Copy)]
pub enum Reach<'a> {
    /// Only staged content: a hook of `git commit` may touch nothing else. The index is the one the hook was told.
    Staged(Option<&'a Path>),
    /// Staged content, and content that is not staged yet.
    All,
    /// The files as they are at or below these paths, from the top of the work tree: what `git commit PATH` takes.
    Paths(&'a [String]),
}

/// An item whose content is new to the commit.
#[derive(Debug, Clone)]
pub struct Change {
    /// From the top of the work tree.
    pub path: String,
    /// Where the content is.
    pub place: Place,
    /// The file, to be shown and replaced.
    pub candidate: Candidate,
    pub(super) raw: Raw,
    /// What the bases have at the same path.
    pub(super) before: Vec<Raw>,
    /// The same content under other names in the bases: it was moved here.
    pub(super) moved_from: Vec<Subject>,
}

impl Change {
    /// Returns the file's version of the staged content, if both are the same but for the signature line.
    pub(super) fn file(&self) -> Option<Raw> {
        match &self.place {
            Place::Index { file: Some(bytes), .. } => Some(Signed::new(self.raw.subject().clone(), bytes.clone())),
            Place::Index { file: None, .. } | Place::File => None,
        }
    }
}

/// Where a changed content is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the work tree.
    File,
    /// In the index. `file` are the bytes of the file, if they are the same but for the signature line: it follows then,
    /// and otherwise stays as it is.
    Index {
        /// The kind of file.
        mode: Mode,
        /// What the file holds.
        file: Option<Vec<u8>>,
    },
}

/// What a commit would take.
#[derive(Debug, Default)]
pub struct Changes {
    /// Items with new content, by path.
    pub(super) changed: Vec<Change>,
    /// Items that are gone from the work tree, and not yet from the index.
    pub(super) removed: Vec<String>,
    /// Items that several files claim to be, and skills that are not staged as they are signed.
    pub(super) ambiguous: Vec<LocateError>,
    /// Files of the work tree that are not staged and cannot be read, each with the reason: the commit goes without them.
    pub(super) unreadable: Vec<String>,
}

impl Changes {
    /// Tells whether it is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.removed.is_empty() && self.ambiguous.is_empty()
    }
}

/// Tells whether a path is one of these or below one.
pub(super) fn lies_in(path: &str, folders: &[String]) -> bool {
    folders.iter().any(|folder| Path::new(path).starts_with(folder))
}
