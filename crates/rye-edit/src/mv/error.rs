//! Why an item is not moved.

use thiserror::Error;

use super::super::locate::LocateError;
use super::super::sign;
use crate::id::{ItemId, ItemType};
use crate::keys::KeysError;
use crate::workspace;

/// Why an item is not moved.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// It has the id already.
    #[error("{item_type} `{item_id}` has this id already")]
    SameId { item_type: ItemType, item_id: ItemId },
    /// The new id belongs to the program, or cannot be published.
    #[error("cannot move an item to `{item_id}`: the namespace `{namespace}` is reserved")]
    Reserved { item_id: ItemId, namespace: String },
    /// The item is compiled into the program.
    #[error("cannot move {item_type} `{item_id}`: it is built in")]
    BuiltIn { item_type: ItemType, item_id: ItemId },
    /// It is a skill, which has its name from its folder.
    #[error("cannot move skill `{from}`: its folder and its `SKILL.md` have its name")]
    Skill {
        /// The id that it has.
        from: ItemId,
        /// The id that it should get.
        to: ItemId,
    },
    /// The item was pulled.
    #[error("cannot move {item_type} `{item_id}`: it was pulled from the registry `{registry}`")]
    Pulled { item_type: ItemType, item_id: ItemId, registry: crate::id::Segment },
    /// Something has the new id.
    #[error("cannot move {item_type} `{from}`: `{path}` already exists")]
    Exists {
        item_type: ItemType,
        /// The id that the item has.
        from: ItemId,
        /// The file that has the new id, or the place of a companion.
        path: String,
    },
    /// Files that change carry another signature than the person's.
    #[error("cannot change {}: not signed by you as they are", listed(paths))]
    NotYours {
        paths: Vec<String>,
        /// The type of the item that is moved.
        item_type: ItemType,
        /// The id that it has.
        from: ItemId,
        /// The id that it should get.
        to: ItemId,
    },
    /// A reference is written in a form that the program does not rewrite.
    #[error("cannot rewrite the reference `{reference}` in `{path}`")]
    Reference { path: String, reference: String },
    /// A companion is not the one that the tool lists.
    #[error("the companion `{path}` of tool `{item_id}` is not the one that the tool lists")]
    Companion { item_id: ItemId, path: String },
    /// A file could not be written.
    #[error("cannot write `{path}`: the item keeps its old id")]
    Write {
        path: String,
        #[source]
        source: workspace::Error,
    },
    /// An item cannot be found or read, or is not valid.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// An item cannot be signed.
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// What agents wrote cannot be read.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

impl From<workspace::Error> for Error {
    fn from(error: workspace::Error) -> Self {
        LocateError::from(error).into()
    }
}

fn listed(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
