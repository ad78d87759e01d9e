//! Why an item is not published.

use std::path::PathBuf;

use thiserror::Error;

use super::super::extends;
use super::super::locate::{LineEnds, LocateError};
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::process;
use crate::redact::Leaks;
use crate::registry;
use crate::trust::Fault;
use crate::workspace;

/// Why an item is not published.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Its id has one segment.
    #[error("{item_type} `{item_id}` has no namespace: an id that is published has two segments or more")]
    NoNamespace { item_type: ItemType, item_id: ItemId },
    /// Its namespace is reserved.
    #[error("cannot publish {item_type} `{item_id}`: the namespace `{namespace}` is reserved")]
    Reserved { item_type: ItemType, item_id: ItemId, namespace: String },
    /// Its namespace belongs to other keys.
    #[error(
        "cannot publish {item_type} `{item_id}`: your key {fingerprint} does not own the namespace `{namespace}` in `{registry}`"
    )]
    NotOwner { item_type: ItemType, item_id: ItemId, namespace: String, registry: Segment, fingerprint: String },
    /// The item does not carry a good signature of the person's own.
    #[error("cannot publish {item_type} `{item_id}`: it needs your own signature, and {}", line_ends.as_ref().map_or_else(|| fault.to_string(), |ends| ends.cause.clone()))]
    Signature {
        item_type: ItemType,
        item_id: ItemId,
        /// The fault of the one it has.
        fault: Fault,
        /// Set where line ends are what changed since it was signed.
        line_ends: Option<Box<LineEnds>>,
    },
    /// It declares no version.
    #[error("cannot publish {item_type} `{item_id}`: it declares no version")]
    NoVersion { item_type: ItemType, item_id: ItemId },
    /// The version is published already, with other content.
    #[error("{item_type} `{item_id}` {version} is published in `{registry}` already, with other content")]
    Published { item_type: ItemType, item_id: ItemId, version: Version, registry: Segment },
    /// A companion is not the one that the tool lists.
    #[error("the companion `{path}` of tool `{item_id}` is not the one that the tool lists")]
    Companion { item_id: ItemId, path: String },
    /// What it needs is too much.
    #[error("{item_type} `{item_id}` needs more than {most} items")]
    TooMany { item_type: ItemType, item_id: ItemId, most: usize },
    /// Several registries are used, and none was named.
    #[error("several registries are used: {}", names.join(", "))]
    WhichRegistry { names: Vec<String> },
    /// The item changed between the question and the answer.
    #[error("{item_type} `{item_id}` changed while you were asked; nothing was published")]
    Changed { item_type: ItemType, item_id: ItemId },
    /// The place of the registry in user space is taken by something else.
    #[error("`{}` is there and is not a registry", path.display())]
    NotARegistry { path: PathBuf },
    /// Secrets would be published.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// What it needs cannot be found.
    #[error(transparent)]
    Extends(#[from] extends::Error),
    /// It cannot be found, or is not valid.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The registry cannot be used.
    #[error(transparent)]
    Registry(#[from] registry::Error),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
}

impl From<workspace::Error> for Error {
    fn from(error: workspace::Error) -> Self {
        LocateError::from(error).into()
    }
}
