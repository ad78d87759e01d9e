//! What a file is to a verification: an item, a skill, or neither.

use std::collections::BTreeSet;

use crate::format::Severity;
use crate::git::{BlobId, TreeEntry};
use crate::item::SkillFault;
use crate::trust::Subject;
use crate::workspace::{Candidate, SkillPlace};

/// The folder of the manifests of skills.
pub(super) const MANIFESTS: &str = ".ai/skills";

/// What a file is to a verification.
pub(super) enum Content {
    Item(Subject, Source),
    /// Boxed: few files are skills.
    Skill(Box<Skill>),
    Stray {
        reason: String,
        severity: Severity,
    },
}

/// Where an item's bytes are.
#[derive(Clone)]
pub(super) enum Source {
    File(Candidate),
    Blob(BlobId),
}

impl Content {
    /// A file that is not an item.
    pub(super) fn stray(reason: impl Into<String>) -> Self {
        Self::Stray { reason: reason.into(), severity: Severity::Warning }
    }

    /// A file with an item's name that cannot be the item: an unchecked file must not pass.
    pub(super) fn unusable(reason: impl Into<String>) -> Self {
        Self::Stray { reason: reason.into(), severity: Severity::Error }
    }
}

/// A skill, by its name.
pub(super) struct Skill {
    pub(super) name: String,
    /// The folders that have the name.
    pub(super) folders: Vec<Folder>,
    /// The manifests that are signed for the name.
    pub(super) manifests: Vec<(Subject, Source)>,
    /// What is wrong with something that a client may take for a skill, and that no manifest can be for.
    /// With the names of the skills that it concerns.
    pub(super) fault: Option<(SkillFault, BTreeSet<String>)>,
    /// Whether it is only offered, and what is wrong with it a warning.
    pub(super) is_offered: bool,
}

/// Where a skill's folder is.
pub(super) enum Folder {
    Here(SkillPlace),
    /// With what lies in it: found once for all skills of a folder.
    Commit(SkillPlace, Vec<TreeEntry>),
}

impl Folder {
    pub(super) fn is_offered(&self) -> bool {
        match self {
            Self::Here(place) | Self::Commit(place, _) => place.is_offered,
        }
    }

    pub(super) fn path(&self) -> &str {
        match self {
            Self::Here(place) | Self::Commit(place, _) => &place.path,
        }
    }
}
