//! Why a project cannot be opened.

use thiserror::Error as ThisError;

use crate::context::ContextError;
use crate::git;
use crate::keys::KeysError;
use crate::workspace;

/// Why a project cannot be opened.
#[derive(Debug, ThisError)]
pub enum Error {
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The git repository cannot be used.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The folder cannot be a project, or cannot be read.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// Keys or trust cannot be read.
    #[error(transparent)]
    Keys(#[from] KeysError),
}
