//! Why something cannot be put into its place or removed, wherever it comes from.

use thiserror::Error;

use super::signature::told;
use crate::id::{ItemId, ItemType, Space};
use crate::item::SkillFault;
use crate::keys::KeysError;
use crate::locate::LocateError;
use crate::trust::Fault;
use crate::workspace;

/// Why something cannot be put into its place or removed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The folder's name is not valid for skills in the public format.
    #[error("`{name}` cannot be the name of a skill: expected 1 to 64 of a–z, 0–9 and single hyphens")]
    Name {
        /// The last name of the folder.
        name: String,
    },
    /// The folder cannot be a skill.
    #[error("`{source_shown}` is refused: {}", first(faults))]
    Faulty {
        /// Where it came from.
        source_shown: String,
        faults: Vec<SkillFault>,
    },
    /// Another skill has the folder.
    #[error("the folder `{folder}` belongs to skill `{other}`")]
    FolderTaken {
        folder: String,
        /// The skill that has it.
        other: ItemId,
    },
    /// The skill lies in another folder.
    #[error("skill `{id}` lies in `{folder}` already")]
    OtherFolder { id: ItemId, folder: String },
    /// Another folder has a skill of the name, with other files.
    #[error("the folder `{folder}` has a skill `{}` with other files", id.name())]
    OtherCopy { id: ItemId, folder: String },
    /// Clients do not read skills from the folder.
    #[error("`{path}` is not in `skills.paths`: {}", known.join(", "))]
    NotSkillFolder {
        path: String,
        /// The folders that are, in backticks.
        known: Vec<String>,
    },
    /// A flag has no effect on the pulled items.
    #[error("`{flag}` does not go with {what}")]
    Flag { flag: &'static str, what: &'static str },
    /// There is something else in an item's place.
    #[error("{item_type} `{item_id}` in the {space} space was changed here")]
    LocalChange { item_type: ItemType, item_id: ItemId, space: Space },
    /// A skill's folder holds something else.
    #[error("the folder `{folder}` of skill `{id}` was changed here")]
    LocalFolder { id: ItemId, folder: String },
    /// A skill's signature was made here.
    #[error("skill `{id}` has a signature here that was not pulled")]
    LocalSignature { id: ItemId },
    /// Its signature does not count, whatever is decided now.
    #[error("{item_type} `{item_id}` is refused: {fault}")]
    Refused { item_type: ItemType, item_id: ItemId, fault: Fault },
    /// The lock cannot be read.
    #[error("`{path}` cannot be read: {reason}")]
    Lock { path: String, reason: String },
    /// Another program pulled meanwhile.
    #[error("another program changed `{path}` meanwhile")]
    LockMoved { path: String },
    /// It was not pulled.
    #[error("`{item_id}` is not in `rye.lock`")]
    NotPulled { item_id: ItemId },
    /// Several types have the id.
    #[error("`{item_id}` is several items: {}", types.join(", "))]
    SeveralTypes { item_id: ItemId, types: Vec<&'static str> },
    /// Others need it.
    #[error("{item_type} `{item_id}` is needed by {}", by.join(", "))]
    Needed {
        item_type: ItemType,
        item_id: ItemId,
        /// The item that needs it, in backticks.
        by: Vec<String>,
    },
    /// It cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The decision to trust cannot be written.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

impl From<workspace::Error> for Error {
    fn from(error: workspace::Error) -> Self {
        Self::Locate(error.into())
    }
}

/// Names the first faults.
fn first(faults: &[SkillFault]) -> String {
    const SHOWN: usize = 3;
    let mut told: Vec<String> = faults.iter().take(SHOWN).map(told).collect();
    if faults.len() > SHOWN {
        told.push(format!("and {} more", faults.len() - SHOWN));
    }
    told.join("; ")
}
