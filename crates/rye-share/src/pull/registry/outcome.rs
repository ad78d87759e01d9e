//! The planned and pulled items.

use serde::Serialize;

use super::super::lock::shown;
use super::super::plan::Status;
use super::sources::Origin;
use super::target::Target;
use crate::format::registry_files::{Lock, LockEntry};
use crate::id::{ItemId, ItemType, Segment, Space, Version};
use crate::registry::{Package, PublishedVersion};
use crate::trust::{PublicKey, Verdict};

/// What would be pulled.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The items, needed ones first.
    pub items: Vec<PlannedItem>,
    /// The decisions to trust that would make all of them good.
    pub trust: Vec<NewTrust>,
    pub(super) space: Space,
    pub(super) lock: Lock,
    /// Whether the lock must not change, and nothing is asked.
    pub is_locked: bool,
}

/// One item.
#[derive(Debug, Clone)]
pub struct PlannedItem {
    /// The registry.
    pub registry: Segment,
    /// Which registry that is, whatever the person calls it.
    pub origin: Origin,
    /// The version.
    pub version: PublishedVersion,
    /// Its files.
    pub package: Package,
    /// The existing entry.
    pub target: Target,
    /// The verdict of its signature now.
    pub verdict: Verdict,
    /// Why it is no longer recommended; none if it is.
    pub deprecated: Option<String>,
    /// Whether it was not asked for, but is needed.
    pub is_needed: bool,
}

/// A key that is trusted for one namespace from now on, if the person agrees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTrust {
    /// The registry.
    pub registry: Segment,
    /// The namespace.
    pub namespace: Segment,
    /// The fingerprint of the key.
    pub fingerprint: String,
    pub(super) key: PublicKey,
}

/// The pulled items.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The items, needed ones first.
    pub pulled: Vec<Pulled>,
    /// The lock.
    pub lock: String,
}

/// One item that was pulled.
#[derive(Debug, Clone, Serialize)]
pub struct Pulled {
    /// Its result.
    pub status: Status,
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version.
    pub version: Version,
    /// The space it is in now.
    pub space: Space,
    /// The verdict of its signature there.
    pub verdict: Verdict,
    /// The registry it came from.
    pub registry: Segment,
    /// Why it is no longer recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Whether its version was yanked: it stays, as the lock has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub yanked: bool,
    /// What it can do or cost, and the version before could not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gained: Vec<String>,
}

impl Outcome {
    /// Returns the outcome of a run that found nothing to do.
    #[must_use]
    pub fn nothing(space: Space) -> Self {
        Self { pulled: Vec::new(), lock: shown(space) }
    }
}

impl Plan {
    /// Returns what [`super::perform`] would return, as far as it is known before the question about keys.
    #[must_use]
    pub fn preview(&self) -> Outcome {
        let pulled = self.items.iter().map(|item| item.pulled(self.space, Vec::new(), false));
        Outcome { pulled: pulled.collect(), lock: shown(self.space) }
    }
}

impl PlannedItem {
    pub(super) fn pulled(&self, space: Space, gained: Vec<String>, trusts: bool) -> Pulled {
        let release = &self.version.release;
        let verdict = if trusts && self.verdict == Verdict::Untrusted { Verdict::Good } else { self.verdict };
        Pulled {
            status: self.target.status,
            item_type: release.item_type,
            item_id: release.id.clone(),
            version: release.version,
            space,
            verdict,
            registry: self.registry.clone(),
            deprecated: self.deprecated.clone(),
            yanked: self.version.is_yanked,
            gained,
        }
    }
}

/// Returns what the lock says of an item. One that was asked for before stays so.
pub(super) fn entry(item: &PlannedItem, before: &Lock) -> LockEntry {
    let release = &item.version.release;
    let was_asked_for = before.find(release.item_type, &release.id).is_some_and(|entry| !entry.needed);
    LockEntry {
        id: release.id.clone(),
        item_type: release.item_type,
        version: release.version,
        sha256: release.sha256,
        registry: item.origin.name.clone(),
        registry_key: item.origin.key.clone(),
        signer: item.version.key.fingerprint(),
        needed: item.is_needed && !was_asked_for,
    }
}
