//! Systems other than Linux: this program has no sandbox there, and says so before a script runs.

use std::os::fd::RawFd;

use super::reach::Sandbox;
use crate::process::error::Error;

impl Sandbox {
    /// Says that this system has no sandbox.
    ///
    /// # Errors
    ///
    /// Always [`Error::NoSandbox`].
    pub fn is_supported() -> Result<(), Error> {
        Err(Error::NoSandbox { reason: format!("rye confines scripts on Linux, and this is {}", std::env::consts::OS) })
    }

    /// Confines nothing, and fails.
    ///
    /// # Errors
    ///
    /// Always [`Error::NoSandbox`].
    pub(in super::super) fn apply(&self, _has_own_processes: bool, _way_out: Option<RawFd>) -> Result<(), Error> {
        Self::is_supported()
    }
}
