//! What the commits that `HEAD` does not have made of the items that would be signed without a question.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::changes::Change;
use super::mixed::News;
use super::one::{MOST_LINE, Raw};
use super::written::digest;
use crate::error::with_causes;
use crate::git::{self, BlobId, Bounds, Outside, Repository, Sought, Tip};
use crate::id::{ItemType, SPACE_FOLDER};
use crate::workspace::MAX_ITEM_BYTES;

/// The most commits that are searched for a content, and the most entries of the items' folders. With more, nobody's content
/// is proven.
const BOUNDS: Bounds = Bounds { outside: 5_000, read: 100_000, files: 2_000_000 };

/// The largest blob that is compared with an item: one with its signature line.
const MOST_BYTES: u64 = MAX_ITEM_BYTES + MOST_LINE as u64;

/// What another history has of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Has {
    /// Just this text.
    Same(String),
    /// Some of the lines that are new, or the item under another name with them.
    Part(String),
    /// Its removal, or another name for it.
    Gone(String),
}

/// The histories beside that of `HEAD`.
pub(super) struct Histories<'a> {
    repository: &'a Repository,
    outside: Outside,
    /// The files that no base has, under names other than those of the changed items.
    others: Vec<(BlobId, String)>,
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
        for (path, versions) in outside.versions.iter().filter(|(path, _)| !paths.contains(*path)) {
            // git takes a file for another one's new name only where the name is on one side alone.
            let mut is_here = false;
            for base in &bases {
                is_here |= repository.entry_at(base, path).map_err(told)?.is_some();
            }
            if !is_here {
                others.extend(versions.iter().map(|(blob_id, name)| (blob_id.clone(), name.clone())));
            }
        }
        Ok(Self { repository, outside, others, read: RefCell::default() })
    }

    /// Tells what another history has of an item, if anything.
    pub(super) fn find(&self, change: &Change) -> Result<Option<Has>, git::Error> {
        let same_path = self.outside.versions.get(&change.path).into_iter().flatten();
        let mut part = None;
        let news = News::of(&change.raw, &change.before);
        for (blob_id, name) in same_path {
            match self.version(blob_id, change)? {
                Version::Missing => {}
                Version::TooLarge => part = part.or(Some(name)),
                Version::Text(text) if digest(&text) == digest(&change.raw) => {
                    return Ok(Some(Has::Same(name.clone())));
                }
                Version::Text(text) if news.is_shared_by(&text) => part = part.or(Some(name)),
                Version::Text(_) => {}
            }
        }
        if let Some(name) = part {
            return Ok(Some(Has::Part(name.clone())));
        }
        for (blob_id, name) in &self.others {
            match self.version(blob_id, change)? {
                Version::Text(text) if news.is_shared_by(&text) && news.is_akin_to(&text) => {
                    return Ok(Some(Has::Part(name.clone())));
                }
                // A file that is much larger is not taken for another name of an item.
                Version::Text(_) | Version::Missing | Version::TooLarge => {}
            }
        }
        Ok(self.outside.removed.get(&change.path).map(|name| Has::Gone(name.clone())))
    }

    fn version(&self, blob_id: &BlobId, change: &Change) -> Result<Version, git::Error> {
        if let Some(known) = self.read.borrow().get(blob_id) {
            return Ok(Version::of(known.clone(), change));
        }
        let bytes = match self.repository.blob_within(blob_id, MOST_BYTES) {
            // It is not here, so nothing was copied from it.
            Err(git::Error::Promised { .. }) => return Ok(Version::Missing),
            bytes => bytes?,
        };
        self.read.borrow_mut().insert(blob_id.clone(), bytes.clone());
        Ok(Version::of(bytes, change))
    }
}

/// A version of an item, read as the item would be.
enum Version {
    Text(Raw),
    TooLarge,
    Missing,
}

impl Version {
    fn of(bytes: Option<Vec<u8>>, change: &Change) -> Self {
        bytes.map_or(Self::TooLarge, |bytes| Self::Text(Raw::new(change.raw.subject().clone(), bytes)))
    }
}
