//! The folder itself: what is done with it is in the other files.

use std::path::PathBuf;

use crate::context::OwnFolder;

/// The folder of trust decisions.
#[derive(Debug)]
pub struct TrustDir {
    pub(super) dir: PathBuf,
    /// The configuration folder it lies in.
    pub(super) own: OwnFolder,
}
