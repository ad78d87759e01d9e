//! Why an item is not shown.

use thiserror::Error;

use super::super::locate::LocateError;
use crate::id::{ItemId, ItemType, Segment};
use crate::process;
use crate::registry;

/// Why an item is not shown.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Neither a space nor a registry has it.
    #[error("unknown item `{item_id}`, here and in {}", registries.join(", "))]
    Unknown {
        item_id: ItemId,
        /// Where it was looked for, in backticks.
        registries: Vec<String>,
        /// The id that was probably meant.
        nearest: Option<String>,
    },
    /// No space has it, and no registry is used.
    #[error("unknown item `{item_id}`, and no registry is configured")]
    NotHere { item_id: ItemId },
    /// Several types have the id.
    #[error("`{item_id}` is several items: {}", names(types))]
    SeveralTypes { item_id: ItemId, types: Vec<ItemType> },
    /// Several registries have it.
    #[error("`{item_id}` is in several registries: {}", registries.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "))]
    SeveralRegistries { item_id: ItemId, registries: Vec<Segment> },
    /// No version is the one that was named.
    #[error("no version of {item_type} `{item_id}` in `{registry}` matches `{requirement}`")]
    NoVersion { item_type: ItemType, item_id: ItemId, registry: Segment, requirement: String },
    /// The spaces cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A registry cannot be fetched, or failed a check.
    #[error(transparent)]
    Registry(#[from] registry::Error),
    /// Git cannot be run.
    #[error(transparent)]
    Process(#[from] process::Error),
}

fn names(types: &[ItemType]) -> String {
    types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
