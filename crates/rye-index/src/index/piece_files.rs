//! Pieces in files, read without trusting a byte of them.
//!
//! A block is checked when it is read, so a query pays for what it reads and a flipped bit cannot change an answer: it is
//! an error, and the index is built anew. Read, not mapped: a file that gets shorter meanwhile is an error as well,
//! where it would end the program.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::HasLen;
use tantivy::directory::{FileHandle, OwnedBytes};

use super::files::Files;
use super::manifest::StoredPiece;
use super::place;

/// Bytes in a block, but for the last.
pub(super) const BLOCK: usize = 16 * 1024;

/// Opens the files of a piece. Their content is read, and checked, when it is needed.
pub(super) fn open(folder: &Path, stored: &StoredPiece) -> io::Result<Files> {
    let size = stored.files.iter().try_fold(0_usize, |size, (_, length)| size.checked_add(*length));
    let size = size.filter(|size| size.div_ceil(BLOCK) == stored.blocks.len());
    let size = size.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let file = place::open(&place::piece(folder, &stored.name))?;
    let checked = Arc::new(Checked { file, size, sums: stored.blocks.clone(), blocks: Mutex::default() });
    let files = Files::default();
    let mut start = 0;
    for (name, length) in &stored.files {
        let part = Part { checked: Arc::clone(&checked), range: start..start + length };
        files.put(Path::new(name), Arc::new(part));
        start += length;
    }
    Ok(files)
}

/// Returns the checksums of all blocks.
pub(super) fn sums(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(BLOCK).map(crc32fast::hash).collect()
}

/// A file and what its blocks should be.
struct Checked {
    file: File,
    size: usize,
    sums: Vec<u32>,
    /// The blocks that were read alone: many small reads are in few of them.
    blocks: Mutex<BTreeMap<usize, OwnedBytes>>,
}

impl Checked {
    /// Reads the blocks around a range, checks them, and returns the range.
    fn read(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        let blocks = range.start / BLOCK..range.end.div_ceil(BLOCK);
        let start = blocks.start * BLOCK;
        let bytes = if blocks.len() == 1 { self.block(blocks.start)? } else { self.blocks(blocks)? };
        Ok(bytes.slice(range.start - start..range.end - start))
    }

    fn block(&self, block: usize) -> io::Result<OwnedBytes> {
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bytes) = blocks.get(&block) {
            return Ok(bytes.clone());
        }
        let bytes = self.blocks(block..block + 1)?;
        blocks.insert(block, bytes.clone());
        Ok(bytes)
    }

    fn blocks(&self, blocks: Range<usize>) -> io::Result<OwnedBytes> {
        let start = blocks.start * BLOCK;
        let mut bytes = vec![0; (blocks.end * BLOCK).min(self.size) - start];
        self.file.read_exact_at(&mut bytes, start as u64)?;
        let right = bytes.chunks(BLOCK).zip(&self.sums[blocks]).all(|(block, sum)| crc32fast::hash(block) == *sum);
        if right {
            return Ok(OwnedBytes::new(bytes));
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, "a block of the index is damaged"))
    }
}

/// One file inside of a piece.
struct Part {
    checked: Arc<Checked>,
    range: Range<usize>,
}

impl fmt::Debug for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Part").field("range", &self.range).finish_non_exhaustive()
    }
}

impl HasLen for Part {
    fn len(&self) -> usize {
        self.range.len()
    }
}

impl FileHandle for Part {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        if range.end > self.range.len() {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        self.checked.read(self.range.start + range.start..self.range.start + range.end)
    }
}
