//! Whose signature it is that fits the bytes and not their name: the item it was made for, in the tree or in history.
//!
//! A help, not a proof: the search is bounded, and what it does not find is judged no better for it.

use std::collections::BTreeMap;

use super::super::locate::{LineEnds, LocateError};
use super::commits::short;
use super::content::{Content, Source};
use super::files::{self, File};
use super::judge;
use super::judgement::{Judged, Judgement};
use crate::git::{BlobId, CommitId, Repository, TreeEntry};
use crate::id::{SPACE_FOLDER, Space};
use crate::project::Project;
use crate::trust::{Fault, RawSignature, Signed, Subject, TrustedKeys};
use crate::workspace::MAX_ITEM_BYTES;

/// The most findings that are explained.
const MOST_FINDINGS: usize = 16;

/// The most commits that are looked at for one of them.
const MOST_COMMITS: usize = 500;

/// The most files that are read for all of them.
const MOST_READ: usize = 20_000;

/// Explains those findings whose signature was made for another name, and those whose line ends alone changed.
pub(super) fn explain(
    project: &Project,
    keys: &TrustedKeys,
    files: &[File],
    start: Option<&CommitId>,
    judged: &mut [Judged<'_>],
) -> Result<(), LocateError> {
    let Some(repository) = project.repository() else { return Ok(()) };
    line_ends(project, judged)?;
    let mut search = Search { repository: &repository, keys, read: 0, known: BTreeMap::new() };
    for judged in judged.iter_mut().filter(|judged| is_misplaced(judged)).take(MOST_FINDINGS) {
        let Judgement::Bad(bad) = &mut judged.judgement else { continue };
        let Some(signature) = &bad.signature else { continue };
        let original = match search.in_tree(project, files, *signature)? {
            None => search.in_history(start, *signature)?,
            found => found,
        };
        bad.because = original;
    }
    Ok(())
}

/// Explains files of the work tree that fit their signatures with other line ends.
fn line_ends(project: &Project, judged: &mut [Judged<'_>]) -> Result<(), LocateError> {
    let reader = project.workspace().reader(files::space(project))?;
    for Judged { file, judgement, .. } in judged {
        let (Judgement::Bad(bad), Content::Item(subject, Source::File(candidate))) = (judgement, &file.content) else {
            continue;
        };
        if !bad.fault.may_be_line_ends() {
            continue;
        }
        // What cannot be read is told where it is judged.
        let Ok(bytes) = reader.read(candidate) else { continue };
        if let Some(ends) = LineEnds::of(project, &file.path, &Signed::new(subject.clone(), bytes)) {
            (bad.because, bad.mend) = (Some(ends.cause), Some(ends.mend));
        }
    }
    Ok(())
}

fn is_misplaced(judged: &Judged<'_>) -> bool {
    matches!(&judged.judgement, Judgement::Bad(bad) if matches!(bad.fault, Fault::Misplaced))
}

/// Looks for the item that a signature was made for.
struct Search<'a> {
    repository: &'a Repository,
    keys: &'a TrustedKeys,
    read: usize,
    /// The good signatures met so far, by place and blob.
    known: BTreeMap<(String, BlobId), Option<RawSignature>>,
}

impl Search<'_> {
    /// Looks among the files that are verified themselves.
    fn in_tree(
        &mut self,
        project: &Project,
        files: &[File],
        signature: RawSignature,
    ) -> Result<Option<String>, LocateError> {
        let reader = project.workspace().reader(files::space(project))?;
        for file in files {
            let Content::Item(subject, source) = &file.content else { continue };
            let found = match source {
                Source::Blob(blob_id) => self.of_blob(&file.path, subject, blob_id)?,
                Source::File(_) if !self.may_read() => None,
                Source::File(_) => judge::bytes(source, &reader, self.repository)?
                    .ok()
                    .and_then(|bytes| good_signature(self.keys, subject.clone(), bytes)),
            };
            if found == Some(signature) {
                return Ok(Some(format!("this is the signature of {subject}")));
            }
        }
        Ok(None)
    }

    /// Looks among what once was.
    fn in_history(&mut self, start: Option<&CommitId>, signature: RawSignature) -> Result<Option<String>, LocateError> {
        let Some(start) = start else { return Ok(None) };
        let repository = self.repository;
        let is_wanted = |entry: &TreeEntry| {
            let Some((subject, blob_id)) = files::item(entry) else { return false };
            // An unreadable file explains nothing, and is reported where it is judged.
            self.of_blob(&entry.path, &subject, &blob_id).is_ok_and(|found| found == Some(signature))
        };
        let found = repository.find_in_history(start, SPACE_FOLDER, MOST_COMMITS, is_wanted)?;
        Ok(found.and_then(|past| {
            let (subject, _) = files::item(&past.entry)?;
            Some(format!("this is the signature of {subject} as of commit `{}`", short(&past.commit_id)))
        }))
    }

    fn of_blob(
        &mut self,
        path: &str,
        subject: &Subject,
        blob_id: &BlobId,
    ) -> Result<Option<RawSignature>, LocateError> {
        let name = (path.to_owned(), blob_id.clone());
        if let Some(known) = self.known.get(&name) {
            return Ok(*known);
        }
        if !self.may_read() {
            return Ok(None);
        }
        let bytes = self.repository.blob_within(blob_id, MAX_ITEM_BYTES)?;
        let found = bytes.and_then(|bytes| good_signature(self.keys, subject.clone(), bytes));
        self.known.insert(name, found);
        Ok(found)
    }

    const fn may_read(&mut self) -> bool {
        self.read += 1;
        self.read <= MOST_READ
    }
}

/// Returns the signature of an item whose own line counts.
fn good_signature(keys: &TrustedKeys, subject: Subject, bytes: Vec<u8>) -> Option<RawSignature> {
    let signed = Signed::new(subject, bytes).in_space(Space::Project);
    signed.judge_line(keys).ok().map(|line| line.signature)
}
