//! A copy of this process, made by a keeper while it has one thread.

#![expect(unsafe_code, reason = "no crate makes a copy of a process safely: it is safe in one that has one thread")]

use std::io;

use rustix::process::Pid;

/// Which of the two processes this is.
pub(super) enum Fork {
    /// The one that was here before.
    Parent(Pid),
    /// The copy.
    Child,
}

/// Makes a copy of this process, which must have one thread.
pub(super) fn fork() -> io::Result<Fork> {
    // SAFETY: this program's hidden verb starts no thread, so no lock is held by one that the copy does not have.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).filter(|_| child > 0).map(Fork::Parent).ok_or_else(io::Error::last_os_error),
    }
}
