//! Folders that are granted without a part of them.
//!
//! A right of Landlock to a folder is one to all below it, and nothing takes a part out again. So a folder with such a part is
//! not granted itself: what lies beside the part is, one by one, on every level down to it. Of the folders on the way the names
//! can be listed, those in the part included, and nothing more.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// A path to be granted.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Piece {
    /// With all below it.
    Whole(PathBuf),
    /// A folder whose names alone may be listed.
    Names(PathBuf),
}

/// Takes paths out of a path. What lies there now counts: an entry that is made later is not granted.
pub(super) fn pieces(path: &Path, without: &BTreeSet<PathBuf>) -> Vec<Piece> {
    // Their order is one of names, so what lies in a folder comes right after it.
    let within = without.range::<Path, _>((Bound::Included(path), Bound::Unbounded)).map(PathBuf::as_path);
    let within: Vec<&Path> = within.take_while(|kept| kept.starts_with(path)).collect();
    let mut pieces = Vec::new();
    carve(path, &within, &mut pieces);
    pieces
}

fn carve(path: &Path, within: &[&Path], pieces: &mut Vec<Piece>) {
    if within.is_empty() {
        return pieces.push(Piece::Whole(path.to_owned()));
    }
    if within.contains(&path) {
        return;
    }
    pieces.push(Piece::Names(path.to_owned()));
    let mut carved: BTreeMap<&OsStr, Vec<&Path>> = BTreeMap::new();
    for kept in within {
        let name = kept.strip_prefix(path).ok().and_then(|below| below.iter().next());
        carved.entry(name.unwrap_or_default()).or_default().push(kept);
    }
    // A folder that cannot be listed is not granted.
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        let below = entry.path();
        match carved.get(entry.file_name().as_os_str()) {
            Some(within) => carve(&below, within, pieces),
            None => pieces.push(Piece::Whole(below)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn what_lies_beside_a_part_is_granted_and_the_part_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["a/b/secret", "a/b/public", "a/other", "z"] {
            std::fs::create_dir_all(at(name).parent().unwrap()).unwrap();
            std::fs::write(at(name), name).unwrap();
        }
        let pieces = |without: &[&str]| {
            let without: BTreeSet<PathBuf> = without.iter().map(|name| at(name)).collect();
            let mut pieces = super::pieces(&at("a"), &without);
            pieces.sort();
            pieces
        };
        let (whole, names) = (|name: &str| Piece::Whole(at(name)), |name: &str| Piece::Names(at(name)));
        assert_eq!(pieces(&[]), [whole("a")]);
        assert_eq!(pieces(&["z", "ab", "missing"]), [whole("a")]);
        assert_eq!(pieces(&["a/b/secret"]), [whole("a/b/public"), whole("a/other"), names("a"), names("a/b")]);
        assert_eq!(pieces(&["a/b"]), [whole("a/other"), names("a")]);
        assert_eq!(pieces(&["a"]), []);
        assert_eq!(pieces(&["a/missing/x"]), [whole("a/b"), whole("a/other"), names("a")]);
    }

    #[test]
    fn thousands_of_parts_are_taken_out_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let parts: BTreeSet<PathBuf> = (0..4_096).map(|name| folder.path().join(format!("{name}.git"))).collect();
        parts.iter().for_each(|part| std::fs::create_dir(part).unwrap());
        let open = folder.path().join("open");
        std::fs::create_dir(&open).unwrap();
        assert_eq!(pieces(folder.path(), &parts), [Piece::Names(folder.path().to_owned()), Piece::Whole(open)]);
        for part in &parts {
            assert_eq!(pieces(part, &parts), []);
        }
    }
}
