//! Where an index is kept: a folder of its own for each set of roots, each format and each version of the program.
//!
//! ```text
//! CACHE/index/<digest of the roots>/<format and version>/current        the manifest: what is in the index now
//!                                                        piece-<uuid>   documents, written once
//!                                                        .tmp*          being written, or left by a crash
//! ```

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::manifest::Manifest;

/// Changes with what this program writes, the fields it has, or how it takes text apart. Other programs' folders are left alone.
const FORMAT: u32 = 4;

/// A file that no manifest names is removed after this time: its writer is gone.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// Where an index is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    folder: Option<PathBuf>,
}

impl Place {
    /// Nowhere: the documents are indexed in memory for each search.
    #[must_use]
    pub const fn memory() -> Self {
        Self { folder: None }
    }

    /// The place for a corpus from these roots, in the program's folder for caches.
    #[must_use]
    pub fn at(cache: &Path, roots: &[&Path]) -> Self {
        let mut names = Vec::new();
        for root in roots {
            names.extend_from_slice(root.as_os_str().as_encoded_bytes());
            names.push(0);
        }
        let roots = blake3::hash(&names).to_hex();
        let version = format!("{FORMAT}-{}-tantivy-{}", env!("CARGO_PKG_VERSION"), tantivy::INDEX_FORMAT_VERSION);
        Self { folder: Some(cache.join("index").join(&roots[..32]).join(version)) }
    }

    /// Returns the folder, unless the place is memory.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }
}

/// The prefix of names of files that are being written.
pub(super) const TEMPORARY: &str = ".tmp";

/// The name of the manifest.
pub(super) const CURRENT: &str = "current";

/// Who else may write.
const OTHERS_WRITE: u32 = 0o022;

/// Makes the folder, for this person only.
pub(super) fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    check(folder)
}

/// Checks that a folder is one, and that no other user may write into it: its files could be theirs, and so could the
/// removed ones.
pub(super) fn check(folder: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(folder)?;
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if !metadata.is_dir() {
        refused("it is not a folder")
    } else if metadata.permissions().mode() & OTHERS_WRITE != 0 {
        refused("others may write into it")
    } else {
        Ok(())
    }
}

/// Opens a file of the index. Anything else is not opened at all: a pipe would be waited for without end.
pub(super) fn open(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path)?.is_file() { File::open(path) } else { Err(io::ErrorKind::InvalidData.into()) }
}

/// Returns the path of a piece.
pub(super) fn piece(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("piece-{name}"))
}

/// Removes pieces that neither this manifest nor the one before it names, and what crashes left. A reader of an older
/// manifest finds them gone and takes the new one.
pub(super) fn tidy(folder: &Path, manifest: &Manifest, before: &[String]) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| *name != CURRENT) else { continue };
        let piece = name.strip_prefix("piece-");
        // Nothing else here is the index's own.
        if piece.is_none() && !name.starts_with(TEMPORARY) {
            continue;
        }
        let named = piece.is_some_and(|piece| manifest.pieces.iter().any(|named| named.name == piece));
        let replaced = piece.is_some_and(|piece| before.iter().any(|before| before == piece));
        if !named && (replaced || is_left_behind(&entry.path())) {
            // Files that cannot be removed are tried again by the next search that writes.
            _ = fs::remove_file(entry.path());
        }
    }
}

fn is_left_behind(path: &Path) -> bool {
    let age = || fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok();
    age().is_some_and(|age| age > LEFT_BEHIND)
}
