//! What the commits that `HEAD` does not have made of the items that would be signed without a question.
//!
//! A pick, a squashed merge, the stash or a patch can leave a text in the work tree that no commit has: the person's own, with
//! another person's change in it. The text does not tell which lines git mixed in: it may have swapped two of them, or
//! have taken one of three that are equal. So whatever another history made of the item counts, unless this person
//! signed it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::subject_at;
use super::agent_writes::digest;
use super::change::Change;
use super::one::{MOST_LINE, Raw};
use super::similarity::Lines;
use crate::error::with_causes;
use crate::git::{self, BlobId, Bounds, Outside, Repository, Sought, Tip};
use crate::id::{ItemType, SPACE_FOLDER};
use crate::trust::Subject;
use crate::workspace::MAX_ITEM_BYTES;

/// The most commits that are searched for a content, and the most entries of the items' folders. With more, the origin
/// of the content is unproven.
const BOUNDS: Bounds = Bounds { outside: 5_000, read: 100_000, files: 2_000_000 };

/// The largest blob that is compared with an item: one with its signature line.
const MOST_BYTES: u64 = MAX_ITEM_BYTES + MOST_LINE as u64;

/// What another history has of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Has {
    /// Just this text.
    Same(String),
    /// Another text, also under another name of the item.
    Other(String),
    /// Its removal, or another name for it.
    Gone(String),
}

/// A version of an item at a path that no base has.
struct OtherPath {
    path: String,
    subject: Subject,
    blob_id: BlobId,
    /// What leads to it.
    name: String,
}

/// The histories other than that of `HEAD`.
pub(super) struct Histories<'a> {
    repository: &'a Repository,
    outside: Outside,
    /// Versions of items at paths that no base has.
    others: Vec<OtherPath>,
    read: RefCell<BTreeMap<BlobId, Option<Vec<u8>>>>,
}

impl<'a> Histories<'a> {
    /// Looks through all that `tips` lead to.
    ///
    /// # Errors
    ///
    /// Fails with the reason where not all of it can be looked at.
    pub(super) fn read(
        repository: &'a Repository,
        tips: &[(String, Tip)],
        paths: &BTreeSet<String>,
    ) -> Result<Self, String> {
        let told = |error: git::Error| with_causes(&error);
        let folders = ItemType::ALL.map(|item_type| format!("{SPACE_FOLDER}/{}", item_type.folder()));
        let sought = Sought { paths, folders: &folders };
        let outside = repository.versions_outside(tips, sought, BOUNDS).map_err(told)?;
        let bases = repository.bases().map_err(told)?;
        let mut others = Vec::new();
        for (path, versions) in &outside.versions {
            // git takes a file for another one's new name only where the name is on one side alone.
            let mut is_here = false;
            for base in &bases {
                is_here |= repository.entry_at(base, path).map_err(told)?.is_some();
            }
            if let Some(subject) = subject_at(path).filter(|_| !is_here) {
                others.extend(versions.iter().map(|(blob_id, name)| OtherPath {
                    path: path.clone(),
                    subject: subject.clone(),
                    blob_id: blob_id.clone(),
                    name: name.clone(),
                }));
            }
        }
        Ok(Self { repository, outside, others, read: RefCell::default() })
    }

    /// Tells what another history made of an item, if anything. Commits of `is_mine` are skipped: this person's own
    /// work on another branch.
    pub(super) fn find(&self, change: &Change, is_mine: impl Fn(&Raw) -> bool) -> Result<Option<Has>, git::Error> {
        let mut other = None;
        for (blob_id, name) in self.outside.versions.get(&change.path).into_iter().flatten() {
            match self.version(blob_id, change.raw.subject())? {
                Version::Text(text) if digest(&text) == digest(&change.raw) => {
                    return Ok(Some(Has::Same(name.clone())));
                }
                Version::Text(text) if is_mine(&text) || is_known(&text, change) => {}
                Version::Text(_) | Version::TooLarge => other = other.or(Some(name)),
                Version::Missing => {}
            }
        }
        let lines = Lines::of(&change.raw, &change.before);
        for OtherPath { subject, blob_id, name, .. } in self.others.iter().filter(|other| other.path != change.path) {
            match self.version(blob_id, subject)? {
                Version::Text(text) if lines.are_akin_to(&text) && !is_mine(&text) => other = other.or(Some(name)),
                // A file that is much larger is not taken for another name of an item.
                Version::Text(_) | Version::Missing | Version::TooLarge => {}
            }
        }
        let gone = || self.outside.removed.get(&change.path).map(|name| Has::Gone(name.clone()));
        Ok(other.map(|name| Has::Other(name.clone())).or_else(gone))
    }

    fn version(&self, blob_id: &BlobId, subject: &Subject) -> Result<Version, git::Error> {
        if let Some(known) = self.read.borrow().get(blob_id) {
            return Ok(Version::of(known.clone(), subject));
        }
        let bytes = match self.repository.blob_within(blob_id, MOST_BYTES) {
            // It is not here, so nothing was copied from it.
            Err(git::Error::Promised { .. }) => return Ok(Version::Missing),
            bytes => bytes?,
        };
        self.read.borrow_mut().insert(blob_id.clone(), bytes.clone());
        Ok(Version::of(bytes, subject))
    }
}

/// A version of an item, read as the item would be.
enum Version {
    Text(Raw),
    TooLarge,
    Missing,
}

impl Version {
    fn of(bytes: Option<Vec<u8>>, subject: &Subject) -> Self {
        bytes.map_or(Self::TooLarge, |bytes| Self::Text(Raw::new(subject.clone(), bytes)))
    }
}

/// Tells whether a base has just this text: a copy of it is not a change.
fn is_known(text: &Raw, change: &Change) -> bool {
    change.before.iter().any(|base| base.split().body() == text.split().body())
}
