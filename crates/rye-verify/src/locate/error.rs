//! Why an item cannot be found or used.

use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::LineEnds;
use crate::context::ContextError;
use crate::format::Finding;
use crate::git;
use crate::id::{GitSource, ItemId, ItemType, Segment, Space};
use crate::item::SkillFault;
use crate::keys::KeysError;
use crate::project;
use crate::trust::Fault;
use crate::workspace;

/// An item named by type and id in a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Named {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
}

/// Where to look for an item that was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// In this space, which has it.
    Space(Space),
    /// In a project: none was found.
    Project,
    /// Among the items of this type, which have the id.
    Type(ItemType),
}

/// Why an item cannot be found or used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum LocateError {
    /// No space has it, or not the one that was asked for.
    #[error("unknown {item_type} `{item_id}`{}", in_space(*space))]
    Unknown {
        item_type: ItemType,
        item_id: ItemId,
        /// The only space asked for.
        space: Option<Space>,
        /// The id that was probably meant.
        suggestion: Option<ItemId>,
        /// Where to look instead.
        instead: Option<Instead>,
    },
    /// The index has it, and a sparse checkout leaves it out of the work tree.
    #[error("{item_type} `{item_id}` is not checked out: a sparse checkout leaves out `{path}`")]
    NotCheckedOut {
        item_type: ItemType,
        item_id: ItemId,
        /// Its file, from the top of the project.
        path: String,
    },
    /// The index has a trust file, and a sparse checkout leaves it out of the work tree.
    #[error("`{path}` is not checked out: a sparse checkout leaves it out")]
    TrustNotCheckedOut { path: String },
    /// Its signature keeps it from being used.
    #[error("{item_type} `{item_id}` is refused: {}", line_ends.as_ref().map_or_else(|| fault.to_string(), |ends| ends.cause.clone()))]
    Refused {
        item_type: ItemType,
        item_id: ItemId,
        path: PathBuf,
        fault: Fault,
        /// Whether the project proposes its key.
        is_proposed: bool,
        /// Why its line ends changed, if nothing else did.
        line_ends: Option<Box<LineEnds>>,
        /// The registry it was pulled from, where its key is not trusted.
        registry: Option<Segment>,
        /// Where a skill was pulled from, where its key is not trusted.
        pulled: Option<Box<GitSource>>,
    },
    /// It is signed, and still not valid.
    #[error("{item_type} `{item_id}` is not valid")]
    Invalid {
        item_type: ItemType,
        item_id: ItemId,
        path: PathBuf,
        /// The faults, errors first.
        findings: Vec<Finding>,
        /// The file's text, to show the places.
        text: String,
    },
    /// A skill's folder differs from the signed one.
    #[error("skill `{item_id}` is refused: {}", told(path, faults))]
    SkillChanged {
        item_id: ItemId,
        /// The folder, from the top of its space; empty at the top.
        path: PathBuf,
        faults: Vec<SkillFault>,
    },
    /// Something that a client may take for a skill, or that is on the way to skills, keeps skills from being used.
    #[error("`{}`: {fault}", path.display())]
    SkillPlace {
        /// The file or folder, from the top of the project.
        path: PathBuf,
        /// What is wrong with it.
        fault: SkillFault,
    },
    /// A skill has no manifest, and others of the project have one.
    #[error("skill `{item_id}` is not signed")]
    SkillUnsigned {
        item_id: ItemId,
        /// The folder, from the top of the project; a person's own begins with `~/`.
        path: PathBuf,
        /// The id under which the folder is signed.
        signed_as: Option<ItemId>,
    },
    /// The name of a skill's folder is invalid.
    #[error("invalid skill name `{name}` (expected 1 to 64 characters of a–z, 0–9 and single hyphens)")]
    SkillName {
        name: String,
        /// The folder, from the top of the project.
        path: PathBuf,
    },
    /// A folder with a `SKILL.md` is not directly in a folder of `skills.paths`.
    #[error("`{}` is not in a folder of `skills.paths`", path.display())]
    SkillOutside {
        /// The folder, from the top of the project.
        path: PathBuf,
        above: String,
    },
    /// A commit would take a skill in another state than that which is signed, and the work tree has the signed one.
    #[error("skill `{item_id}` is not staged as it was signed: `{}` must be staged", paths.join("`, `"))]
    SkillNotStaged {
        item_id: ItemId,
        /// The paths to stage, from the top of the project.
        paths: Vec<String>,
        /// Whether git ignores one of them.
        is_ignored: bool,
    },
    /// Not in a git repository.
    #[error("`{}` is not in a git repository", dir.display())]
    NoProject {
        /// The folder it was looked for from.
        dir: PathBuf,
    },
    /// The git repository cannot be used.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// Keys or trust cannot be read.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl LocateError {
    /// Makes the error of a repository without a work tree.
    pub(super) fn bare(repository: &git::Repository) -> Self {
        git::Error::from(git::Unusable::Bare { git_dir: repository.git_dir().to_owned() }).into()
    }
}

impl From<project::Error> for LocateError {
    fn from(error: project::Error) -> Self {
        match error {
            project::Error::Context(error) => Self::Context(error),
            project::Error::Git(error) => Self::Git(error),
            project::Error::Workspace(error) => Self::Workspace(error),
            project::Error::Keys(error) => Self::Keys(error),
        }
    }
}

/// Tells the first fault of a skill's folder, and how many follow.
fn told(folder: &Path, faults: &[SkillFault]) -> String {
    let Some(first) = faults.first() else { return "its folder differs from the signed one".to_owned() };
    let place = match (first, first.path().unwrap_or_default()) {
        // It says which file it is about.
        (SkillFault::Lock { .. } | SkillFault::NoFolder, _) => String::new(),
        (_, "") => format!("`{}`: ", folder.display()),
        (_, path) => format!("`{}`: ", folder.join(path).display()),
    };
    match faults.len() - 1 {
        0 => format!("{place}{first}"),
        more => format!("{place}{first} (and {more} more)"),
    }
}

fn in_space(space: Option<Space>) -> String {
    space.map_or_else(String::new, |space| format!(" in the {space} space"))
}

/// Says how many items are invalid.
#[must_use]
pub fn invalid_items(failures: &[LocateError]) -> String {
    match failures.len() {
        1 => "1 item is invalid".to_owned(),
        number => format!("{number} items are invalid"),
    }
}
