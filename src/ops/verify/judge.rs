//! Reading and judging files, on every core.
//!
//! A file judged good by an earlier run is hashed and looked up instead. What is read is judged and let go: a
//! verification of many items holds few of them in memory.

use super::super::locate::{LocateError, Session};
use super::base::{Base, Compared};
use super::cached::Cached;
use super::files::{self, Content, File, Source};
use super::judgement::{Bad, Judged, Judgement, Remembered};
use super::past::{Before, Past};
use super::revoked::Revoked;
use crate::format::Severity;
use crate::git::{BlobId, CommitId, Notes, ObjectId, Repository};
use crate::id::{Space, Timestamp};
use crate::trust::{
    Envelope, Fault, LineState, MAX_NOTE_BYTES, Note, Predecessor, SignatureLine, Signed, Subject, TrustedKeys,
    Unverified,
};
use crate::workspace::{self, MAX_ITEM_BYTES, Reader};

/// Fewer files are not worth a second worker.
const FILES_PER_WORKER: usize = 64;

/// What all files are judged by.
pub(super) struct Measure<'a> {
    pub(super) keys: &'a TrustedKeys,
    pub(super) revoked: &'a Revoked,
    pub(super) cached: Option<&'a Cached>,
    pub(super) notes: &'a Notes,
    pub(super) base: Option<&'a Base>,
    pub(super) past: &'a Past,
    /// Whether the envelopes are wanted.
    pub(super) envelopes: bool,
}

/// Judges files, in their order.
pub(super) fn all<'f>(
    session: &Session,
    measure: &Measure<'_>,
    files: &'f [File],
) -> Result<Vec<Judged<'f>>, LocateError> {
    let shares = workspace::shares(files, FILES_PER_WORKER).into_iter();
    let shares = shares.map(|files| Ok((Judge::new(session, measure)?, files)));
    let judged = workspace::on_every_core(shares.collect::<Result<_, LocateError>>()?, |(judge, files)| {
        files.iter().map(|file| judge.file(file)).collect::<Result<Vec<_>, _>>()
    });
    Ok(judged.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// What a share of files is judged with.
struct Judge<'a> {
    measure: &'a Measure<'a>,
    reader: Reader,
    repository: Repository,
}

impl<'a> Judge<'a> {
    fn new(session: &Session, measure: &'a Measure<'a>) -> Result<Self, LocateError> {
        let repository = session.require_repository()?;
        Ok(Self { measure, reader: session.workspace().reader(files::space(session))?, repository })
    }

