//! Countersignatures: a person signs a committed item, and the line goes into a note of its blob.
//!
//! The file stays byte for byte as it is, with its author's line. Commit point: the move of `refs/notes/rye`, one for
//! all items; when one of them cannot be countersigned, none is.

use std::path::Path;

use super::error::Error;
use super::one::{fitting_line, is_by, line_by};
use super::options::Options;
use super::{Item, Outcome, Read, Status, Work, each, item, notes_committer};
use crate::git::{BlobId, NoteEdit, Notes, NotesCommit, Repository};
use crate::project::Project;
use crate::trust::{Note, SignatureLine, Signer};

/// Countersigns items with the key of `signer`: each must be committed unchanged, and signed by its author.
///
/// # Errors
///
/// Fails as [`sign`](super::sign) does, on an item that has uncommitted changes or no signature of its own, and when
/// the notes cannot be read or written.
pub fn countersign(project: &Project, options: &Options, signer: &dyn Signer) -> Result<Outcome, Error> {
    project.root()?;
    let repository = project.require_repository()?;
    let notes = repository.notes()?;
    let mut edits = Vec::new();
    let desk = Desk { options, project, repository: &repository, notes: &notes, signer };
    let outcome = each(project, options, None, |read, _, _| desk.countersign(read, &mut edits))?;
    if !edits.is_empty() {
        let committer = notes_committer(project, &repository);
        repository.write_notes(&edits, NotesCommit { message: "notes: countersignatures", committer: &committer })?;
    }
    Ok(outcome.in_brief())
}

/// What one countersignature needs.
struct Desk<'a> {
    options: &'a Options,
    project: &'a Project,
    repository: &'a Repository,
    notes: &'a Notes,
    signer: &'a dyn Signer,
}

impl Desk<'_> {
    fn countersign(&self, read: Read, edits: &mut Vec<NoteEdit>) -> Result<Item, Error> {
        let Read { work, remarks, .. } = read;
        let Work { candidate, raw, .. } = &work;
        let blob_id = self.committed(&work)?;
        let (item_type, item_id) = (candidate.item_type, candidate.id.clone());
        let author =
            fitting_line(raw).ok_or_else(|| Error::NothingToCountersign { item_type, item_id: item_id.clone() })?;
        if line_by(raw, &self.signer.public()).is_some() {
            return Ok(item(candidate, Status::Unchanged, remarks, Some(&author)));
        }
        let too_large = |source| Error::Note { item_type, item_id: item_id.clone(), source };
        let there = self.repository.note_lines(self.notes, &blob_id.clone().into())?;
        let note = Note::parse(there.join("\n").as_bytes()).map_err(too_large)?;
        let own: Vec<SignatureLine> =
            note.signatures().into_iter().filter(|line| line.key_id == self.signer.public().key_id()).collect();
        let is_good =
            |line: &&SignatureLine| line.hash == author.hash && is_by(raw.subject(), line, &self.signer.public());
        if let Some(line) = own.iter().find(is_good).filter(|_| !self.options.again) {
            return Ok(item(candidate, Status::Unchanged, remarks, Some(line)));
        }
        if self.options.check {
            return Ok(item(candidate, Status::Signed, remarks, None));
        }
        let line = raw.countersign(self.signer, self.project.context().now())?;
        let mut whole = note;
        whole.add(&line);
        whole.add(&author);
        Note::parse(&whole.to_bytes()).map_err(too_large)?;
        let remove = own.iter().map(SignatureLine::bare).collect();
        edits.push(NoteEdit { object_id: blob_id.into(), remove, add: vec![author.bare(), line.bare()] });
        Ok(item(candidate, Status::Signed, remarks, Some(&line)))
    }

    /// Finds the item's blob in `HEAD`, which must hold just what the file holds.
    fn committed(&self, work: &Work) -> Result<BlobId, Error> {
        let candidate = &work.candidate;
        let blob_id = self.repository.blob_id_of(work.raw.content());
        let root = self.repository.require_work_dir()?;
        let path = candidate.path.strip_prefix(root).ok().and_then(Path::to_str);
        let entry = match (path, self.repository.head()?.commit_id()) {
            (Some(path), Some(head)) => self.repository.entry_at(head, path)?,
            _ => None,
        };
        let not_committed = || Error::NotCommitted { item_type: candidate.item_type, item_id: candidate.id.clone() };
        entry.map(|entry| entry.blob_id).filter(|there| *there == blob_id).ok_or_else(not_committed)
    }
}
