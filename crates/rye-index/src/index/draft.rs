//! An index being written: new pieces next to the others, then the manifest that names them.
//!
//! [`super::generation`] says what a reader relies on.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use super::held::Held;
use super::manifest::{Known, Manifest, StoredPiece, encode};
use super::piece_files;
use super::place::{self, CURRENT, TEMPORARY};
use super::update::Current;

/// A manifest being written. It is made before documents are read: its own time is what their stamps are compared with.
pub(super) struct Draft {
    file: NamedTempFile,
}

impl Draft {
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        place::make(folder)?;
        let file = temporary(folder)?;
        let is_ours = file.as_file().metadata()?.uid() == fs::metadata(folder)?.uid();
        if is_ours { Ok(Self { file }) } else { Err(io::Error::other("it belongs to another user")) }
    }

    /// Returns when it was made, in nanoseconds since 1970 by the clock of the file system.
    pub(super) fn started(&self) -> Option<i64> {
        let made = self.file.as_file().metadata().ok()?;
        Some(made.mtime().saturating_mul(1_000_000_000).saturating_add(made.mtime_nsec()))
    }

    /// Writes the new parts of an index and makes it the current one.
    pub(super) fn publish(
        mut self,
        folder: &Path,
        current: &Current<'_>,
        entries: &[Known<'_>],
        before: &Manifest,
    ) -> io::Result<()> {
        let mut manifest = Manifest { next: current.next, ..Manifest::default() };
        for held in &current.pieces {
            manifest.pieces.push(match &held.stored {
                Some(stored) => still_there(folder, stored)?,
                None => write(folder, held)?,
            });
        }
        let names = before.pieces.iter().map(|piece| piece.name.clone());
        manifest.before = names.filter(|name| manifest.pieces.iter().all(|piece| piece.name != *name)).collect();
        self.file.write_all(&encode(&manifest, entries))?;
        self.file.persist(folder.join(CURRENT))?;
        place::tidy(folder, &manifest, &before.before);
        Ok(())
    }
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder)
}

/// Another writer may have merged the piece away: then this index is not one to leave to others.
fn still_there(folder: &Path, stored: &StoredPiece) -> io::Result<StoredPiece> {
    fs::metadata(place::piece(folder, &stored.name))?;
    Ok(stored.clone())
}

fn write(folder: &Path, held: &Held) -> io::Result<StoredPiece> {
    let contents = held.files.contents()?;
    let bytes = contents.iter().fold(Vec::new(), |mut bytes, (_, content)| {
        bytes.extend_from_slice(content);
        bytes
    });
    let mut file = temporary(folder)?;
    file.write_all(&bytes)?;
    file.persist(place::piece(folder, &held.name))?;
    let files = contents.iter().map(|(name, content)| (name.clone(), content.len())).collect();
    Ok(StoredPiece { name: held.name.clone(), files, blocks: piece_files::sums(&bytes) })
}
