//! Folders that are granted without a part of them.
//!
//! A right of Landlock to a folder is one to all below it, and nothing takes a part out again. So a folder with such a part is
//! not granted itself: what lies beside the part is, one by one, on every level down to it. Of the folders on the way the names
//! can be listed, those in the part included, and nothing more.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Bound;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::path::PathBuf;

use rustix::fs::{Dir, FileType, Mode, OFlags, fstat, openat};

use super::itself::itself;

/// What is granted of what a descriptor leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// A file, or what is no folder.
    File,
    /// A folder with all below it.
    Whole,
    /// A folder whose names alone may be listed.
    Names,
}

/// Takes paths out of a path, and grants the rest; with a folder whose names may be listed comes its path. What lies there now counts: an entry that is made later is not granted, nor is a
/// link, nor what a link leads to. Each entry is opened from the folder that it lies in.
///
/// # Errors
///
/// As `grant`.
pub(super) fn pieces<E>(
    path: &Path,
    without: &BTreeSet<PathBuf>,
    grant: &mut impl FnMut(Piece, &Path, OwnedFd) -> Result<(), E>,
) -> Result<(), E> {
    // Their order is one of names, so what lies in a folder comes right after it.
    let within = without.range::<Path, _>((Bound::Included(path), Bound::Unbounded)).map(PathBuf::as_path);
    let within: Vec<&Path> = within.take_while(|kept| kept.starts_with(path)).collect();
    let Some(found) = itself(path) else { return Ok(()) };
    let Ok(kind) = fstat(&found).map(|found| FileType::from_raw_mode(found.st_mode)) else { return Ok(()) };
    carve(path, (found, kind), &within, grant)
}

fn carve<E>(
    path: &Path,
    (found, kind): (OwnedFd, FileType),
    within: &[&Path],
    grant: &mut impl FnMut(Piece, &Path, OwnedFd) -> Result<(), E>,
) -> Result<(), E> {
    if within.contains(&path) {
        return Ok(());
    }
    match kind {
        FileType::Symlink => return Ok(()),
        FileType::Directory if within.is_empty() => return grant(Piece::Whole, path, found),
        FileType::Directory => {}
        _ => return grant(Piece::File, path, found),
    }
    let mut carved: BTreeMap<&OsStr, Vec<&Path>> = BTreeMap::new();
    for kept in within {
        let name = kept.strip_prefix(path).ok().and_then(|below| below.iter().next());
        carved.entry(name.unwrap_or_default()).or_default().push(kept);
    }
    // A folder that cannot be listed is not granted.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let listed = openat(&found, ".", flags, Mode::empty()).and_then(Dir::new);
    for entry in listed.into_iter().flatten().flatten() {
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        let Some(below) = entry_of(&found, name, entry.file_type()) else { continue };
        match carved.get(name) {
            Some(within) => carve(&path.join(name), below, within, grant)?,
            None => carve(path, below, &[], grant)?,
        }
    }
    grant(Piece::Names, path, found)
}

/// Opens what lies in a folder, and tells what it is; links and the folder itself are nothing.
fn entry_of(folder: impl AsFd, name: &OsStr, kind: FileType) -> Option<(OwnedFd, FileType)> {
    if kind == FileType::Symlink || matches!(name.as_bytes(), b"." | b"..") {
        return None;
    }
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = openat(folder, name, flags, Mode::empty()).ok()?;
    match kind {
        FileType::Unknown => fstat(&found).ok().map(|stat| FileType::from_raw_mode(stat.st_mode)),
        kind => Some(kind),
    }
    .map(|kind| (found, kind))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::symlink;

    use super::*;

    fn granted(path: &Path, without: &BTreeSet<PathBuf>) -> Vec<(Piece, PathBuf)> {
        let mut granted = Vec::new();
        let mut grant = |piece, _: &Path, found: OwnedFd| {
            granted.push((piece, std::fs::read_link(format!("/proc/self/fd/{}", found.as_raw_fd()))?));
            std::io::Result::Ok(())
        };
        pieces(path, without, &mut grant).unwrap();
        granted.sort();
        granted
    }

    #[test]
    fn what_lies_beside_a_part_is_granted_and_the_part_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let at = |name: &str| root.join(name);
        for name in ["a/b/secret", "a/b/public", "a/other", "z"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), name).unwrap();
        }
        symlink("b", at("a/link")).unwrap();
        let pieces = |without: &[&str]| {
            let without: BTreeSet<PathBuf> = without.iter().map(|name| at(name)).collect();
            granted(&at("a"), &without)
        };
        let (file, whole) = (|name: &str| (Piece::File, at(name)), |name: &str| (Piece::Whole, at(name)));
        let names = |name: &str| (Piece::Names, at(name));
        assert_eq!(pieces(&[]), [whole("a")]);
        assert_eq!(pieces(&["z", "ab", "missing"]), [whole("a")]);
        assert_eq!(pieces(&["a/b/secret"]), [file("a/b/public"), file("a/other"), names("a"), names("a/b")]);
        assert_eq!(pieces(&["a/b"]), [file("a/other"), names("a")]);
        assert_eq!(pieces(&["a"]), []);
        assert_eq!(pieces(&["a/missing/x"]), [file("a/other"), whole("a/b"), names("a")]);
    }

    #[test]
    fn thousands_of_parts_are_taken_out_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let parts: BTreeSet<PathBuf> = (0..4_096).map(|name| folder.path().join(format!("{name}.git"))).collect();
        parts.iter().for_each(|part| std::fs::create_dir(part).unwrap());
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        assert_eq!(granted(folder.path(), &parts), [(Piece::Whole, open), (Piece::Names, folder.path().to_owned())]);
        for part in &parts {
            assert_eq!(granted(part, &parts), []);
        }
    }
}
