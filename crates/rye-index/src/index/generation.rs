//! The index on disk: read without a lock, replaced as a whole.
//!
//! A writer writes new pieces next to the others and then the manifest, which names them: its rename is the commit
//! point. A reader reads the manifest once and opens every piece it names at once, so that later removals do not affect
//! it. Of two writers that end together one manifest stays; both have answered from their own, and the next search
//! finds by the stamps what the one that stayed does not know.
//!
//! Nothing is flushed: after a power failure files may hold anything. The checksums tell, and the index is built anew.

use std::io::{self, Read as _};
use std::path::Path;

use super::held::Held;
use super::manifest::{self, Known, Manifest, StoredPiece};
use super::piece_files;
use super::place::{self, CURRENT};

/// How often a reader looks for a newer manifest when pieces of its own are gone.
const ATTEMPTS: usize = 3;

/// The stored index: a manifest, its entries as they were written, and its pieces, open.
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

/// Reads the manifest and opens its pieces: `None` without a manifest.
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
        let files = piece_files::open(folder, piece)?;
        Ok(Held { name: piece.name.clone(), files, stored: Some(piece.clone()) })
    };
    let pieces = manifest.pieces.iter().map(held).collect::<io::Result<_>>()?;
    Ok(Stored { manifest, pieces, bytes, start })
}
