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

/// Makes a copy of this process, if it has one thread: the copy would have the locks of the others, and nobody to open them.
///
/// # Errors
///
/// Fails when there are more threads, when that cannot be told, and when the system makes no copy.
pub(super) fn fork() -> io::Result<Fork> {
    if std::fs::read_dir("/proc/self/task")?.count() != 1 {
        return Err(io::Error::other("a process with several threads is not copied"));
    }
    // SAFETY: there is no other thread, and this one starts none meanwhile.
    match unsafe { libc::fork() } {
        0 => Ok(Fork::Child),
        child => Pid::from_raw(child).filter(|_| child > 0).map(Fork::Parent).ok_or_else(io::Error::last_os_error),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_process_with_several_threads_is_not_copied() {
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || receiver.recv().is_ok());
        let refused = fork().err().unwrap();
        assert_eq!(refused.to_string(), "a process with several threads is not copied");
        drop(sender);
        assert!(!other.join().unwrap());
    }
}
