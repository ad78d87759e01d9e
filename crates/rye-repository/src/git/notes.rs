//! Notes in `refs/notes/rye`: lines for blobs and commits, where stock `git notes --ref=rye` reads and writes them too.
//!
//! Invariants:
//! - Reading takes the union of the own ref and every `refs/notes/remotes/REMOTE/rye`, whatever fan-out they have.
//! - Trees and blobs are hashed like any other object. That is why gix's own notes are not used here.
//! - A note is a set of lines. They are sorted after reading; this module does not decide about trust.
//!
//! The format is git's: a tree in which a note's path is the id of its object, with or without a `/` after each two
//! digits; entries of other names are not notes. Writing and merging are in `notes_write.rs`.

use std::collections::{BTreeMap, BTreeSet};

use gix::objs::{Kind, TreeRefIter, tree::EntryKind};

use super::{BlobId, CommitId, Error, ObjectId, Repository, read::corrupt, walk::join};
use crate::trust::MAX_NOTE_BYTES;

/// The ref this program's notes are kept in.
pub const NOTES_REF: &str = "refs/notes/rye";

/// Where the notes of remotes are fetched to: `+refs/notes/rye*:refs/notes/remotes/REMOTE/rye*`.
const REMOTE_NOTES: &str = "refs/notes/remotes/";

/// The most entries, folders included, that trees of notes may have in all.
const MAX_ENTRIES: usize = 4_000_000;

/// The places of notes, in one or several notes refs; their lines are read on demand ([`Repository::note_lines`]).
/// Cheap enough to be read whole, and to be shared between workers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    tips: Vec<(String, CommitId)>,
    blobs: BTreeMap<ObjectId, BTreeSet<BlobId>>,
}

impl Notes {
    /// Returns the refs that were read and where they were.
    pub fn tips(&self) -> &[(String, CommitId)] {
        &self.tips
    }

    /// Returns the objects that have notes.
    pub fn objects(&self) -> impl Iterator<Item = &ObjectId> {
        self.blobs.keys()
    }

    /// Returns the blobs of an object's notes. Equal sets are equal notes, so they can be part of a cache's key.
    pub fn blobs_on(&self, object_id: &ObjectId) -> impl Iterator<Item = &BlobId> {
        self.blobs.get(object_id).into_iter().flatten()
    }
}

/// A note as an entry of a tree.
pub(super) struct PlacedNote {
    pub(super) path: String,
    pub(super) object_id: ObjectId,
    pub(super) blob_id: BlobId,
}

/// A walk through trees of notes.
#[derive(Default)]
struct Walk {
    /// How many entries were seen.
    seen: usize,
    /// The folders that were walked through, which refs share.
    passed: BTreeSet<(String, gix::ObjectId)>,
}

/// The lines of a note, as bytes: lines of other programs may not be UTF-8.
pub(super) type Lines = BTreeSet<Vec<u8>>;

pub(super) fn too_large(object_id: &ObjectId) -> Error {
    Error::NoteTooLarge { object_id: object_id.to_string(), limit: MAX_NOTE_BYTES }
}

impl Repository {
    /// Reads which notes there are: the union of `refs/notes/rye` and of the refs fetched from remotes.
    ///
    /// # Errors
    /// [`Error::ReadRef`], [`Error::SymbolicRef`], or as [`entries_below`](Self::entries_below).
    pub fn notes(&self) -> Result<Notes, Error> {
        let own = self.branch(NOTES_REF)?.map(|tip| (NOTES_REF.to_owned(), tip));
        let tips: Vec<_> = own.into_iter().chain(self.remote_notes()?).collect();
        let mut blobs: BTreeMap<ObjectId, BTreeSet<BlobId>> = BTreeMap::new();
        let mut walk = Walk::default();
        for (_, tip) in &tips {
            for note in self.notes_on_the_way(tip, &mut walk)? {
                blobs.entry(note.object_id).or_default().insert(note.blob_id);
            }
        }
        Ok(Notes { tips, blobs })
    }

    /// Lists the fetched notes refs of remotes, by full name: `refs/notes/rye` can be merged with them.
    ///
    /// # Errors
    /// [`Error::ReadRef`] or [`Error::SymbolicRef`].
    pub fn remote_notes(&self) -> Result<Vec<(String, CommitId)>, Error> {
        let mut found = self.branches_below(REMOTE_NOTES)?;
        found.retain(|(name, _)| name.ends_with("/rye"));
        Ok(found)
    }

