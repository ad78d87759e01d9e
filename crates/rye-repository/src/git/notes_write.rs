//! Writing and merging notes: one commit on `refs/notes/rye` for any number of notes, by compare-and-swap.
//!
//! The tree is the one stock git would make: its fan-out for that many notes, each note once; other entries stay.
//! Merging is `git notes merge -s cat_sort_uniq`: a change of one side is taken, and a change of both becomes the
//! sorted union of both sides' lines. Durability is the [`Writer`]'s: the commit point is the move of the ref.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    BlobId, BranchUpdate, CommitId, Error, NewCommit, ObjectId, Repository, Signature, TreeEdit, TreeId, Writer,
    notes::{Lines, NOTES_REF, PlacedNote, too_large},
};
use crate::trust::MAX_NOTE_BYTES;

/// A change to the note of one object. It says what comes and what goes, not what the note is, so that what another
/// writer adds meanwhile stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteEdit {
    /// The annotated object: a blob or a commit, whether it is here or not.
    pub object_id: ObjectId,
    /// Lines that go, if they are there. A note whose last line goes is removed.
    pub remove: Vec<String>,
    /// Lines that come; a text of several lines is taken for these, and empty ones for none.
    pub add: Vec<String>,
}

/// How a notes commit describes itself.
#[derive(Debug, Clone, Copy)]
pub struct NotesCommit<'a> {
    /// Its message, and the first line that of the reflog.
    pub message: &'a str,
    /// Its author and committer.
    pub committer: &'a Signature,
}

/// What a merge of notes did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotesMerge {
    /// There was nothing new.
    Unchanged,
    /// `refs/notes/rye` is now where the other one is.
    FastForwarded(CommitId),
    /// `refs/notes/rye` is now at a commit of both.
    Merged(CommitId),
}

/// The notes of one commit by object; of several on one object, all.
type Placed = BTreeMap<ObjectId, BTreeSet<BlobId>>;

impl Repository {
    /// Makes all `edits` in one commit on `refs/notes/rye` and returns it; `None` if they change nothing. If another
    /// writer is faster, they are made anew on top of what that one wrote.
    ///
    /// # Errors
    /// [`Error::Locked`], [`Error::NameConflict`], [`Error::SymbolicRef`], [`Error::Sync`], [`Error::WriteObject`] or
    /// [`Error::WriteRef`]; or as reading the notes that are there; [`Error::NoteTooLarge`].
    pub fn write_notes(&self, edits: &[NoteEdit], commit: NotesCommit<'_>) -> Result<Option<CommitId>, Error> {
        self.until_settled(|tip| {
            let mut draft = Draft::on(self, tip)?;
            for edit in edits {
                draft.edit(edit)?;
            }
            let tip: Vec<CommitId> = tip.into_iter().cloned().collect();
            draft.commit(tip, commit)
        })
    }

    /// Merges the notes commit `theirs` (fetched from a remote) into `refs/notes/rye`.
    ///
    /// # Errors
    /// As [`write_notes`](Self::write_notes); [`Error::Shallow`] and its like if `theirs` is not here.
    pub fn merge_notes(&self, theirs: &CommitId, commit: NotesCommit<'_>) -> Result<NotesMerge, Error> {
        self.commit_info(theirs)?;
        let mut done = NotesMerge::Unchanged;
        let moved = self.until_settled(|tip| {
            let base = match tip {
                Some(ours) => self.merge_base(ours, theirs)?,
                None => None,
            };
            if base.as_ref() == Some(theirs) {
                return Ok(None);
            }
            if base.as_ref() == tip {
                done = NotesMerge::FastForwarded(theirs.clone());
                return Ok(Some((self.writer(), theirs.clone(), commit)));
            }
            let ours = tip.cloned().into_iter();
            let mut draft = Draft::on(self, tip)?;
            draft.merge(&self.placed(base.as_ref())?, &self.placed(Some(theirs))?)?;
            let (writer, merged) = draft.write(ours.chain([theirs.clone()]).collect(), commit)?;
            done = NotesMerge::Merged(merged.clone());
            Ok(Some((writer, merged, commit)))
        })?;
        Ok(if moved.is_some() { done } else { NotesMerge::Unchanged })
    }

