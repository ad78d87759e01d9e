//! Systems without networks of a process's own: a script that is to reach some hosts alone does not run there.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

/// Fails: there is no way to a network that the system cannot make.
pub(in super::super) const fn way() -> Result<(OwnedFd, OwnedFd)> {
    Err(Errno::NOTSUP)
}

/// Receives nothing.
pub(in super::super) const fn receive(_way: &OwnedFd) -> Option<Vec<OwnedFd>> {
    None
}
