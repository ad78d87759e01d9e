//! Why nothing was made.

use thiserror::Error;

use super::super::locate::LocateError;
use crate::capability::ProjectPath;
use crate::id::{ItemId, ItemType};
use crate::workspace;

/// Why nothing was made.
#[derive(Debug, Error)]
pub enum Error {
    /// It is there already.
    #[error("the {item_type} `{item_id}` already exists")]
    Exists {
        /// The type.
        item_type: ItemType,
        /// The id.
        item_id: ItemId,
        /// Its file.
        path: String,
    },
    /// A capability document is there already.
    #[error("the capability document `{path}` already exists")]
    DocumentExists {
        /// The file.
        path: ProjectPath,
    },
    /// A capability document cannot be written.
    #[error("cannot write the capability document `{path}`")]
    Document {
        /// The file.
        path: String,
        /// Why not.
        #[source]
        source: Option<workspace::Error>,
    },
    /// A directive's name is written otherwise.
    #[error("a directive's name is snake_case, and `{}` is not", item_id.name())]
    NotSnake {
        /// The id asked for.
        item_id: ItemId,
        /// The id that would do.
        suggestion: String,
    },
    /// A skill's name is written otherwise.
    #[error("a skill's name is 1 to 64 of a–z, 0–9 and single hyphens, and `{item_id}` is not")]
    NotSkillName {
        /// The id asked for.
        item_id: ItemId,
    },
    /// It cannot be written.
    #[error("cannot write {item_type} `{item_id}`")]
    Write {
        /// The type.
        item_type: ItemType,
        /// The id.
        item_id: ItemId,
        /// Why not.
        #[source]
        source: workspace::Error,
    },
    /// The workspace cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}
