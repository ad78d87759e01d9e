//! Why a permitted action failed.

use thiserror::Error as ThisError;

use crate::keys::KeysError;
use crate::{execute, load, search, sign};

/// Why a permitted action failed.
#[derive(Debug, ThisError)]
pub enum Error {
    /// `execute`
    #[error(transparent)]
    Execute(#[from] execute::Error),
    /// `load`
    #[error(transparent)]
    Load(#[from] load::Error),
    /// `search`
    #[error(transparent)]
    Search(#[from] search::Error),
    /// `sign`
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// The agent key cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
}
