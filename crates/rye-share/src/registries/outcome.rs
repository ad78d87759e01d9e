//! What came of a verb about registries.

use serde::Serialize;

use crate::format::registry_files::{Claims, KnownRegistry};
use crate::git::CommitId;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::registry::Snapshot;
use crate::trust::ContentHash;

/// A registry that was made.
#[derive(Debug, Clone, Serialize)]
pub struct InitOutcome {
    /// Its name.
    pub name: Segment,
    /// Its folder.
    pub path: String,
    /// Who may claim a namespace.
    pub claims: Claims,
    /// Its first commit.
    pub commit_id: CommitId,
    /// The fingerprint of the key that made it.
    pub fingerprint: String,
}

/// The registries that a person uses.
#[derive(Debug, Clone, Serialize)]
pub struct ListOutcome {
    /// In the order in which they were added.
    pub registries: Vec<KnownOutcome>,
}

/// One registry that a person uses.
#[derive(Debug, Clone, Serialize)]
pub struct KnownOutcome {
    /// Its local name.
    pub name: Segment,
    /// Where it is.
    pub url: String,
    /// The namespaces that come from it.
    pub namespaces: Vec<Segment>,
    /// The namespaces whose keys count no longer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ended: Vec<String>,
}

/// What a registry holds.
#[derive(Debug, Clone, Serialize)]
pub struct Info {
    /// Its local name.
    pub name: Segment,
    /// Where it is.
    pub url: String,
    /// Its own name.
    pub own_name: Segment,
    /// Who may claim a namespace.
    pub claims: Claims,
    /// The number of lines of its log.
    pub size: u64,
    /// The root of their tree.
    pub root: ContentHash,
    /// The commit.
    pub commit_id: CommitId,
    /// The namespaces.
    pub namespaces: Vec<NamespaceInfo>,
    /// The items.
    pub items: Vec<ItemInfo>,
}

/// A namespace.
#[derive(Debug, Clone, Serialize)]
pub struct NamespaceInfo {
    /// Its name.
    pub name: Segment,
    /// The fingerprints of its owners' keys.
    pub owners: Vec<String>,
}

/// An item with its versions.
#[derive(Debug, Clone, Serialize)]
pub struct ItemInfo {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The newest version that was not yanked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Version>,
    /// The number of versions.
    pub versions: usize,
    /// How many of them were yanked.
    pub yanked: usize,
    /// Why it is no longer recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
}

/// A registry that passed every check.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyOutcome {
    /// Its local name.
    pub registry: Segment,
    /// The number of lines of its log.
    pub size: u64,
    /// The root of their tree.
    pub root: ContentHash,
    /// The number of versions whose files were checked.
    pub versions: usize,
    /// The commit.
    pub commit_id: CommitId,
}

/// The recorded state of a registry.
#[derive(Debug, Clone, Serialize)]
pub struct CheckpointOutcome {
    /// Its local name.
    pub registry: Segment,
    /// The number of lines of its log.
    pub size: u64,
    /// The root of their tree.
    pub root: ContentHash,
    /// The number of lines of the checkpoint that it was compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<u64>,
    /// The checkpoint as a signed note.
    pub note: String,
}

/// A change of a registry.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeOutcome {
    /// Whether anything changed.
    pub status: ChangeStatus,
    /// The registry.
    pub registry: Segment,
    /// The planned change, in words.
    pub change: String,
    /// The same as something done.
    #[serde(skip)]
    pub done: String,
    /// Its place in the log; none if nothing changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<u64>,
    /// The commit of the registry.
    pub commit_id: CommitId,
}

/// Whether anything changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeStatus {
    /// It did.
    Changed,
    /// It was so already.
    Unchanged,
}

/// Tells what a registry holds.
pub(super) fn info(known: &KnownRegistry, snapshot: &Snapshot) -> Info {
    let (state, checkpoint) = (snapshot.log.state(), &snapshot.log.checkpoint().checkpoint);
    let namespaces = state.namespaces().iter().map(|(name, owners)| NamespaceInfo {
        name: name.clone(),
        owners: owners.iter().map(crate::trust::PublicKey::fingerprint).collect(),
    });
    let items = state.items().map(|(id, item_type, published)| {
        let good = published.versions.iter().filter(|(_, version)| !version.is_yanked);
        ItemInfo {
            item_type,
            item_id: id.clone(),
            newest: good.clone().map(|(version, _)| *version).next_back(),
            versions: published.versions.len(),
            yanked: published.versions.len() - good.count(),
            deprecated: published.deprecated.clone(),
        }
    });
    Info {
        name: known.name.clone(),
        url: known.url.clone(),
        own_name: state.config().name.clone(),
        claims: state.config().claims,
        size: checkpoint.size,
        root: checkpoint.root,
        commit_id: snapshot.commit_id.clone(),
        namespaces: namespaces.collect(),
        items: items.collect(),
    }
}
