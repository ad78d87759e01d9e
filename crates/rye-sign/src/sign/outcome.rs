//! What became of the items that were to be signed.

use serde::Serialize;

use super::error::Error;
use super::one::Remarks;
use crate::format::Finding;
use crate::id::{ItemId, ItemType, Space, Timestamp};
use crate::trust::{ContentHash, KeyId, SignatureLine};
use crate::workspace::Candidate;

/// The signed items.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// `failed` if any failed, else `signed` if any changed, else `unchanged`.
    pub status: Status,
    /// The signature, where there is one item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Brief>,
    /// The items, in order.
    pub items: Vec<Item>,
    /// Files and folders that cannot be read: their items are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unreadable>,
    /// The faults of the failed ones.
    #[serde(skip)]
    pub failures: Vec<Error>,
}

/// A file or folder that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unreadable {
    /// Where it is.
    pub path: String,
    /// Why.
    pub reason: String,
}

impl Outcome {
    /// An outcome of nothing yet.
    pub(super) const fn unchanged() -> Self {
        Self {
            status: Status::Unchanged,
            signature: None,
            items: Vec::new(),
            unreadable: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Takes in what became of one item.
    pub(super) fn add(&mut self, item: Item) {
        self.status = self.status.max(item.status);
        self.items.push(item);
    }

    /// Says of an item that was to be signed that it is not.
    pub(super) fn fail(&mut self, at: usize, failure: Error) {
        if let Some(item) = self.items.get_mut(at) {
            (item.status, item.signature) = (Status::Failed, None);
        }
        self.status = Status::Failed;
        self.failures.push(failure);
    }

    /// Adds the signature that an item got.
    pub(super) fn sign(&mut self, at: usize, line: &SignatureLine) {
        if let Some(item) = self.items.get_mut(at) {
            item.signature = Some(Signature::of(line));
        }
    }

    /// Tells the signature of the one item, where there is one.
    pub(super) fn in_brief(mut self) -> Self {
        self.signature = match self.items.as_slice() {
            [Item { signature: Some(Signature { timestamp, hash, .. }), .. }] => {
                Some(Brief { timestamp: *timestamp, hash: *hash })
            }
            [] | [_, ..] => None,
        };
        self
    }
}

/// What a caller that signs one item looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// When.
    pub timestamp: Timestamp,
    /// Over what.
    pub hash: ContentHash,
}

/// What became of one item, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It was signed by this key already, or another person's signature is good.
    Unchanged,
    /// It was signed now (with `check`: it would be).
    Signed,
    /// It is not valid, cannot be used as an item, or it cannot be told which file it is.
    Failed,
}

/// One item.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The space.
    pub space: Space,
    /// The file.
    pub path: String,
    /// Its result.
    pub status: Status,
    /// The rules about legacy forms that it breaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legacy: Vec<&'static str>,
    /// What it says without effect, for people.
    #[serde(skip)]
    pub idle: Vec<Finding>,
    /// Its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The fields of a signature line.
#[derive(Debug, Clone, Serialize)]
pub struct Signature {
    /// When.
    pub timestamp: Timestamp,
    /// Over what.
    pub hash: ContentHash,
    /// The signature itself.
    pub signature: String,
    /// By which key.
    pub key_id: KeyId,
    /// The format's version.
    pub version: u32,
}

/// Makes an entry of an item.
pub(super) fn item(candidate: &Candidate, status: Status, remarks: Remarks, line: Option<&SignatureLine>) -> Item {
    Item {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        space: candidate.space,
        path: candidate.path.display().to_string(),
        status,
        legacy: remarks.legacy,
        idle: remarks.idle,
        signature: line.map(Signature::of),
    }
}

impl Signature {
    /// Returns the fields of a line.
    #[must_use]
    pub fn of(line: &SignatureLine) -> Self {
        Self {
            timestamp: line.timestamp,
            hash: line.hash,
            signature: line.signature_text(),
            key_id: line.key_id.clone(),
            version: 2,
        }
    }
}
