//! Why a skill cannot be put into a folder, wherever it comes from.

use thiserror::Error;

use crate::id::ItemId;
use crate::item::SkillFault;
use crate::ops::locate::LocateError;
use crate::workspace;

/// Why a skill cannot be put into a folder.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// The folder's name is not valid for skills in the public format.
    #[error("`{name}` cannot be the name of a skill: expected 1 to 64 of a–z, 0–9 and single hyphens")]
    Name {
        /// The last name of the folder.
        name: String,
    },
    /// The folder cannot be a skill.
    #[error("`{source_shown}` is refused: {}", told(faults))]
    Faulty {
        /// Where it came from.
        source_shown: String,
        /// The fault.
        faults: Vec<SkillFault>,
    },
    /// Another skill has the folder.
    #[error("the folder `{folder}` belongs to skill `{other}`")]
    FolderTaken {
        /// The folder.
        folder: String,
        /// The skill that has it.
        other: ItemId,
    },
    /// The skill lies in another folder.
    #[error("skill `{id}` lies in `{folder}` already")]
    OtherFolder {
        /// The skill.
        id: ItemId,
        /// Its folder.
        folder: String,
    },
    /// Another folder has a skill of the name, with other files.
    #[error("the folder `{folder}` has a skill `{}` with other files", id.name())]
    OtherCopy {
        /// The skill.
        id: ItemId,
        /// The other folder.
        folder: String,
    },
    /// Clients do not read skills from the folder.
    #[error("`{path}` is not in `skills.paths`: {}", known.join(", "))]
    NotSkillFolder {
        /// The folder.
        path: String,
        /// The folders that are, in backticks.
        known: Vec<String>,
    },
    /// A flag has no effect on the pulled items.
    #[error("`{flag}` does not go with {what}")]
    Flag {
        /// The flag.
        flag: &'static str,
        /// The pulled items.
        what: &'static str,
    },
    /// It cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

impl From<workspace::Error> for PlaceError {
    fn from(error: workspace::Error) -> Self {
        Self::Locate(error.into())
    }
}

/// Names the first faults.
fn told(faults: &[SkillFault]) -> String {
    const SHOWN: usize = 3;
    let one = |fault: &SkillFault| match fault.path().filter(|path| !path.is_empty()) {
        Some(path) => format!("`{path}`: {fault} ({})", fault.rule()),
        None => format!("{fault} ({})", fault.rule()),
    };
    let mut told: Vec<String> = faults.iter().take(SHOWN).map(one).collect();
    if faults.len() > SHOWN {
        told.push(format!("and {} more", faults.len() - SHOWN));
    }
    told.join("; ")
}