    /// Moves the ref to what `make` makes on top of where it is, repeated until no other process was faster.
    fn until_settled<'repo, 'a>(
        &'repo self,
        mut make: impl FnMut(Option<&CommitId>) -> Result<Option<(Writer<'repo>, CommitId, NotesCommit<'a>)>, Error>,
    ) -> Result<Option<CommitId>, Error> {
        loop {
            let tip = self.branch(NOTES_REF)?;
            let Some((mut writer, commit_id, NotesCommit { message, committer })) = make(tip.as_ref())? else {
                return Ok(None);
            };
            let message = message.lines().next().unwrap_or_default();
            let update = BranchUpdate { name: NOTES_REF, commit_id: &commit_id, message, committer };
            let moved = match &tip {
                Some(tip) => writer.advance_branch(tip, update),
                None => writer.create_branch(update),
            };
            match moved {
                Err(Error::Moved { .. } | Error::AlreadyExists { .. }) => {}
                moved => return moved.map(|()| Some(commit_id)),
            }
        }
    }

    fn placed(&self, commit_id: Option<&CommitId>) -> Result<Placed, Error> {
        let notes = commit_id.map(|id| self.placed_notes(id)).transpose()?;
        Ok(by_object(&notes.unwrap_or_default()))
    }

    fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<Option<CommitId>, Error> {
        let found = self.inner.merge_bases_many(one.to_gix(), &[self.native(other.to_gix())?]);
        let found = found.map_err(|error| super::read::corrupt(other.to_gix(), error))?;
        // With several git takes the first too.
        Ok(found.first().map(|id| CommitId::from_gix(*id)))
    }
}

/// Notes being changed, and their tree.
struct Draft<'repo> {
    writer: Writer<'repo>,
    base: Option<TreeId>,
    standing: Vec<PlacedNote>,
    wanted: BTreeMap<ObjectId, BTreeSet<BlobId>>,
}

impl<'repo> Draft<'repo> {
    fn on(repository: &'repo Repository, tip: Option<&CommitId>) -> Result<Self, Error> {
        let base = tip.map(|tip| repository.tree_of(tip)).transpose()?;
        let standing = tip.map(|tip| repository.placed_notes(tip)).transpose()?.unwrap_or_default();
        Ok(Self { writer: repository.writer(), base, wanted: by_object(&standing), standing })
    }

    fn edit(&mut self, edit: &NoteEdit) -> Result<(), Error> {
        let standing = self.wanted.get(&edit.object_id).cloned().unwrap_or_default();
        let mut lines = self.writer.repository().lines_of(&edit.object_id, &standing)?;
        for line in &edit.remove {
            lines.remove(line.as_bytes());
        }
        let added = edit.add.iter().flat_map(|text| text.split('\n')).filter(|line| !line.is_empty());
        lines.extend(added.map(|line| line.as_bytes().to_vec()));
        self.put(&edit.object_id, &lines)
    }

    /// Takes what only they changed since `base`, and unites what both sides changed.
    fn merge(&mut self, base: &Placed, theirs: &Placed) -> Result<(), Error> {
        let objects: BTreeSet<&ObjectId> = base.keys().chain(theirs.keys()).collect();
        for object_id in objects {
            let (before, new) = (base.get(object_id), theirs.get(object_id));
            let own = self.wanted.get(object_id);
            if new == before || new == own {
                continue;
            }
            if own == before {
                match new {
                    Some(new) => self.wanted.insert(object_id.clone(), new.clone()),
                    None => self.wanted.remove(object_id),
                };
                continue;
            }
            let both: BTreeSet<BlobId> = own.into_iter().chain(new).flatten().cloned().collect();
            let lines = self.writer.repository().lines_of(object_id, &both)?;
            self.put(object_id, &lines)?;
        }
        Ok(())
    }

    fn put(&mut self, object_id: &ObjectId, lines: &Lines) -> Result<(), Error> {
        if lines.is_empty() {
            self.wanted.remove(object_id);
            return Ok(());
        }
        let bytes = rendered(lines);
        if bytes.len() > MAX_NOTE_BYTES {
            return Err(too_large(object_id));
        }
        let blob_id = self.writer.blob(&bytes)?;
        self.wanted.insert(object_id.clone(), BTreeSet::from([blob_id]));
        Ok(())
    }

