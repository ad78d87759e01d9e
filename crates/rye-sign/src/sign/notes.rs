//! The notes of a commit: on each changed item's blob its signature line, with the countersignatures that still match;
//! on the commit itself one line for each item, for people.
//!
//! All of it follows from the commit, so missing notes can be made later, by any person, with the same result. The
//! search for them goes back along first parents until a commit has all it should have.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::subject_at;
use super::changes::MAX_ENTRIES;
use super::error::Error;
use super::one::{Raw, fitting_line};
use crate::git::{
    self, BlobId, CommitId, Mode, NoteEdit, Notes, NotesCommit, ObjectId, Repository, Signature, TreeEntry,
};
use crate::git::{Identity, TreeChange};
use crate::project::Project;
use crate::trust::{MAX_NOTE_SIGNATURES, Note, SignatureLine};
use crate::workspace::MAX_ITEM_BYTES;

/// How many commits back notes are looked for that are missing.
const LOOK_BACK: usize = 256;

/// The lines each object's note should have.
type Wanted = BTreeMap<ObjectId, BTreeSet<String>>;

/// Returns who makes notes commits here, now.
#[must_use]
pub fn notes_committer(project: &Project, repository: &Repository) -> Signature {
    let identity = repository.committer().unwrap_or_else(|| Identity::new("rye", "rye@localhost"));
    identity.at(project.context().now().seconds())
}

/// Adds the missing notes of `last` and the commits before it, in one notes commit, if any.
///
/// # Errors
///
/// Fails when the repository cannot be read, or the notes cannot be written.
pub fn complete(project: &Project, repository: &Repository, last: &CommitId) -> Result<Option<CommitId>, Error> {
    let notes = repository.notes()?;
    let mut wanted = Wanted::new();
    // Countersignatures are handed on from one commit to the next.
    for (commit_id, changes) in unnoted(repository, &notes, last)?.into_iter().rev() {
        add_wanted(repository, &notes, &commit_id, &changes, &mut wanted)?;
    }
    let edit = |(object_id, lines): (ObjectId, BTreeSet<String>)| NoteEdit {
        object_id,
        remove: Vec::new(),
        add: lines.into_iter().collect(),
    };
    let edits: Vec<NoteEdit> = wanted.into_iter().map(edit).collect();
    if edits.is_empty() {
        return Ok(None);
    }
    let committer = notes_committer(project, repository);
    let message = format!("notes: signatures of {last}");
    Ok(repository.write_notes(&edits, NotesCommit { message: &message, committer: &committer })?)
}

/// A commit, and what it brings below `.ai/`.
type Brought = (CommitId, Vec<TreeChange>);

/// Lists the commits whose notes are not whole, the last first.
fn unnoted(repository: &Repository, notes: &Notes, last: &CommitId) -> Result<Vec<Brought>, Error> {
    let mut found = Vec::new();
    let mut next = Some(last.clone());
    for _ in 0..LOOK_BACK {
        let Some(commit_id) = next else { break };
        let info = repository.commit_info(&commit_id)?;
        let changes = match repository.changes_below(&info.parents, &commit_id, ".ai", MAX_ENTRIES) {
            // Objects missing in a shallow or partial clone exist elsewhere.
            Err(git::Error::Shallow { .. } | git::Error::Promised { .. } | git::Error::MissingAlternate { .. }) => {
                break;
            }
            changes => changes?,
        };
        let lines = told(repository, &changes)?;
        if !lines.is_empty() {
            let there = repository.note_lines(notes, &commit_id.clone().into())?;
            if lines.iter().all(|line| there.contains(line)) {
                break;
            }
            found.push((commit_id, changes));
        }
        next = info.parents.into_iter().next();
    }
    Ok(found)
}

/// Adds the notes of one commit.
fn add_wanted(
    repository: &Repository,
    notes: &Notes,
    commit_id: &CommitId,
    changes: &[TreeChange],
    wanted: &mut Wanted,
) -> Result<(), Error> {
    let parents = repository.commit_info(commit_id)?.parents;
    for change in changes {
        let Some((raw, blob_id)) = item_of(repository, &change.path, change.after.as_ref())? else { continue };
        let Some(own) = fitting_line(&raw) else { continue };
        let mut lines = BTreeSet::from([own.bare()]);
        for parent in &parents {
            let Some(before) = repository.entry_at(parent, &change.path)? else { continue };
            lines.extend(carried(repository, notes, wanted, &before.blob_id, &own)?);
        }
        wanted.entry(blob_id.into()).or_default().extend(lines);
    }
    wanted.entry(commit_id.clone().into()).or_default().extend(told(repository, changes)?);
    Ok(())
}

/// Returns what others signed of the same content while it had another line, and so another blob.
fn carried(
    repository: &Repository,
    notes: &Notes,
    wanted: &Wanted,
    before: &BlobId,
    own: &SignatureLine,
) -> Result<Vec<String>, Error> {
    let object_id = ObjectId::from(before.clone());
    let mut lines: BTreeSet<String> = repository.note_lines(notes, &object_id)?.into_iter().collect();
    lines.extend(wanted.get(&object_id).into_iter().flatten().cloned());
    let text: Vec<String> = lines.into_iter().map(|line| line + "\n").collect();
    // An unreadable note is not handed on.
    let signatures = Note::parse(text.concat().as_bytes()).map(|note| note.signatures()).unwrap_or_default();
    let still_fits = |line: &&SignatureLine| line.hash == own.hash && line.key_id != own.key_id;
    Ok(signatures.iter().filter(still_fits).take(MAX_NOTE_SIGNATURES - 1).map(SignatureLine::bare).collect())
}

/// Writes one line for each item that a commit changes.
fn told(repository: &Repository, changes: &[TreeChange]) -> Result<BTreeSet<String>, Error> {
    let mut lines = BTreeSet::new();
    for change in changes {
        let Some(subject) = subject_at(&change.path) else { continue };
        let what = match item_of(repository, &change.path, change.after.as_ref())? {
            None => "removed".to_owned(),
            Some((raw, _)) => match fitting_line(&raw) {
                Some(line) => format!("signed by {}", line.key_id),
                None => "not signed".to_owned(),
            },
        };
        lines.insert(format!("{} {}: {what}", subject.item_type, subject.item_id));
    }
    Ok(lines)
}

/// Reads the item that a commit has at a path.
fn item_of(repository: &Repository, path: &str, entry: Option<&TreeEntry>) -> Result<Option<(Raw, BlobId)>, Error> {
    let entry = entry.filter(|entry| matches!(entry.mode, Mode::File | Mode::Executable));
    let (Some(subject), Some(entry)) = (subject_at(path), entry) else { return Ok(None) };
    // A file larger than an item has no signature that counts.
    let bytes = repository.blob_within(&entry.blob_id, MAX_ITEM_BYTES)?.unwrap_or_default();
    let raw = Raw::new(subject, bytes);
    Ok(Some((raw, entry.blob_id.clone())))
}
