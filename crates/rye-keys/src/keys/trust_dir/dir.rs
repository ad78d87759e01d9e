//! The folder itself: operations on it are in the other files.

use std::path::PathBuf;

use crate::context::OwnFolder;

/// The folder of trust decisions.
#[derive(Debug)]
pub struct TrustDir {
    pub(super) dir: PathBuf,
    /// The configuration folder it lies in.
    pub(super) own: OwnFolder,
}
