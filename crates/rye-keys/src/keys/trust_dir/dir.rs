//! The folder itself: operations on it are in the other files.

use std::path::PathBuf;

use crate::context::OwnFolder;
use crate::id::Zone;

/// The folder of trust decisions.
#[derive(Debug)]
pub struct TrustDir {
    pub(super) dir: PathBuf,
    /// The configuration folder it lies in.
    pub(super) own: OwnFolder,
    /// That of times in its files which name none.
    pub(super) zone: Zone,
}
