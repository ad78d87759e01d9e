//! Mounts: in a name space of its own, all but what a child may change is read-only for it, whatever call it uses.
//!
//! Landlock does not judge who changes the mode, the owner or the times of a file. Where the system lets this program make a
//! name space, this does; elsewhere those calls are refused altogether (`system_calls.rs`).

#![expect(unsafe_code, reason = "calls of the kernel for which no crate has a safe form")]

use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use libc::{AT_EMPTY_PATH, AT_RECURSIVE, c_int};
use rustix::io::{Errno, Result};
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::super::error::Error;
use super::itself::itself;
use super::kernel_files::{self, Empty};
use super::private_folders::PrivateFolders;
use super::reach::{Cover, Sandbox};

/// Makes everything read-only for this process and those it starts, but what it may change, with no effect of set-id bits anywhere, has covers seen where they belong, and hides private folders of the system. Returns the
/// places that are covered, or none where it did nothing: not every system allows name spaces for every user.
///
/// # Errors
///
/// [`Error::Confine`] when it made what may be changed read-only, too; [`Error::Grant`] for a place that is not hidden.
pub(super) fn make_read_only_but(
    sandbox: &Sandbox,
    has_own_processes: bool,
    private: &mut PrivateFolders,
) -> std::result::Result<Option<Vec<PathBuf>>, Error> {
    let Sandbox { covers, hides, .. } = sandbox;
    let writes = outermost(&sandbox.writes);
    let mut shown = hides.first();
    let mut covered = Vec::new();
    let mut seen = Ok(());
    let mounted = separate(sandbox.network).and_then(|()| {
        // Where the first process of a name space of processes is this one's parent; and not if `/proc` may not be
        // covered.
        if has_own_processes {
            let _ = show_own_processes();
        }
        let mut empty = Empty::default();
        seen = kernel_files::cover_others(Path::new("/proc"), has_own_processes, &mut empty);
        private.cover(sandbox, &mut empty);
        writes.iter().copied().for_each(mount_on_itself);
        covered = covers.iter().filter(|cover| mount_over(cover)).map(|cover| cover.path.clone()).collect();
        shown = hides.iter().find(|hide| !mount_over(hide));
        change(None, ReadOnly::Set)
    });
    if let Some(hide) = shown {
        return Err(Error::Grant { path: hide.path.clone(), reason: OWN });
    }
    if mounted.is_err() {
        return Ok(None);
    }
    seen.map_err(|code| Error::Confine { what: "what is seen of `/proc`", source: code.into() })?;
    for path in writes {
        let Some(mounted) = itself(path) else { continue };
        change(Some(&mounted), ReadOnly::Clear)
            .map_err(|code| Error::Confine { what: "mounts", source: code.into() })?;
    }
    // The folder that this process is in is still that of the mount before.
    if let Ok(folder) = rustix::process::getcwd(Vec::new()) {
        let _ = rustix::process::chdir(folder);
    }
    Ok(Some(covered))
}

const OWN: &str =
    "it is this program's own, lies in what the tool may write, and this system lets nothing be mounted over it";

/// Leaves out what lies in another folder or is named twice: a mount over another one would hide it, and the writable one with it.
fn outermost(writes: &[PathBuf]) -> Vec<&Path> {
    let mut sorted: Vec<&Path> = writes.iter().map(PathBuf::as_path).collect();
    // What lies in a folder comes right after it.
    sorted.sort_unstable();
    let mut outermost: Vec<&Path> = Vec::new();
    for path in sorted {
        if !outermost.last().is_some_and(|last| path.starts_with(last)) {
            outermost.push(path);
        }
    }
    outermost
}

/// Takes mounts of its own, invisible outside: as the superuser, of the whole system or of the name space that was made
/// for it. Without a network the child gets an empty one, in which `/proc/net` tells nothing of others.
fn separate(has_network: bool) -> Result<()> {
    if has_network || unshare(UnshareFlags::NEWNS | UnshareFlags::NEWNET).is_err() {
        unshare(UnshareFlags::NEWNS)?;
    }
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
}

pub(super) fn unshare(flags: UnshareFlags) -> Result<()> {
    // SAFETY: only tables of descriptors are unsafe to take apart, and the flags do not.
    unsafe { unshare_unsafe(flags) }
}

/// Has `/proc` show the processes of the name space that this one is in, and no others.
fn show_own_processes() -> Result<()> {
    mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)
}

/// Makes a mount of a path, whose settings are then its own. One that cannot be is read-only with all else.
fn mount_on_itself(path: &Path) {
    let Some(found) = itself(path) else { return };
    let link = format!("/proc/self/fd/{}", found.as_fd().as_raw_fd());
    let _ = mount_bind(&link, &link);
}

/// Has a file seen in the place of another one. Tells whether it is.
fn mount_over(cover: &Cover) -> bool {
    let (Some(place), Some(with)) = (itself(&cover.path), itself(&cover.with)) else { return false };
    let link = |file: &OwnedFd| format!("/proc/self/fd/{}", file.as_raw_fd());
    mount_bind(link(&with), link(&place)).is_ok()
}

#[derive(Clone, Copy)]
enum ReadOnly {
    Set,
    Clear,
}

/// The kernel's `struct mount_attr`.
#[repr(C)]
struct MountAttr {
    set: u64,
    clear: u64,
    propagation: u64,
    user_name_space: u64,
}

/// The kernel's `MOUNT_ATTR_RDONLY`.
const RDONLY: u64 = 1;
/// The kernel's `MOUNT_ATTR_NOSUID`.
const NOSUID: u64 = 2;

/// Changes one mount, or all that there are.
fn change(mount: Option<&OwnedFd>, read_only: ReadOnly) -> Result<()> {
    let (set, clear) = match read_only {
        ReadOnly::Set => (RDONLY | NOSUID, 0),
        ReadOnly::Clear => (0, RDONLY),
    };
    let attributes = MountAttr { set, clear, propagation: 0, user_name_space: 0 };
    let (folder, path, flags): (c_int, _, _) = match mount {
        Some(mount) => (mount.as_raw_fd(), c"", AT_EMPTY_PATH),
        None => (libc::AT_FDCWD, c"/", AT_RECURSIVE),
    };
    // SAFETY: the path and the attributes live until the call returns, and their size is told.
    let code = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            folder,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<MountAttr>(),
        )
    };
    if code == 0 { Ok(()) } else { Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)) }
}
