//! What a process keeps of an installed plugin.

use super::Plugin;
use crate::format::plugin_manifest::CheckedManifest;

/// What became of an installed plugin in this process. A library costs a file descriptor for good, so it is opened once.
#[derive(Debug)]
pub(super) enum Kept {
    Opened(Box<CheckedManifest>, Plugin),
    Refused(String),
}
