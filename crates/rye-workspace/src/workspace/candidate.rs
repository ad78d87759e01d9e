//! A file of a space that may be used as an item.

use std::path::PathBuf;

use crate::id::{Extension, ItemId, ItemType, Space, item_path};

/// A file that is an item of some space; its content is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The space it was found in.
    pub space: Space,
    /// Its type, from its folder.
    pub item_type: ItemType,
    /// Its id.
    pub id: ItemId,
    /// Its extension.
    pub extension: Extension,
    /// The path to show: below the space's root, or `builtin:directives/rye/x.md`.
    pub path: PathBuf,
}

impl Candidate {
    /// Returns the path below `.ai/`, such as `directives/deploy/staging.md`.
    #[must_use]
    pub fn path_in_space(&self) -> PathBuf {
        PathBuf::from(item_path(self.item_type, &self.id, &self.extension))
    }
}