    /// Writes the commit, unless its tree is the one there is.
    fn commit<'a>(
        self,
        parents: Vec<CommitId>,
        commit: NotesCommit<'a>,
    ) -> Result<Option<(Writer<'repo>, CommitId, NotesCommit<'a>)>, Error> {
        let changes_nothing = by_object(&self.standing) == self.wanted;
        if changes_nothing {
            return Ok(None);
        }
        let (writer, commit_id) = self.write(parents, commit)?;
        Ok(Some((writer, commit_id, commit)))
    }

    fn write(mut self, parents: Vec<CommitId>, commit: NotesCommit<'_>) -> Result<(Writer<'repo>, CommitId), Error> {
        let edits = self.tree_edits()?;
        let tree_id = self.writer.tree(self.base.as_ref(), &edits)?;
        let author = commit.committer.clone();
        let message = format!("{}\n", commit.message.trim_end());
        let new = NewCommit { tree_id, parents, committer: author.clone(), author, message };
        let commit_id = self.writer.commit(&new, None)?;
        Ok((self.writer, commit_id))
    }

    /// Returns the changes of the tree that give each note one entry, where git would put it.
    fn tree_edits(&mut self) -> Result<Vec<TreeEdit>, Error> {
        let mut wanted = BTreeMap::new();
        for (object_id, path) in places(self.wanted.keys()) {
            let blobs = &self.wanted[object_id];
            let blob_id = match blobs.first() {
                Some(only) if blobs.len() == 1 => only.clone(),
                _ => self.writer.blob(&rendered(&self.writer.repository().lines_of(object_id, blobs)?))?,
            };
            wanted.insert(path, blob_id);
        }
        let mut edits = Vec::new();
        for note in &self.standing {
            match wanted.get(&note.path) {
                Some(blob_id) if *blob_id == note.blob_id => drop(wanted.remove(&note.path)),
                Some(_) => {}
                None => edits.push(TreeEdit::Remove { path: note.path.clone() }),
            }
        }
        let put = |(path, blob_id)| TreeEdit::Upsert { path, executable: false, blob_id };
        edits.extend(wanted.into_iter().map(put));
        Ok(edits)
    }
}

fn by_object(notes: &[PlacedNote]) -> Placed {
    let mut placed = Placed::new();
    for note in notes {
        placed.entry(note.object_id.clone()).or_default().insert(note.blob_id.clone());
    }
    placed
}

fn rendered(lines: &Lines) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().copied().chain([b'\n'])).collect()
}

/// Returns the place of each note in a tree, as git decides it (`determine_fanout`): a folder's notes go into folders
/// of two digits once each of the sixteen digits that can come next begins at least two of them.
fn places<'a>(ids: impl Iterator<Item = &'a ObjectId>) -> Vec<(&'a ObjectId, String)> {
    let ids: Vec<&ObjectId> = ids.collect();
    let mut places = Vec::with_capacity(ids.len());
    let mut folders = vec![(ids, 0, String::new())];
    while let Some((ids, digits, folder)) = folders.pop() {
        if !is_crowded(&ids, digits) {
            places.extend(ids.into_iter().map(|id| (id, format!("{folder}{}", &id.as_str()[digits..]))));
            continue;
        }
        for below in ids.chunk_by(|one, next| one.as_str()[..digits + 2] == next.as_str()[..digits + 2]) {
            let name = &below[0].as_str()[digits..digits + 2];
            folders.push((below.to_vec(), digits + 2, format!("{folder}{name}/")));
        }
    }
    places
}

fn is_crowded(ids: &[&ObjectId], digits: usize) -> bool {
    let next = |id: &ObjectId| id.as_str().as_bytes().get(digits).copied();
    let mut groups = ids.chunk_by(|one, other| next(one) == next(other));
    ids.len() >= 32 && groups.by_ref().filter(|group| group.len() > 1).count() == 16
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn ids(prefixes: &[String]) -> Vec<ObjectId> {
        prefixes.iter().map(|prefix| ObjectId::parse(&format!("{prefix:0<40}")).unwrap()).collect()
    }

    #[test]
    fn notes_fan_out_once_every_digit_has_two() {
        let mut prefixes: Vec<String> = (0..16).flat_map(|n| [format!("{n:x}0"), format!("{n:x}1")]).collect();
        prefixes.sort();
        let crowded = ids(&prefixes);
        let placed = places(crowded.iter());
        assert!(placed.iter().all(|(id, path)| *path == format!("{}/{}", &id.as_str()[..2], &id.as_str()[2..])));
        let flat = places(crowded[1..].iter());
        assert!(flat.iter().all(|(id, path)| path == id.as_str()));
    }
}