    fn file<'f>(&self, file: &'f File) -> Result<Judged<'f>, LocateError> {
        let (judgement, envelope) = match &file.content {
            Content::Stray { reason, severity } => {
                (Judgement::Stray { reason: reason.clone(), severity: *severity }, None)
            }
            Content::Item(subject, source) => match bytes(source, &self.reader, &self.repository)? {
                Ok(bytes) => self.item(file, subject, source, bytes)?,
                Err(reason) => (Judgement::Stray { reason, severity: Severity::Error }, None),
            },
        };
        Ok(Judged { file, judgement, envelope })
    }

    /// Whatever is verified is judged as the project's, also where the home folder is the project.
    fn item(
        &self,
        file: &File,
        subject: &Subject,
        source: &Source,
        bytes: Vec<u8>,
    ) -> Result<(Judgement, Option<Box<Envelope>>), LocateError> {
        let Measure { keys, cached, base, past, envelopes, .. } = *self.measure;
        let notes = self.notes_beside(subject, source, &bytes)?;
        let beside: String = notes.iter().map(|blob_id| format!("{blob_id}\n")).collect();
        let remembered = cached.map(|cached| cached.remembered(subject, Space::Project, beside.as_bytes(), &bytes));
        let is_known = matches!(remembered, Some(Remembered::Good(_)));
        let is_compared = base.is_some() || past.knows(subject);
        if is_known && !is_compared && !envelopes && file.is_brought {
            return Ok((Judgement::Good(remembered), None));
        }
        let mut signed = Signed::new(subject.clone(), bytes).in_space(Space::Project);
        for blob_id in &notes {
            // What is too large to be a note countersigns nothing.
            let bytes = self.repository.blob_within(blob_id, MAX_NOTE_BYTES as u64)?;
            let note = bytes.and_then(|bytes| Note::parse(&bytes).ok()).unwrap_or_default();
            signed = signed.countersigned(note.signatures());
        }
        let fault = if is_known { None } else { signed.judge(keys).err() };
        let envelope = if envelopes && file.is_brought { signed.envelope(keys).map(Box::new) } else { None };
        Ok((self.compared(&Item { file, source, signed }, fault, remembered)?, envelope))
    }

    /// Compares what an item is worth by itself with what was there before it.
    fn compared(
        &self,
        item: &Item<'_>,
        fault: Option<Fault>,
        remembered: Option<Remembered>,
    ) -> Result<Judgement, LocateError> {
        let (keys, path) = (self.measure.keys, &item.file.path);
        let compared = Compared { repository: &self.repository, keys, path, signed: &item.signed };
        let base = self.measure.base;
        let (mut is_pinned, mut commit_id) = (false, None);
        let fault = match (fault, base) {
            (None, base) => {
                let base = base.filter(|_| item.file.is_last);
                match base.map(|base| base.rolled_back(&compared)).transpose()?.flatten() {
                    None => {
                        let (fault, at) = self.stepped_back(item)?.unzip();
                        commit_id = at;
                        fault
                    }
                    fault => fault,
                }
            }
            (Some(Fault::Legacy { .. }), _) if self.was_current(item, &compared)? => Some(Fault::Downgraded),
            (Some(_), _) if !item.file.is_brought => None,
            (Some(Fault::Revoked { key_id }), Some(base)) => {
                is_pinned = base.has_same(&compared) && !self.measure.revoked.is_own(&key_id);
                Some(Fault::Revoked { key_id })
            }
            (fault, _) => fault,
        };
        let Some(fault) = fault else {
            return Ok(if item.file.is_brought { Judgement::Good(remembered) } else { Judgement::Taken });
        };
        let split = item.signed.split();
        Ok(Judgement::Bad(Box::new(Bad {
            subject: item.signed.subject().clone(),
            // The line belongs below a `#!` line.
            line: if split.before.is_empty() { 1 } else { 2 },
            fault,
            is_pinned,
            signature: if let LineState::Present(line) = &split.line { Some(line.signature) } else { None },
            because: None,
            commit_id,
        })))
    }

    /// Tells whether a commit of the range put this in the place of what was signed later, or brought it back after its
    /// removal, and which commit.
    fn stepped_back(&self, item: &Item<'_>) -> Result<Option<(Fault, CommitId)>, LocateError> {
        let (subject, split) = (item.signed.subject(), item.signed.split());
        let (Source::Blob(blob_id), LineState::Present(line)) = (item.source, &split.line) else { return Ok(None) };
        let gone = |removed: Option<Timestamp>, by| {
            let removed = removed.filter(|removed| line.timestamp <= *removed)?;
            Some(Fault::BroughtBack { by, removed, claimed: line.timestamp })
        };
        for step in self.measure.past.steps_to(subject, blob_id) {
            let fault = match &step.before {
                Before::Item(subject, before) => self.newer(subject, before, line)?,
                Before::Removed(removed) => gone(Some(*removed), Predecessor::Commit),
                Before::Nothing(removed) => {
                    let base = self.measure.base.and_then(|base| base.removal(subject));
                    gone(base, Predecessor::Base).or_else(|| gone(*removed, Predecessor::Commit))
                }
            };
            if let Some(fault) = fault {
                return Ok(Some((fault, step.commit_id.clone())));
            }
        }
        Ok(None)
    }

    /// Tells whether other content was signed later, by somebody whose signature counts.
    fn newer(&self, subject: &Subject, blob_id: &BlobId, line: &SignatureLine) -> Result<Option<Fault>, LocateError> {
        let Some(bytes) = self.repository.blob_within(blob_id, MAX_ITEM_BYTES)? else { return Ok(None) };
        let before = Signed::new(subject.clone(), bytes).in_space(Space::Project);
        let is_good = before.judge_line(self.measure.keys).is_ok();
        Ok(match &before.split().line {
            LineState::Present(known) if is_good && line.timestamp < known.timestamp && line.hash != known.hash => {
                let (than, known) = (Predecessor::Commit, known.timestamp);
                Some(Fault::RolledBack { than, known, claimed: line.timestamp })
            }
            _ => None,
        })
    }

    /// Tells whether the item was signed in version 2 before: at the trust root, or earlier in the range.
    fn was_current(&self, item: &Item<'_>, compared: &Compared<'_>) -> Result<bool, LocateError> {
        if let Some(base) = self.measure.base
            && base.is_current(compared)?
        {
            return Ok(true);
        }
        let Source::Blob(blob_id) = item.source else { return Ok(false) };
        for passed in self.measure.past.before(item.signed.subject(), blob_id) {
            let Some(bytes) = self.repository.blob_within(&passed.blob_id, MAX_ITEM_BYTES)? else { continue };
            let before = Signed::new(passed.subject.clone(), bytes).in_space(Space::Project);
            if before.judge_line(self.measure.keys).is_ok() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the notes on an item's blob, where the policy asks for more than its own line.
    fn notes_beside(&self, subject: &Subject, source: &Source, bytes: &[u8]) -> Result<Vec<BlobId>, LocateError> {
        if self.measure.keys.policy().required_for(subject).is_empty() {
            return Ok(Vec::new());
        }
        let blob_id = match source {
            Source::Blob(blob_id) => blob_id.clone(),
            Source::File(_) => self.repository.blob_id_of(bytes),
        };
        Ok(self.measure.notes.blobs_on(&ObjectId::from(blob_id)).cloned().collect())
    }
}

/// An item under judgement.
struct Item<'a> {
    file: &'a File,
    source: &'a Source,
    signed: Signed<Vec<u8>, Unverified>,
}

/// Reads an item, or says why this one cannot be read.
pub(super) fn bytes(
    source: &Source,
    reader: &Reader,
    repository: &Repository,
) -> Result<Result<Vec<u8>, String>, LocateError> {
    match source {
        Source::File(candidate) => match reader.read(candidate) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(error) => error.of_one_file().map(|(_, reason)| Err(reason)).ok_or(error.into()),
        },
        Source::Blob(blob_id) => {
            let bytes = repository.blob_within(blob_id, MAX_ITEM_BYTES)?;
            Ok(bytes.ok_or_else(|| format!("it is larger than {MAX_ITEM_BYTES} bytes")))
        }
    }
}
