//! The work for one file.

use super::Renames;
use crate::id::ItemType;
use crate::trust::Subject;

/// The rewrites in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every legacy form, and references to items that are renamed.
    All,
    /// References to items that are renamed.
    References,
}

/// The work on one file.
pub(super) struct Job<'a> {
    /// The item; none for a capability document.
    pub(super) subject: Option<&'a Subject>,
    pub(super) scope: Scope,
    pub(super) renames: &'a Renames,
}

impl Job<'_> {
    /// Returns the type of the item; a capability document is written like a tool.
    pub(super) fn item_type(&self) -> ItemType {
        self.subject.map_or(ItemType::Tool, |subject| subject.item_type)
    }

    pub(super) fn is_yaml(&self) -> bool {
        self.subject.is_none_or(|subject| matches!(subject.extension.as_str(), "yaml" | "yml"))
    }

    /// Returns a path that is written from the item's own folder, as one from the folder that holds `.ai`.
    pub(super) fn path_from_folder(&self, path: &str) -> Option<String> {
        let subject = self.subject?;
        let mut parts = vec![".ai", subject.item_type.folder()];
        for part in subject.item_id.category().split('/').chain(path.split('/')) {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                part => parts.push(part),
            }
        }
        Some(parts.join("/"))
    }
}
