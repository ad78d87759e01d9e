//! The planned and made moves: the structs that a person is shown and that `--json` prints.

use serde::Serialize;

use super::companions::{Companion, MovedFile};
use crate::id::{ItemId, ItemType, Space};
use crate::trust::Subject;
use crate::workspace::Candidate;

/// What would be moved and changed, worked out before anything is written.
#[derive(Debug)]
pub struct Plan {
    pub(super) moved: Change,
    pub(super) to: ItemId,
    /// The new file as it is there already: an earlier run was killed.
    pub(super) there: Option<Vec<u8>>,
    pub(super) companions: Vec<Companion>,
    pub(super) references: Vec<Change>,
    pub(super) mentions: Vec<Mention>,
    pub(super) pulled: Vec<Mention>,
    pub(super) warnings: Vec<String>,
}

/// A file that gets a new text.
#[derive(Debug)]
pub(super) struct Change {
    pub(super) candidate: Candidate,
    /// Its signature: under its new id, if it gets one.
    pub(super) subject: Subject,
    pub(super) old: Vec<u8>,
    pub(super) new: Vec<u8>,
    pub(super) path: String,
    pub(super) new_path: String,
    pub(super) lines: Vec<usize>,
    pub(super) is_signed: bool,
    /// Whether an agent is known to have written it.
    pub(super) is_by_agent: bool,
}

/// The moved files.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Whether it was.
    pub status: Status,
    /// The type.
    pub item_type: ItemType,
    /// The id it had.
    pub from: ItemId,
    /// The id it has.
    pub to: ItemId,
    /// The space.
    pub space: Space,
    /// The file it was.
    pub path: String,
    /// The file it is.
    pub new_path: String,
    /// Whether it carries the person's signature under its new id.
    pub signed: bool,
    /// The companions that come along.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<MovedFile>,
    /// The items that name it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Changed>,
    /// Places that name it and stay as they are: prose, code and patterns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<Mention>,
    /// Pulled items that name it and stay as they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pulled: Vec<Mention>,
    /// What to think of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// What became of the item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It was moved.
    Moved,
    /// It would be moved.
    DryRun,
}

/// An item that names the moved one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The file.
    pub path: String,
    /// The lines that changed.
    pub lines: Vec<usize>,
    /// Whether it carries the person's signature.
    pub signed: bool,
}

/// Places of a file that stay as they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mention {
    /// The file.
    pub path: String,
    /// The lines.
    pub lines: Vec<usize>,
}

impl Plan {
    /// Returns how many items get a signature.
    #[must_use]
    pub fn signatures(&self) -> usize {
        self.references.iter().chain([&self.moved]).filter(|change| change.is_signed).count()
    }

    /// Returns the outcome of a run that changes nothing.
    #[must_use]
    pub fn dry_run(&self) -> Outcome {
        self.outcome(Status::DryRun)
    }

    pub(super) fn outcome(&self, status: Status) -> Outcome {
        let Change { candidate, path, new_path, is_signed, .. } = &self.moved;
        let references = self.references.iter().map(|change| Changed {
            item_type: change.candidate.item_type,
            item_id: change.candidate.id.clone(),
            path: change.path.clone(),
            lines: change.lines.clone(),
            signed: change.is_signed,
        });
        Outcome {
            status,
            item_type: candidate.item_type,
            from: candidate.id.clone(),
            to: self.to.clone(),
            space: candidate.space,
            path: path.clone(),
            new_path: new_path.clone(),
            signed: *is_signed,
            companions: self.companions.iter().map(|companion| companion.shown.clone()).collect(),
            references: references.collect(),
            mentions: self.mentions.clone(),
            pulled: self.pulled.clone(),
            warnings: self.warnings.clone(),
        }
    }
}
