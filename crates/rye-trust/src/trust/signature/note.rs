//! The note of an item's blob: the signature lines of every signer, without comment marks.
//!
//! Lines are sorted and unique, so that git's `cat_sort_uniq` merges two notes into what this file would write. A note
//! is untrusted: its content is a claim, bounded, and counts only if it verifies.

use std::collections::BTreeSet;

use thiserror::Error;

use crate::trust::{KeyId, SignatureLine};

/// The most bytes a note may have.
pub const MAX_NOTE_BYTES: usize = 256 * 1024;

/// The most signature lines of a note that are looked at.
pub const MAX_NOTE_SIGNATURES: usize = 256;

/// The lines of a note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Note {
    // Bytes throughout: git sorts them as bytes, and unknown lines stay as they are.
    lines: BTreeSet<Vec<u8>>,
}

/// A note too large to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum NoteError {
    /// Too many bytes.
    #[error("the note has {bytes} bytes; {MAX_NOTE_BYTES} are the most")]
    TooLarge { bytes: usize },
    /// Too many signature lines.
    #[error("the note has {lines} signature lines; {MAX_NOTE_SIGNATURES} are the most")]
    TooMany { lines: usize },
}

impl Note {
    /// Reads a note. Other lines are kept and do not count; empty ones are dropped.
    ///
    /// # Errors
    ///
    /// Fails on a note that is too large.
    pub fn parse(bytes: &[u8]) -> Result<Self, NoteError> {
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(NoteError::TooLarge { bytes: bytes.len() });
        }
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect();
        let note = Self { lines };
        match note.signatures().len() {
            lines if lines > MAX_NOTE_SIGNATURES => Err(NoteError::TooMany { lines }),
            _ => Ok(note),
        }
    }

    /// Returns the well-formed signature lines, the oldest first.
    #[must_use]
    pub fn signatures(&self) -> Vec<SignatureLine> {
        self.lines.iter().filter_map(|line| SignatureLine::from_bare(line).ok()).collect()
    }

    /// Tells whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Takes in what another note of the same blob says: as `cat_sort_uniq` would.
    pub fn union(&mut self, other: Self) {
        self.lines.extend(other.lines);
    }

    /// Adds a signature of one's own; it takes the place of the same key's others.
    pub fn add(&mut self, line: &SignatureLine) {
        self.remove(|other| other.key_id == line.key_id);
        self.lines.insert(line.bare().into_bytes());
    }

    /// Leaves of each key's signatures only the latest. Only those that are `genuine` are compared, and the others
    /// stay: another person's claim of a later time must not drop a signer's line.
    pub fn keep_latest(&mut self, genuine: impl Fn(&SignatureLine) -> bool) {
        let genuine: Vec<SignatureLine> = self.signatures().into_iter().filter(genuine).collect();
        let is_later = |one: &SignatureLine, other: &SignatureLine| {
            one.key_id == other.key_id && (one.timestamp, one.bare()) > (other.timestamp, other.bare())
        };
        let is_outdated = |line: &SignatureLine| genuine.iter().any(|other| is_later(other, line));
        self.remove(|line| genuine.contains(line) && is_outdated(line));
    }

    /// Returns the note's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
    }

    /// Returns the ids of the keys that are said to have signed, each once.
    #[must_use]
    pub fn key_ids(&self) -> BTreeSet<KeyId> {
        self.signatures().into_iter().map(|line| line.key_id).collect()
    }

    fn remove(&mut self, goes: impl Fn(&SignatureLine) -> bool) {
        self.lines.retain(|line| !SignatureLine::from_bare(line).is_ok_and(|line| goes(&line)));
    }
}
