//! What its person is told of an item before they sign it.

use std::fmt;

use serde::Serialize;

use super::one::Raw;
use super::origin::Origin;
use crate::format::changed_lines;
use crate::id::{ItemId, ItemType};
use crate::trust::Verdict;

/// An item that would be signed, with what whoever is asked should know of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// Its type.
    pub item_type: ItemType,
    /// Its id.
    pub item_id: ItemId,
    /// Its file, from the top of the work tree.
    pub path: String,
    /// Whose work it is.
    #[serde(flatten)]
    pub origin: Origin,
    /// The verdict of its signature, where it is replaced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// What changed.
    #[serde(flatten)]
    pub delta: Delta,
    /// Whether it has hidden characters.
    pub hides: bool,
}

/// What changed in an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Delta {
    /// All of it is new.
    Added {
        /// Its lines.
        lines: usize,
    },
    /// It has this content under another name.
    Moved {
        /// From this item.
        from: ItemId,
    },
    /// Lines of the version before changed.
    Lines {
        /// So many are new.
        added: usize,
        /// So many are gone.
        removed: usize,
    },
}

/// For people.
impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { lines } => write!(f, "+{lines} lines"),
            Self::Moved { from } => write!(f, "moved from {from}"),
            Self::Lines { added: 0, removed: 0 } => f.write_str("unchanged"),
            Self::Lines { added, removed } => write!(f, "+{added} -{removed} lines"),
        }
    }
}

/// The most items that one sentence names.
const MOST_NAMED: usize = 20;

/// Names items that would be signed, in one sentence.
#[must_use]
pub fn listed(items: &[Pending]) -> String {
    let named = |item: &Pending| match item.verdict {
        Some(verdict) => format!("`{}` ({}, {verdict}, {})", item.path, item.origin, item.delta),
        None => format!("`{}` ({})", item.path, item.origin),
    };
    let mut named: Vec<String> = items.iter().take(MOST_NAMED).map(named).collect();
    named.extend((items.len() > MOST_NAMED).then(|| format!("and {} more", items.len() - MOST_NAMED)));
    named.join(", ")
}

/// Tells what changed between two versions.
pub(super) fn delta_of(before: Option<&Raw>, after: &Raw) -> Delta {
    let text = |raw: &Raw| String::from_utf8_lossy(&raw.split().body()).into_owned();
    match before {
        Some(before) => {
            let (added, removed) = changed_lines(&text(before), &text(after));
            Delta::Lines { added, removed }
        }
        None => Delta::Added { lines: text(after).lines().count() },
    }
}
