//! A second user: where the superuser runs these tests, some also run as the user `nobody`.

use std::cell::Cell;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::thread;

use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use tempfile::TempDir;

/// The number that systems have for a user who owns nothing.
const NOBODY: u32 = 65534;

thread_local! {
    static IS_ANOTHER: Cell<bool> = const { Cell::new(false) };
}

/// Whose work something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// That of whoever runs the tests.
    Own,
    /// That of a user without any right of the superuser's.
    Nobody,
}

impl User {
    /// Returns those who there are: only the superuser becomes another user, who must reach the program, too.
    pub(crate) fn all() -> Vec<Self> {
        let program = Path::new(crate::support::RYE);
        let is_open = |path: &Path| path.metadata().is_ok_and(|found| found.mode() & 0o001 != 0);
        match geteuid().is_root() && program.ancestors().all(is_open) {
            true => vec![Self::Own, Self::Nobody],
            false => vec![Self::Own],
        }
    }

    /// Tells whether it is the superuser.
    pub(crate) fn is_super(self) -> bool {
        self == Self::Own && geteuid().is_root()
    }

    /// Does work as this user. All that it makes and starts is theirs: Linux has users for each thread.
    pub(crate) fn does<T: Send>(self, work: impl FnOnce() -> T + Send) -> T {
        match self {
            Self::Own => work(),
            Self::Nobody => thread::scope(|scope| {
                let worker = scope.spawn(|| {
                    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
                    set_thread_groups(&[]).unwrap();
                    set_thread_res_gid(group, group, group).unwrap();
                    set_thread_res_uid(user, user, user).unwrap();
                    IS_ANOTHER.set(true);
                    work()
                });
                worker.join().unwrap_or_else(|cause| std::panic::resume_unwind(cause))
            }),
        }
    }
}

/// Tells whether the user of this thread is another one than that of the process.
pub(crate) fn is_another() -> bool {
    IS_ANOTHER.get()
}

/// Makes a folder that the user of this thread reaches: that for temporary files may be its owner's alone.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().or_else(|_| tempfile::tempdir_in("/tmp")).unwrap()
}
