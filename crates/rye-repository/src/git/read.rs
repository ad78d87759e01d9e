//! Reading commits and blobs: each object's bytes are hashed again and must give the id that was asked for.
//!
//! Deliberately not here: judging signatures. [`CommitSignature`] carries what a verifier needs.

use std::{path::Path, sync::atomic::AtomicBool};

use gix::objs::{CommitRef, Exists as _, Find as _, Kind};
use gix::progress::Discard;
use serde::Serialize;

use super::{
    BlobId, CommitId, Error, Identity, Repository, Signature, TreeId, objects::Objects, signed_commit::split_signature,
};
use crate::context::bounded;

/// A commit, read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitInfo {
    /// The state it records.
    pub tree_id: TreeId,
    /// What it builds on, in order.
    pub parents: Vec<CommitId>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who made the commit.
    pub committer: Signature,
    /// Subject and body, bytes that are not UTF-8 replaced.
    pub message: String,
    /// Its signature, if any; not judged.
    pub signature: Option<CommitSignature>,
}

/// A commit's cryptographic signature and what it signs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommitSignature {
    /// The armored text, such as `-----BEGIN SSH SIGNATURE-----`…; of several signatures, one after the other, as stock
    /// git hands them to its verifier.
    pub armored: String,
    /// The commit's bytes without any signature, also those for the other object format.
    #[serde(skip)]
    pub payload: Vec<u8>,
}

impl Repository {
    /// Reads a commit.
    ///
    /// # Errors
    /// [`Error::MissingObject`], [`Error::CorruptObject`], [`Error::WrongKind`] or [`Error::ForeignId`].
    pub fn commit_info(&self, commit_id: &CommitId) -> Result<CommitInfo, Error> {
        let id = self.native(commit_id.to_gix())?;
        let data = self.object(id, Kind::Commit)?;
        self.parse_commit(&data).map_err(|error| corrupt(id, error))
    }

    /// Reads a commit as it is stored: its headers, an empty line, and its message.
    ///
    /// # Errors
    /// As [`commit_info`](Self::commit_info).
    pub fn raw_commit(&self, commit_id: &CommitId) -> Result<Vec<u8>, Error> {
        self.object(self.native(commit_id.to_gix())?, Kind::Commit)
    }

    /// Reads which tree a commit records.
    ///
    /// # Errors
    /// As [`commit_info`](Self::commit_info).
    pub fn tree_of(&self, commit_id: &CommitId) -> Result<TreeId, Error> {
        Ok(self.commit_info(commit_id)?.tree_id)
    }

    /// Reads a blob's bytes.
    ///
    /// # Errors
    /// As [`commit_info`](Self::commit_info).
    pub fn blob(&self, blob_id: &BlobId) -> Result<Vec<u8>, Error> {
        self.object(self.native(blob_id.to_gix())?, Kind::Blob)
    }

    /// Reads a blob that has at most `most` bytes; `None` if it has more. A larger one is not opened: a few kilobytes in a
    /// pack can be gigabytes of zeros.
    ///
    /// # Errors
    /// As [`blob`](Self::blob).
    pub fn blob_within(&self, blob_id: &BlobId, most: u64) -> Result<Option<Vec<u8>>, Error> {
        let id = self.native(blob_id.to_gix())?;
        // Reading reports a missing or damaged object.
        if let Ok(Some(header)) = self.inner.try_find_header(id)
            && header.size() > most
        {
            return Ok(None);
        }
        self.object(id, Kind::Blob).map(|bytes| Some(bytes).filter(|bytes| bytes.len() as u64 <= most))
    }

    /// Returns the size of an object without reading it.
    ///
    /// # Errors
    /// As [`blob`](Self::blob).
    pub fn size_of(&self, blob_id: &BlobId) -> Result<u64, Error> {
        let id = self.native(blob_id.to_gix())?;
        match self.inner.try_find_header(id) {
            Ok(Some(header)) => Ok(header.size()),
            // Reading reports a missing or damaged object.
            Ok(None) | Err(_) => self.object(id, Kind::Blob).map(|bytes| bytes.len() as u64),
        }
    }

    /// Reads an untrusted blob: [`Error::TooLarge`] where it has more than `most` bytes.
    ///
    /// # Errors
    /// As [`blob`](Self::blob), and [`Error::TooLarge`].
    pub fn blob_up_to(&self, blob_id: &BlobId, most: u64) -> Result<Vec<u8>, Error> {
        let too_large = || Error::TooLarge { id: blob_id.to_string(), limit: most };
        self.blob_within(blob_id, most)?.ok_or_else(too_large)
    }

