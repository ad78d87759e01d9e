//! Why nothing was made.

use thiserror::Error;

use super::super::locate::LocateError;
use crate::capability::ProjectPath;
use crate::id::{ItemId, ItemType};
use crate::workspace;

/// Why nothing was made.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// It is there already.
    #[error("the {item_type} `{item_id}` already exists")]
    Exists { item_type: ItemType, item_id: ItemId, path: String },
    /// A capability document is there already.
    #[error("the capability document `{path}` already exists")]
    DocumentExists { path: ProjectPath },
    /// A capability document cannot be written.
    #[error("cannot write the capability document `{path}`")]
    Document {
        path: String,
        #[source]
        source: Option<workspace::Error>,
    },
    /// A directive's name is written otherwise.
    #[error("a directive's name is snake_case, and `{}` is not", item_id.name())]
    NotSnake {
        item_id: ItemId,
        /// The id that would do.
        suggestion: String,
    },
    /// A skill's name is written otherwise.
    #[error("a skill's name is 1 to 64 of a–z, 0–9 and single hyphens, and `{item_id}` is not")]
    NotSkillName { item_id: ItemId },
    /// It cannot be written.
    #[error("cannot write {item_type} `{item_id}`")]
    Write {
        item_type: ItemType,
        item_id: ItemId,
        #[source]
        source: workspace::Error,
    },
    /// The workspace cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}
