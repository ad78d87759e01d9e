//! What is remembered of a tool's copy of a project, and what is at hand while it is made what the project is (`tool_copies.rs`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use cap_std::fs::Dir;

use super::stamp::FileStamp;
use crate::capability::ProjectPath;

/// Tells whether git ignores a path, which is that of a folder or not.
pub type IsIgnored<'a> = &'a dyn Fn(&str, bool) -> bool;

/// What is known of a copy since it was made.
#[derive(Debug)]
pub(super) struct Known {
    /// What the file system said of each file: in the project, and in the copy.
    pub(super) files: BTreeMap<PathBuf, [FileStamp; 2]>,
    pub(super) reflinks: bool,
    pub(super) is_new: bool,
    /// What git ignores and did not fit.
    pub(super) too_large: BTreeSet<String>,
}

impl Default for Known {
    fn default() -> Self {
        Self { files: BTreeMap::new(), reflinks: true, is_new: true, too_large: BTreeSet::new() }
    }
}

/// What is besides of a copy for tools.
pub(super) struct ForTools<'a> {
    pub(super) then: &'a Known,
    pub(super) now: BTreeMap<PathBuf, [FileStamp; 2]>,
    /// Where folders go that are not wanted.
    pub(super) trash: Dir,
    pub(super) thrown: u64,
    pub(super) is_ignored: Option<IsIgnored<'a>>,
    /// What is named, and whether git ignores it.
    pub(super) named: Vec<(PathBuf, bool)>,
    pub(super) put_off: Vec<ProjectPath>,
    /// The places of the project that no tool reads, by their paths in it.
    pub(super) closed: BTreeSet<PathBuf>,
}