    /// Reads an object's notes: the lines of all of them, sorted, each once, without empty ones. Invalid UTF-8 is
    /// replaced, so such a line is never one this program wrote. A note of more than [`MAX_NOTE_BYTES`] is passed over:
    /// a fetch can bring any.
    ///
    /// # Errors
    /// As [`blob`](Self::blob).
    pub fn note_lines(&self, notes: &Notes, object_id: &ObjectId) -> Result<Vec<String>, Error> {
        let mut lines = Lines::new();
        for blob_id in notes.blobs_on(object_id) {
            lines.extend(self.lines_within(blob_id)?.unwrap_or_default());
        }
        Ok(lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect())
    }

    /// Reads the lines of all notes on an object, to write them again.
    ///
    /// # Errors
    /// [`Error::NoteTooLarge`], or as [`blob`](Self::blob).
    pub(super) fn lines_of<'a>(
        &self,
        object_id: &ObjectId,
        blobs: impl IntoIterator<Item = &'a BlobId>,
    ) -> Result<Lines, Error> {
        let mut lines = Lines::new();
        for blob_id in blobs {
            lines.extend(self.lines_within(blob_id)?.ok_or_else(|| too_large(object_id))?);
        }
        Ok(lines)
    }

    /// Reads the lines of a note; `None` if it is larger than a note may be.
    fn lines_within(&self, blob_id: &BlobId) -> Result<Option<Lines>, Error> {
        let bytes = self.blob_within(blob_id, MAX_NOTE_BYTES as u64)?;
        let lines = |bytes: Vec<u8>| {
            bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
        };
        Ok(bytes.map(lines))
    }

    /// Lists the notes of one notes commit. One object can have several, at different fan-outs.
    pub(super) fn placed_notes(&self, commit_id: &CommitId) -> Result<Vec<PlacedNote>, Error> {
        self.notes_on_the_way(commit_id, &mut Walk::default())
    }

    /// Lists the notes of one notes commit, without those of folders that the walk has passed already.
    fn notes_on_the_way(&self, commit_id: &CommitId, walk: &mut Walk) -> Result<Vec<PlacedNote>, Error> {
        let digits = self.inner.object_hash().len_in_hex();
        let mut found = Vec::new();
        // Notes of two objects have different names, so no folder is in one commit twice, unless it was made for an
        // endless walk.
        let mut here = BTreeSet::new();
        let mut folders = vec![(String::new(), self.tree_of(commit_id)?.to_gix())];
        while let Some((folder, tree)) = folders.pop() {
            if !here.insert(tree) || !walk.passed.insert((folder.clone(), tree)) {
                continue;
            }
            let prefix = folder.replace('/', "");
            for (name, kind, id) in self.hex_entries(tree)? {
                walk.seen += 1;
                if walk.seen > MAX_ENTRIES {
                    return Err(Error::TooManyEntries { path: NOTES_REF.to_owned(), limit: MAX_ENTRIES });
                }
                let is_file = matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable);
                let path = join(&folder, &name);
                if is_file && prefix.len() + name.len() == digits {
                    let object_id = ObjectId::parse(&format!("{prefix}{name}").to_ascii_lowercase())?;
                    found.push(PlacedNote { path, object_id, blob_id: BlobId::from_gix(id) });
                } else if kind == EntryKind::Tree && name.len() == 2 && prefix.len() + 2 < digits {
                    folders.push((path, id));
                }
            }
        }
        Ok(found)
    }

    /// Lists those entries of a tree whose names can be part of an id. A remote may put other entries next to them:
    /// these are not notes, and not a reason to stop.
    fn hex_entries(&self, tree: gix::ObjectId) -> Result<Vec<(String, EntryKind, gix::ObjectId)>, Error> {
        let data = self.object(tree, Kind::Tree)?;
        let mut found = Vec::new();
        for entry in TreeRefIter::from_bytes(&data, tree.kind()) {
            let entry = entry.map_err(|error| corrupt(tree, error))?;
            if entry.filename.iter().all(u8::is_ascii_hexdigit) {
                found.push((entry.filename.to_string(), entry.mode.kind(), entry.oid.to_owned()));
            }
        }
        Ok(found)
    }
}