    /// Computes the id these bytes would have as a blob; writes nothing.
    pub fn blob_id_of(&self, bytes: &[u8]) -> BlobId {
        let id = gix::objs::compute_hash(self.inner.object_hash(), Kind::Blob, bytes);
        BlobId::from_gix(id.expect("because hashing in memory only fails on a sha1 collision attack"))
    }

    /// Computes the id that a file's bytes would have as a blob; none if it cannot be read.
    #[must_use]
    pub fn blob_id_of_file(&self, path: &Path) -> Option<BlobId> {
        let mut file = bounded::open(path).ok()?;
        let length = file.metadata().ok()?.len();
        let (hash, never) = (self.inner.object_hash(), AtomicBool::new(false));
        let id = gix::objs::compute_stream_hash(hash, Kind::Blob, &mut file, length, &mut Discard, &never).ok()?;
        Some(BlobId::from_gix(id))
    }

    /// Returns those of some blobs that are not in the repository.
    #[must_use]
    pub fn lacking(&self, blob_ids: &[BlobId]) -> Vec<BlobId> {
        blob_ids.iter().filter(|blob_id| !self.has(blob_id.to_gix())).cloned().collect()
    }

    /// Tells whether an object is in the repository, without reading it.
    pub(super) fn has(&self, id: gix::ObjectId) -> bool {
        // `gix::Repository::has_object` claims the empty tree even where no such object is.
        Objects(self).exists(&id)
    }

    /// Refuses ids of the other object format, which would be looked up in vain.
    pub(super) fn native(&self, id: gix::ObjectId) -> Result<gix::ObjectId, Error> {
        if id.kind() == self.inner.object_hash() {
            return Ok(id);
        }
        Err(Error::ForeignId { id: id.to_string(), format: self.object_format().as_str() })
    }

    /// Reads an object of kind `expected` and checks that its bytes hash to `id`.
    pub(super) fn object(&self, id: gix::ObjectId, expected: Kind) -> Result<Vec<u8>, Error> {
        if expected == Kind::Tree && id == gix::ObjectId::empty_tree(self.inner.object_hash()) {
            return Ok(Vec::new());
        }
        let mut bytes = Vec::new();
        let found = Objects(self).try_find(&id, &mut bytes).map_err(|error| unread(id, error.into()))?;
        let data = found.ok_or_else(|| self.missing(id, expected))?;
        data.verify_checksum(&id).map_err(|error| corrupt(id, error))?;
        if data.kind != expected {
            let actual = data.kind.to_string();
            return Err(Error::WrongKind { id: id.to_string(), expected: word_for(expected), actual });
        }
        Ok(bytes)
    }

    fn parse_commit(&self, data: &[u8]) -> Result<CommitInfo, gix::Error> {
        let commit = CommitRef::from_bytes(data, self.inner.object_hash())?;
        let signed = split_signature(data, self.object_format());
        Ok(CommitInfo {
            tree_id: TreeId::from_gix(commit.tree()),
            parents: commit.parents().map(CommitId::from_gix).collect(),
            author: signature_from(&commit.author()?)?,
            committer: signature_from(&commit.committer()?)?,
            message: commit.message.to_string(),
            signature: signed.map(|(armored, payload)| CommitSignature { armored, payload }),
        })
    }
}

/// Tells damage from a machine without memory: gix asks for the space of an object before it reads it.
fn unread(id: gix::ObjectId, source: super::Cause) -> Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(source.as_ref());
    while let Some(error) = cause {
        let is_io = error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::OutOfMemory);
        if is_io || error.is::<std::collections::TryReserveError>() || error.to_string().contains("memory allocation") {
            return Error::NoMemory { id: id.to_string(), source };
        }
        cause = error.source();
    }
    corrupt(id, source)
}

pub(super) fn corrupt(id: gix::ObjectId, source: impl Into<super::Cause>) -> Error {
    Error::CorruptObject { id: id.to_string(), source: source.into() }
}

/// Names are returned unchanged: a comparison needs the written bytes.
fn signature_from(line: &gix::actor::SignatureRef<'_>) -> Result<Signature, gix::Error> {
    let identity = Identity { name: line.name.to_string(), email: line.email.to_string() };
    Ok(Signature { identity, seconds: line.time()?.seconds })
}

fn word_for(kind: Kind) -> &'static str {
    match kind {
        Kind::Tree => "tree",
        Kind::Blob => "blob",
        Kind::Commit => "commit",
        Kind::Tag => "tag",
    }
}
