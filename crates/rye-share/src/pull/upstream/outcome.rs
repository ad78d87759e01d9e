//! What became of skills.

use serde::Serialize;

use super::super::plan::Status;
use crate::format::SkillChange;
use crate::id::{ItemId, Space, Version};
use crate::trust::{ContentHash, Verdict};

/// The pulled skills.
#[derive(Debug, Clone, Serialize)]
pub struct SkillOutcome {
    /// The skills.
    pub skills: Vec<PulledSkill>,
    /// The lock.
    pub lock: String,
}

/// One skill that was pulled.
#[derive(Debug, Clone, Serialize)]
pub struct PulledSkill {
    /// What became of its folder.
    pub status: Status,
    /// The id.
    pub item_id: ItemId,
    /// The version that its manifest says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The space it is in.
    pub space: Space,
    /// Its folder.
    pub folder: String,
    /// Its source, with the request.
    pub source: String,
    /// The commit.
    pub commit: String,
    /// The SHA-256 over the lines of its files.
    pub digest: ContentHash,
    /// The verdict of its signature.
    pub verdict: Verdict,
    /// The fingerprint of the key that signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// Whether its source has a signature: `signed` or `unsigned`.
    pub upstream: String,
    /// Whether the commit of the lock is not among those it came from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rewritten: bool,
    /// What it changes.
    pub change: SkillChange,
}

/// The kind of folders, and their results.
#[derive(Debug, Clone, Serialize)]
pub struct SyncOutcome {
    /// Whether everything is as the lock says.
    pub status: SyncState,
    /// Every skill that is in the lock or in a folder of `skills.paths`.
    pub skills: Vec<SyncedSkill>,
    /// The lock.
    pub lock: String,
}

/// Whether everything is as the lock says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncState {
    /// It is.
    Synced,
    /// It is not.
    Differs,
}

/// One skill.
#[derive(Debug, Clone, Serialize)]
pub struct SyncedSkill {
    /// What it is, or became.
    pub status: Synced,
    /// The id; of a folder that the lock does not have its name, if that can be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    /// Its folder.
    pub folder: String,
    /// What to know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl SyncedSkill {
    /// Returns the id, or the name of the folder.
    #[must_use]
    pub fn name(&self) -> &str {
        let of_folder = || self.folder.rsplit('/').next().unwrap_or_default();
        self.item_id.as_ref().map_or_else(of_folder, ItemId::as_str)
    }
}

/// What a skill is, or became.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Synced {
    /// It is as the lock says.
    Unchanged,
    /// Its folder or its signature was made again.
    Restored,
    /// It was taken into the lock.
    Adopted,
    /// It was removed.
    Pruned,
    /// Its folder is missing.
    Missing,
    /// Its folder holds other files than the lock says.
    Changed,
    /// Its signature is missing or another one, or contradicts the lock.
    Signature,
    /// The lock does not have it.
    Unlisted,
    /// It cannot be a skill.
    Refused,
}

impl Synced {
    /// Tells whether something is not as the lock says.
    #[must_use]
    pub const fn is_difference(self) -> bool {
        match self {
            Self::Unchanged | Self::Restored | Self::Adopted | Self::Pruned => false,
            Self::Missing | Self::Changed | Self::Signature | Self::Unlisted | Self::Refused => true,
        }
    }

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Restored => "restored",
            Self::Adopted => "adopted",
            Self::Pruned => "pruned",
            Self::Missing => "missing",
            Self::Changed => "changed",
            Self::Signature => "signature",
            Self::Unlisted => "unlisted",
            Self::Refused => "refused",
        }
    }
}
