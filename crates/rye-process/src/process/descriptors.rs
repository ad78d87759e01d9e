//! What this process has open and a target must not inherit: all but the three standard streams.
//!
//! This program opens files so that they close with an exec. The parent process may have left others open: a shell, an
//! editor, a credential agent. On other systems than Linux these are inherited.

#![expect(unsafe_code, reason = "no crate has a safe form of these calls")]

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

/// Has every descriptor but the standard streams close with the next exec.
///
/// # Errors
///
/// Fails where the kernel (before Linux 5.11) has no such call.
#[cfg(target_os = "linux")]
pub(super) fn close_with_exec() -> io::Result<()> {
    const FIRST: libc::c_uint = 3;
    // SAFETY: the call takes numbers only, and marks descriptors without closing them.
    let code = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Other systems have no such call.
#[cfg(not(target_os = "linux"))]
pub(super) fn close_with_exec() -> io::Result<()> {
    Ok(())
}

/// Takes over a descriptor that whoever started this process left open for it, by its number.
pub(super) fn take(number: RawFd) -> OwnedFd {
    // SAFETY: it was left open for this process, and for this use alone.
    unsafe { OwnedFd::from_raw_fd(number) }
}

/// Has a command inherit one more descriptor, by its number here. The caller keeps it open until the command has started.
pub(super) fn pass_on(command: &mut Command, descriptor: &OwnedFd) {
    let number = descriptor.as_raw_fd();
    let keep = move || {
        // SAFETY: the copy of this process in which this runs has the descriptor, as the caller keeps it.
        let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
        Ok(fcntl_setfd(descriptor, FdFlags::empty())?)
    };
    // SAFETY: between fork and exec it makes one call of the kernel and allocates nothing.
    unsafe { command.pre_exec(keep) };
}
