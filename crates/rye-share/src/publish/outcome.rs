//! The planned and published packages.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::destination::Destination;
use super::skill::SkillPreview;
use crate::format::SkillChange;
use crate::git::CommitId;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::redact::Passed;
use crate::registry::{Package, Release, Snapshot};
use crate::trust::{Blake3Hash, ContentHash};

/// What would be published.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The items, needed ones first; the one that was asked for is the last.
    pub items: Vec<Planned>,
    /// The namespaces that become the person's.
    pub claims: Vec<Segment>,
    /// The registry.
    pub registry: Segment,
    /// The fingerprint of the person's key.
    pub fingerprint: String,
    pub(super) destination: Destination,
    /// The secrets that the person lets through.
    pub(super) passed: Passed,
}

/// One item.
#[derive(Debug, Clone)]
pub struct Planned {
    /// What its line says.
    pub release: Release,
    /// Its files.
    pub package: Package,
    /// Whether the registry has it.
    pub status: Status,
    /// The registry that has it, if that is another one.
    pub elsewhere: Option<Segment>,
    /// Of a skill that is signed by being published, what that signs.
    pub skill: Option<SkillPreview>,
}

/// What becomes of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is published.
    Published,
    /// The registry has this very version already.
    Unchanged,
    /// It would be published.
    DryRun,
}

/// The published packages.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Its result.
    pub status: Status,
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub id: ItemId,
    /// The version.
    pub version: Version,
    /// The SHA-256 of the item's file.
    pub sha256: ContentHash,
    /// The BLAKE3 of the package's manifest.
    pub blake3: Blake3Hash,
    /// The registry.
    pub registry: Segment,
    /// Its place in the log; none before it is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The commit of the registry; none before it is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
    /// What changed of a skill since it was signed last; none for anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<SkillChange>,
    /// The needed packages that were published with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needed: Vec<Published>,
}

/// An item that was published because another one needs it.
#[derive(Debug, Clone, Serialize)]
pub struct Published {
    /// Its result.
    pub status: Status,
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub id: ItemId,
    /// The version.
    pub version: Version,
    /// The registry.
    pub registry: Segment,
    /// Its place in the log; none before it is published, and in another registry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
}

impl Plan {
    /// Returns the item that was asked for.
    #[must_use]
    pub fn main(&self) -> &Planned {
        self.items.last().expect("because what was asked for is always planned")
    }

    /// Tells whether there is anything to publish.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.iter().all(|item| item.status == Status::Unchanged)
    }

    /// Returns where the registry is.
    #[must_use]
    pub fn url(&self) -> String {
        match &self.destination {
            Destination::Known(known) => known.url.clone(),
            Destination::New { path, .. } => path.display().to_string(),
        }
    }

    /// Returns the folder of a registry that is made on the way.
    #[must_use]
    pub fn new_registry(&self) -> Option<&Path> {
        match &self.destination {
            Destination::Known(_) => None,
            Destination::New { path, .. } => Some(PathBuf::as_path(path)),
        }
    }

    /// Returns the outcome of a run that publishes nothing.
    #[must_use]
    pub fn dry_run(&self) -> Outcome {
        let status = |status| if status == Status::Published { Status::DryRun } else { status };
        self.outcome(status, |_| None, None)
    }

    fn outcome(
        &self,
        status: impl Fn(Status) -> Status,
        seq: impl Fn(&Release) -> Option<u64>,
        commit_id: Option<CommitId>,
    ) -> Outcome {
        let needed = self.items[..self.items.len() - 1].iter().map(|item| Published {
            status: status(item.status),
            item_type: item.release.item_type,
            id: item.release.id.clone(),
            version: item.release.version,
            registry: item.elsewhere.clone().unwrap_or_else(|| self.registry.clone()),
            seq: seq(&item.release).filter(|_| item.elsewhere.is_none()),
        });
        let main = self.main();
        let Release { item_type, id, version, sha256, blake3, .. } = main.release.clone();
        let registry = self.registry.clone();
        let change = main.skill.as_ref().map(|skill| skill.change.clone());
        let (status, seq, needed) = (status(main.status), seq(&main.release), needed.collect());
        Outcome { status, item_type, id, version, sha256, blake3, registry, seq, commit_id, change, needed }
    }
}

/// Reports the published packages. `is_new` tells whether anything was.
pub(super) fn published(plan: &Plan, snapshot: &Snapshot, is_new: bool) -> Outcome {
    let state = snapshot.log.state();
    let seq = |release: &Release| {
        let published = state.published(release.item_type, &release.id)?;
        Some(published.versions.get(&release.version)?.seq)
    };
    let status = |status| if is_new { status } else { Status::Unchanged };
    plan.outcome(status, seq, Some(snapshot.commit_id.clone()))
}
