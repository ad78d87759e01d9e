//! Systems without networks of a process's own: a script that is to reach some hosts alone does not run there.

use std::os::fd::OwnedFd;

use rustix::io::{Errno, Result};

/// Fails: the system cannot make the network.
pub(in super::super) const fn way() -> Result<(OwnedFd, OwnedFd)> {
    Err(Errno::NOTSUP)
}

/// Receives nothing.
pub(in super::super) const fn receive(_way: &OwnedFd) -> Option<Vec<OwnedFd>> {
    None
}
