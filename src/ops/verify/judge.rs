//! Reading and judging files, on every core.
//!
//! A file judged good by an earlier run is hashed and looked up instead. What is read is judged and let go: a
//! verification of many items holds few of them in memory.

use std::num::NonZero;
use std::thread;

use super::super::locate::{LocateError, Locator};
use super::cached::Cached;
use super::files::{Content, File, Source};
use crate::format::Severity;
use crate::git::Repository;
use crate::id::Space;
use crate::trust::{CacheEntry, Fault, Signed, Subject, TrustedKeys};
use crate::workspace::{self, MAX_ITEM_BYTES, Reader};

/// Fewer files than this are not worth a second worker.
const FILES_PER_WORKER: usize = 64;

/// A file, judged.
pub(super) struct Judged {
    pub(super) path: String,
    pub(super) judgement: Judgement,
}

/// What was found of a file.
pub(super) enum Judgement {
    Good {
        entry: Option<CacheEntry>,
    },
    /// `line` is where the signature stands or belongs, from 1.
    Bad {
        subject: Subject,
        line: usize,
        fault: Fault,
    },
    Stray {
        reason: String,
        severity: Severity,
    },
}

/// Judges files, in their order.
pub(super) fn all(
    locator: &Locator<'_>,
    keys: &TrustedKeys,
    cached: Option<&Cached>,
    files: Vec<File>,
) -> Result<Vec<Judged>, LocateError> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = cores.min(files.len().div_ceil(FILES_PER_WORKER)).max(1);
    let share = files.len().div_ceil(workers).max(1);
    let mut shares: Vec<Vec<File>> = Vec::new();
    let mut files = files.into_iter().peekable();
    while files.peek().is_some() {
        shares.push(files.by_ref().take(share).collect());
    }
    let judges: Vec<Judge<'_>> =
        shares.iter().map(|_| Judge::new(locator, keys, cached)).collect::<Result<_, LocateError>>()?;
    let parts = thread::scope(|scope| {
        let workers: Vec<_> = judges
            .into_iter()
            .zip(shares)
            .map(|(judge, share)| scope.spawn(move || share.into_iter().map(|file| judge.file(file)).collect()))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("because judging does not panic"))
            .collect::<Vec<Result<Vec<Judged>, LocateError>>>()
    });
    Ok(parts.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// What one worker needs.
struct Judge<'a> {
    keys: &'a TrustedKeys,
    cached: Option<&'a Cached>,
    reader: Reader,
    repository: Option<Repository>,
}

impl<'a> Judge<'a> {
    fn new(locator: &'a Locator<'_>, keys: &'a TrustedKeys, cached: Option<&'a Cached>) -> Result<Self, LocateError> {
        let workspace = locator.workspace();
        let space = if workspace.root(Space::Project).is_some() { Space::Project } else { Space::User };
        let repository = locator.repository().cloned();
        Ok(Self { keys, cached, reader: workspace.reader(space)?, repository })
    }

    fn file(&self, file: File) -> Result<Judged, LocateError> {
        let judgement = match file.content {
            Content::Stray { reason, severity } => Judgement::Stray { reason, severity },
            Content::Item(subject, source) => match self.bytes(&source)? {
                Some(bytes) => self.item(subject, bytes),
                None => Judgement::Stray {
                    reason: format!("it is larger than {MAX_ITEM_BYTES} bytes"),
                    severity: Severity::Error,
                },
            },
        };
        Ok(Judged { path: file.path, judgement })
    }

    /// Reads an item; none if it is too large to be one.
    fn bytes(&self, source: &Source) -> Result<Option<Vec<u8>>, LocateError> {
        let bytes = match source {
            Source::File(candidate) => match self.reader.read(candidate) {
                Err(workspace::Error::TooLarge { .. }) => return Ok(None),
                read => read?,
            },
            Source::Blob(blob_id) => match &self.repository {
                Some(repository) => repository.blob(blob_id)?,
                None => return Ok(None),
            },
        };
        Ok((bytes.len() as u64 <= MAX_ITEM_BYTES).then_some(bytes))
    }

    /// Whatever is verified is judged as the project's, also where the home folder is the project.
    fn item(&self, subject: Subject, bytes: Vec<u8>) -> Judgement {
        let entry = self.cached.map(|cached| cached.entry(&subject, Space::Project, &bytes));
        if entry.is_some_and(|entry| self.cached.is_some_and(|cached| cached.holds(entry))) {
            return Judgement::Good { entry };
        }
        let signed = Signed::new(subject, bytes).in_space(Space::Project);
        match signed.judge(self.keys) {
            Ok(_) => Judgement::Good { entry },
            Err(fault) => {
                // The line belongs below a `#!` line.
                let line = if signed.split().before.is_empty() { 1 } else { 2 };
                Judgement::Bad { subject: signed.subject().clone(), line, fault }
            }
        }
    }
}
