//! Why something cannot be done with a registry.

use std::path::PathBuf;

use thiserror::Error;

use super::super::locate::LocateError;
use crate::context::Unreadable;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::keys::KeysError;
use crate::process;
use crate::registry;
use crate::trust::KeyError;

/// Why something cannot be done with a registry.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The folder's name cannot be that of a registry.
    #[error("the name of the folder `{}` cannot be the name of a registry", path.display())]
    NoName { path: PathBuf },
    /// The person uses no registry.
    #[error("no registry is configured")]
    NoRegistry,
    /// Several registries are used, and none was named.
    #[error("several registries are used: {}", names.join(", "))]
    WhichRegistry { names: Vec<String> },
    /// The item is not published there.
    #[error("{} is not published in `{registry}`", what(*item_type, item_id, *version))]
    NotPublished {
        /// The type, if it was named.
        item_type: Option<ItemType>,
        item_id: ItemId,
        /// The version, if it was named.
        version: Option<Version>,
        registry: Segment,
    },
    /// Several types have the id.
    #[error("`{item_id}` is several items: {}", types.join(", "))]
    SeveralTypes { item_id: ItemId, types: Vec<&'static str> },
    /// The namespace has no owner.
    #[error("the namespace `{namespace}` in `{registry}` is not claimed")]
    NotClaimed { namespace: Segment, registry: Segment },
    /// The person does not own the namespace.
    #[error("your key {fingerprint} does not own the namespace `{namespace}` in `{registry}`")]
    NotOwner { namespace: String, registry: Segment, fingerprint: String },
    /// The person owns no namespace.
    #[error("your key {fingerprint} owns no namespace in `{registry}`")]
    NoPublisher { registry: Segment, fingerprint: String },
    /// A namespace must have an owner.
    #[error("the namespace `{namespace}` would be left without an owner")]
    LastOwner { namespace: Segment },
    /// A namespace has as many owners as it can.
    #[error("the namespace `{namespace}` has {most} owners already")]
    TooManyOwners { namespace: Segment, most: usize },
    /// The key is not an owner's.
    #[error("the key {fingerprint} does not own the namespace `{namespace}`")]
    NoSuchOwner { namespace: Segment, fingerprint: String },
    /// The reason cannot be written.
    #[error("the message must be one line of at most {most} bytes")]
    Message {
        /// The most bytes.
        most: usize,
    },
    /// The file has no public key.
    #[error("no public key in `{}` (expected OpenSSH)", path.display())]
    NoKey {
        path: PathBuf,
        #[source]
        source: KeyError,
    },
    /// The file holds no checkpoint.
    #[error("`{}` is not a checkpoint: {reason}", path.display())]
    NoCheckpoint { path: PathBuf, reason: &'static str },
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// A decision to trust cannot be taken back.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// The registry cannot be used.
    #[error(transparent)]
    Registry(#[from] registry::Error),
    /// The registry cannot be fetched, so it was not added.
    #[error("{0}")]
    NotAdded(registry::Error),
    /// The project cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

fn what(item_type: Option<ItemType>, item_id: &ItemId, version: Option<Version>) -> String {
    let item_type = item_type.map(|item_type| format!("{item_type} ")).unwrap_or_default();
    let version = version.map(|version| format!(" {version}")).unwrap_or_default();
    format!("{item_type}`{item_id}`{version}")
}
