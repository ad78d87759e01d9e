//! Why an item is not pulled.

use thiserror::Error;

use super::super::error::Error as PullError;
use crate::id::{ItemId, ItemType, Requirement, Segment, Space, Version};
use crate::locate::LocateError;
use crate::process;
use crate::registry;
use crate::workspace;

/// Why an item is not pulled.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The id has one segment.
    #[error("`{item_id}` has no namespace: an id in a registry has two segments or more")]
    NoNamespace { item_id: ItemId },
    /// The person uses no registry.
    #[error("no registry is configured")]
    NoRegistry,
    /// No registry has it.
    #[error("unknown item `{item_id}` in {}", registries.join(", "))]
    Unknown {
        item_id: ItemId,
        /// Where it was looked for, in backticks.
        registries: Vec<String>,
        /// The id that was probably meant.
        nearest: Option<String>,
    },
    /// Several registries have its namespace.
    #[error("the namespace `{namespace}` is in several registries: {}", registries.join(", "))]
    SeveralRegistries {
        namespace: Segment,
        registries: Vec<String>,
        /// The item that was asked for.
        item_id: ItemId,
    },
    /// Its namespace comes from another registry.
    #[error("the namespace `{namespace}` comes from the registry `{pinned}`, not from `{registry}`")]
    Pinned {
        namespace: Segment,
        /// Where it first came from.
        pinned: Segment,
        /// Where it was to come from now.
        registry: Segment,
    },
    /// The lock has its namespace from a registry that the person does not use.
    #[error("`rye.lock` has `{item_id}` from the registry `{registry}` with the first key {key}, which you do not use")]
    OtherRegistry {
        item_id: ItemId,
        registry: Segment,
        /// The fingerprint of its first key.
        key: String,
    },
    /// It is of another type.
    #[error("`{item_id}` in `{registry}` has the type {}, not {item_type}", types.join(" and "))]
    OtherType {
        item_id: ItemId,
        /// The type that was asked for.
        item_type: ItemType,
        /// The types that it has.
        types: Vec<&'static str>,
        registry: Segment,
    },
    /// Neither an item was named nor the lock.
    #[error("expected the id of an item, or `--locked`")]
    NothingNamed,
    /// There is no lock to use.
    #[error("`{path}` does not exist")]
    NoLock { path: String },
    /// No version will do.
    #[error("{}", no_version(*item_type, item_id, registry, requirements, *yanked))]
    NoVersion {
        item_type: ItemType,
        item_id: ItemId,
        registry: Segment,
        requirements: Vec<String>,
        /// How many versions that match were yanked.
        yanked: usize,
    },
    /// A later version of this program is needed.
    #[error("{item_type} `{item_id}` {version} in `{registry}` needs rye {needed} or later")]
    NewerProgram {
        item_type: ItemType,
        item_id: ItemId,
        version: Version,
        registry: Segment,
        /// The oldest version of the program that will do.
        needed: Version,
    },
    /// It would become older without being asked to.
    #[error("{item_type} `{item_id}` would be downgraded from {from} to {to} by {}", requirements.join(" and "))]
    Downgrade {
        item_type: ItemType,
        item_id: ItemId,
        from: Version,
        /// The version that would be chosen.
        to: Version,
        /// The requirements that do not allow the version of the lock, in backticks.
        requirements: Vec<String>,
    },
    /// The requirements of its versions exclude each other.
    #[error("no versions of `{item_id}` and of the items that it needs fit together")]
    Unsettled {
        /// The item that was asked for.
        item_id: ItemId,
    },
    /// The lock does not have it, or in another version.
    #[error("`rye.lock` has no version of `{item_id}` that matches `{requirement}`, and must not change")]
    NotLocked { item_id: ItemId, requirement: Requirement },
    /// The registry has something else than what the lock says.
    #[error("{item_type} `{item_id}` in `{registry}` is not the one in `rye.lock`")]
    LockMismatch { item_type: ItemType, item_id: ItemId, registry: Segment },
    /// There is another companion in its place.
    #[error("the companion `{path}` of tool `{item_id}` in the {space} space was changed here")]
    LocalCompanion { item_id: ItemId, path: String, space: Space },
    /// What one item needs is too much.
    #[error("`{item_id}` needs more than {most} items")]
    TooMany {
        /// The item that was asked for.
        item_id: ItemId,
        most: usize,
    },
    /// It cannot be put into its place.
    #[error(transparent)]
    Pull(#[from] PullError),
    /// It cannot be found or read.
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

fn no_version(
    item_type: ItemType,
    item_id: &ItemId,
    registry: &Segment,
    requirements: &[String],
    yanked: usize,
) -> String {
    let (item, requirements) = (format!("{item_type} `{item_id}` in `{registry}`"), requirements.join(" and "));
    if yanked == 0 {
        format!("no version of {item} matches {requirements}")
    } else {
        format!("every version of {item} that matches {requirements} is yanked")
    }
}
