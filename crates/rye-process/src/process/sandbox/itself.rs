//! Opening what lies at a path itself: through no link, as an earlier tool may have made one.

use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, open, openat, openat2};
use rustix::io::Errno;

/// Opens what lies at an absolute path, if no part of the path is a link.
pub(super) fn itself(path: &Path) -> Option<OwnedFd> {
    match openat2(CWD, path, FLAGS, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(found) => Some(found),
        // In a sandbox of this program.
        Err(Errno::NOSYS) => step_by_step(path),
        Err(_) => None,
    }
}

const FLAGS: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

/// The same where the system has no such call.
fn step_by_step(path: &Path) -> Option<OwnedFd> {
    let mut found = open("/", FLAGS, Mode::empty()).ok().filter(|_| path.is_absolute())?;
    for part in path.components() {
        match part {
            Component::RootDir => {}
            Component::Normal(name) => found = openat(&found, name, FLAGS | OFlags::NOFOLLOW, Mode::empty()).ok()?,
            Component::CurDir | Component::ParentDir | Component::Prefix(_) => return None,
        }
        if FileType::from_raw_mode(fstat(&found).ok()?.st_mode) == FileType::Symlink {
            return None;
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_part_of_a_path_is_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("a")).unwrap();
        std::fs::write(root.join("a/file"), "").unwrap();
        symlink("a", root.join("link")).unwrap();
        symlink("file", root.join("a/link")).unwrap();
        for open in [itself, step_by_step] {
            for path in ["", "a", "a/file"] {
                assert!(open(&root.join(path)).is_some(), "{path}");
            }
            for path in ["link", "link/file", "a/link", "none", "a/file/x"] {
                assert!(open(&root.join(path)).is_none(), "{path}");
            }
        }
        assert!(step_by_step(&root.join("a/../a")).is_none());
        assert!(step_by_step(Path::new("a")).is_none());
    }
}
