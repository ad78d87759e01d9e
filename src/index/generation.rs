//! The index on disk: read without a lock, replaced as a whole.
//!
//! A writer writes new pieces beside the others and then the manifest, which names them: its rename is the commit point. A
//! reader reads the manifest once and opens every piece it names at once, so that it does not matter to it what is
//! removed later. Of two writers that end together one manifest stays; both have answered from their own, and the next
//! search finds by the stamps what the one that stayed does not know.
//!
//! Nothing is flushed: after a power failure files may hold anything. The checksums tell, and the index is built anew.

use std::fs;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use tempfile::NamedTempFile;

use super::manifest::{self, Known, Manifest, StoredPiece, encode};
use super::place::{self, CURRENT, TEMPORARY};
use super::stored;
use super::update::{Current, Held};

/// How often a reader looks for a newer manifest when pieces of its own are gone.
const ATTEMPTS: usize = 3;

/// What is stored: a manifest, its entries as they were written, and its pieces, open.
#[derive(Default)]
pub(super) struct Stored {
    pub manifest: Manifest,
    pub pieces: Vec<Held>,
    /// The manifest as it was written, and where its entries begin.
    bytes: Vec<u8>,
    start: usize,
}

impl Stored {
    /// Returns the entries that were known.
    pub(super) fn entries(&self) -> impl ExactSizeIterator<Item = Known<'_>> {
        manifest::entries(&self.bytes[self.start..])
    }
}

/// Reads the manifest and opens its pieces: nothing if there is none.
pub(super) fn open(folder: &Path) -> io::Result<Option<Stored>> {
    let mut attempt = 0;
    loop {
        attempt += 1;
        let bytes = match read(folder) {
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match stored(folder, bytes) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && attempt < ATTEMPTS => {}
            stored => return stored.map(Some),
        }
    }
}

fn read(folder: &Path) -> io::Result<Vec<u8>> {
    place::check(folder)?;
    let mut bytes = Vec::new();
    place::open(&folder.join(CURRENT))?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn stored(folder: &Path, bytes: Vec<u8>) -> io::Result<Stored> {
    let (manifest, entries) = manifest::decode(&bytes).ok_or(io::ErrorKind::InvalidData)?;
    let start = bytes.len() - entries.len();
    let held = |piece: &StoredPiece| {
        let files = stored::open(folder, piece)?;
        Ok(Held { name: piece.name.clone(), files, stored: Some(piece.clone()) })
    };
    let pieces = manifest.pieces.iter().map(held).collect::<io::Result<_>>()?;
    Ok(Stored { manifest, pieces, bytes, start })
}

/// A manifest being written. It is made before documents are read: its own time is what their stamps are compared with.
pub(super) struct Draft {
    file: NamedTempFile,
}

impl Draft {
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        place::make(folder)?;
        let file = temporary(folder)?;
        let is_ours = file.as_file().metadata()?.uid() == fs::metadata(folder)?.uid();
        if is_ours { Ok(Self { file }) } else { Err(io::Error::other("it is somebody else's")) }
    }

    /// Returns when it was made, in nanoseconds since 1970 by the clock of the file system.
    pub(super) fn started(&self) -> Option<i64> {
        let made = self.file.as_file().metadata().ok()?;
        Some(made.mtime().saturating_mul(1_000_000_000).saturating_add(made.mtime_nsec()))
    }

    /// Writes what is new of an index and makes it the current one.
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
    Ok(StoredPiece { name: held.name.clone(), files, blocks: stored::sums(&bytes) })
}
