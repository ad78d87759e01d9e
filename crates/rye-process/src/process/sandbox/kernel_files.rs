//! What a child sees of `/proc`, where mounts can be made: the folders of its own processes, and the files of one table. All else is
//! empty.
//!
//! A right of Landlock to `/proc` is one to all in it, and the folders of processes to come cannot be named. So the other files and
//! folders are covered, whatever a kernel calls them.

use std::path::{Path, PathBuf};

use rustix::io::Result;
use rustix::mount::{MountFlags, mount, mount_bind};

/// The files and folders at the top of `/proc` that runtimes read, each with who does. Links lead to the folder of whoever reads them.
const SEEN: &[(&str, &str)] = &[
    ("cgroups", "the Java virtual machine looks for its limits"),
    ("cpuinfo", "runtimes count and name processors"),
    ("filesystems", "the C library and SELinux's look for kinds of file systems"),
    ("loadavg", "make, ninja and `os.getloadavg` bound their work by it"),
    ("meminfo", "runtimes size their heaps"),
    ("stat", "the C library counts processors"),
    ("swaps", "the Java virtual machine and `free` size their memory"),
    ("sys", "runtimes read settings, such as `kernel/cap_last_cap`, `vm/overcommit_memory` and `net/core/somaxconn`"),
    ("uptime", "runtimes and `ps` tell how long something runs"),
    ("version", "programs ask for the kernel"),
];

/// Covers all that is not in the table, and in a name space of processes the folder of the first: that is Rye's own, with the
/// network of the machine and the paths of the sandbox in its files. Called in a name space of mounts.
///
/// # Errors
///
/// As mounting does: then something else can be read.
pub(super) fn cover_others(proc: &Path, has_own_processes: bool, empty: &mut Empty) -> Result<()> {
    let Ok(listed) = std::fs::read_dir(proc) else { return Ok(()) };
    for entry in listed.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else { continue };
        let is_process = name.to_string_lossy().bytes().all(|byte| byte.is_ascii_digit());
        let is_shown = is_process && !(has_own_processes && name == "1");
        if is_shown || kind.is_symlink() || SEEN.iter().any(|(seen, _)| name == *seen) {
            continue;
        }
        let covered = if kind.is_dir() { empty.mount_over(&path) } else { mount_bind("/dev/null", &path) };
        // A module may take its file away meanwhile.
        if covered.is_err() && path.exists() {
            return covered;
        }
    }
    Ok(())
}

/// An empty folder, made where it is mounted first.
#[derive(Default)]
pub(super) struct Empty(Option<PathBuf>);

impl Empty {
    /// Has it seen in the place of a folder, whose path has no links.
    ///
    /// # Errors
    ///
    /// As mounting does.
    pub(super) fn mount_over(&mut self, path: &Path) -> Result<()> {
        match &self.0 {
            Some(empty) => mount_bind(empty, path),
            None => make_empty(path).inspect(|()| self.0 = Some(path.to_owned())),
        }
    }
}

/// Mounts an empty folder, in which nothing can be made.
fn make_empty(path: &Path) -> Result<()> {
    let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("none", path, "tmpfs", flags, Some(c"size=4k,nr_inodes=1,mode=555"))
}
