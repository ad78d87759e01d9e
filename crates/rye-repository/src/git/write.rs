//! Writing blobs, trees and commits, durably, without index, work tree or `HEAD`.
//!
//! Order, and the commit point: objects are written (each to a temporary file that is renamed, or removed on failure);
//! [`Writer::create_branch`] and [`Writer::advance_branch`] flush exactly the objects of this writer and their
//! folders, then the ref's lock file, rename it over the ref, and flush the ref's folder (with those above it, if it was
//! not there before). Before the rename a crash leaves unreachable objects, which git's own `gc` removes, and perhaps a
//! lock file, which [`Error::Locked`] names. After the last flush the commit survives a power failure. In between (also
//! on an [`Error::Sync`] at that point) the branch is in the old or in the new state, both whole.
//!
//! Several writers, in one process or many, lose nothing: objects are named by their content, branches move by
//! compare-and-swap.

use std::collections::BTreeSet;
use std::io;

use gix::bstr::BString;
use gix::objs::{self, Kind, WriteTo, tree::EntryKind};

use super::{
    BlobId, Cause, CommitId, Error, Repository, Signature, TreeEdit, TreeId, durable, objects::Objects,
    signed_commit::signature_header, tree::components,
};
use crate::capability::raw_name;

/// How often an object is written anew because its folder is gone.
const ATTEMPTS: usize = 8;

/// Signs a commit: takes its bytes without signature, returns an armored signature (SSHSIG, namespace `git`).
pub type SignCommit<'a> = dyn Fn(&[u8]) -> Result<String, Cause> + 'a;

/// A commit to be written. Equal values give equal ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommit {
    /// The state to record.
    pub tree_id: TreeId,
    /// What it builds on; none for a first commit.
    pub parents: Vec<CommitId>,
    /// Who wrote the change.
    pub author: Signature,
    /// Who makes the commit.
    pub committer: Signature,
    /// Subject, empty line, body, trailers; written as it is (NUL bytes dropped).
    pub message: String,
}

/// Writes objects and then moves branches to them; remembers what it wrote, so that exactly this is made durable.
pub struct Writer<'repo> {
    repository: &'repo Repository,
    /// Sees existing objects without listing the folder of packs again for each missing one: missing a new pack only
    /// means writing an object twice.
    known: gix::OdbHandle,
    written: BTreeSet<gix::ObjectId>,
}

impl Repository {
    /// Starts writing.
    pub fn writer(&self) -> Writer<'_> {
        let mut known = self.inner.objects.clone();
        known.refresh_never();
        Writer { repository: self, known, written: BTreeSet::new() }
    }
}

impl<'repo> Writer<'repo> {
    /// Returns the repository written to.
    pub fn repository(&self) -> &'repo Repository {
        self.repository
    }

    /// Writes a blob.
    ///
    /// # Errors
    /// [`Error::WriteObject`], with the `std::io::Error` among its sources.
    pub fn blob(&mut self, bytes: &[u8]) -> Result<BlobId, Error> {
        self.write(Kind::Blob, bytes).map(BlobId::from_gix)
    }

    /// Writes the tree that `edits`, in order, make of `base` (`None`: the empty tree). Folders left empty vanish.
    ///
    /// # Errors
    /// [`Error::UnsafePath`], [`Error::MissingBlob`], [`Error::WriteObject`], or as reading `base`.
    pub fn tree(&mut self, base: Option<&TreeId>, edits: &[TreeEdit]) -> Result<TreeId, Error> {
        let repository = self.repository;
        let hash = repository.inner.object_hash();
        let root = self.root(base)?;
        let objects = Objects(repository);
        let mut editor = objs::tree::Editor::new(root, &objects, hash);
        for edit in edits {
            self.apply(&mut editor, edit)?;
        }
        let written = editor.write(|tree| self.write_value(tree))?;
        Ok(TreeId::from_gix(written))
    }

    /// Writes a commit, with the signature `sign` gives for its bytes (header `gpgsig`, or `gpgsig-sha256` in a sha256
    /// repository), so that `git verify-commit` can check it.
    ///
    /// # Errors
    /// [`Error::Sign`] with what `sign` returned, [`Error::MissingObject`] for an unknown tree or parent,
    /// [`Error::ForeignId`], or [`Error::WriteObject`].
    pub fn commit(&mut self, new: &NewCommit, sign: Option<&SignCommit<'_>>) -> Result<CommitId, Error> {
        let mut commit = self.unsigned(new)?;
        if let Some(sign) = sign {
            let armored = sign(&bytes_of(&commit)?).map_err(|source| Error::Sign { source })?;
            let header = signature_header(self.repository.object_format());
            commit.extra_headers.push((header.into(), armored.trim_end().into()));
        }
        self.write_value(&commit).map(CommitId::from_gix)
    }

    /// Returns the bytes of a commit without signature: what its signature is over.
    ///
    /// # Errors
    /// As [`commit`](Self::commit), but for the signature.
    pub fn payload(&mut self, new: &NewCommit) -> Result<Vec<u8>, Error> {
        bytes_of(&self.unsigned(new)?)
    }

    /// Makes all objects written so far durable.
    ///
    /// # Errors
    /// [`Error::Sync`].
    pub fn sync(&mut self) -> Result<(), Error> {
        durable::sync_objects(&self.repository.common_dir().join("objects"), self.written.iter())?;
        self.written.clear();
        Ok(())
    }

    fn root(&self, base: Option<&TreeId>) -> Result<objs::Tree, Error> {
        let Some(base) = base else {
            return Ok(objs::Tree::empty());
        };
        let id = self.repository.native(base.to_gix())?;
        let data = self.repository.object(id, Kind::Tree)?;
        let tree = objs::TreeRef::from_bytes(&data, id.kind()).map_err(|error| super::read::corrupt(id, error))?;
        Ok(tree.into())
    }

    fn apply(&self, editor: &mut objs::tree::Editor<'_>, edit: &TreeEdit) -> Result<(), Error> {
        let names = components(edit.path())?.into_iter();
        let path = names.map(|name| BString::from(raw_name::as_bytes(name).into_owned())).collect::<Vec<_>>();
        let (kind, blob_id) = match edit {
            TreeEdit::Remove { .. } => {
                return editor.remove(path).map(drop).map_err(|error| Error::WriteObject { source: error.into() });
            }
            TreeEdit::Upsert { executable: true, blob_id, .. } => (EntryKind::BlobExecutable, blob_id),
            TreeEdit::Upsert { executable: false, blob_id, .. } => (EntryKind::Blob, blob_id),
            TreeEdit::Link { blob_id, .. } => (EntryKind::Link, blob_id),
        };
        let id = self.repository.native(blob_id.to_gix())?;
        if !self.repository.has(id) {
            return Err(Error::MissingBlob { blob_id: blob_id.clone() });
        }
        let done = editor.upsert(path, kind, id);
        done.map(drop).map_err(|error| Error::WriteObject { source: error.into() })
    }

    fn unsigned(&mut self, new: &NewCommit) -> Result<objs::Commit, Error> {
        if new.tree_id.to_gix() == gix::ObjectId::empty_tree(self.repository.inner.object_hash()) {
            // Git knows it without an object, but calls a commit without it damaged.
            self.write(Kind::Tree, b"")?;
        }
        Ok(objs::Commit {
            tree: self.present(new.tree_id.to_gix())?,
            parents: new.parents.iter().map(|id| self.present(id.to_gix())).collect::<Result<_, _>>()?,
            author: new.author.to_gix(),
            committer: new.committer.to_gix(),
            encoding: None,
            message: new.message.replace('\0', "").into(),
            extra_headers: Vec::new(),
        })
    }

    fn present(&self, id: gix::ObjectId) -> Result<gix::ObjectId, Error> {
        let id = self.repository.native(id)?;
        if self.repository.has(id) {
            return Ok(id);
        }
        Err(Error::MissingObject { id: id.to_string() })
    }

    fn write_value(&mut self, value: &dyn WriteTo) -> Result<gix::ObjectId, Error> {
        self.write(value.kind(), &bytes_of(value)?)
    }

    /// An object that is there already is not written but remembered: its first writer may not have flushed it yet.
    fn write(&mut self, kind: Kind, bytes: &[u8]) -> Result<gix::ObjectId, Error> {
        let hash = self.repository.inner.object_hash();
        let id = objs::compute_hash(hash, kind, bytes).map_err(write_error)?;
        if !objs::Exists::exists(&self.known, &id) {
            self.write_new(kind, bytes)?;
        }
        self.written.insert(id);
        Ok(id)
    }

    /// Git's `gc` removes folders of objects that are empty: also one that was just made for this object.
    fn write_new(&self, kind: Kind, bytes: &[u8]) -> Result<(), Error> {
        let mut attempt = 1;
        loop {
            match objs::Write::write_buf(&self.repository.inner.objects, kind, bytes) {
                Err(error) if attempt < ATTEMPTS && is_gone(&error) => attempt += 1,
                done => return done.map(drop).map_err(write_error),
            }
        }
    }
}

fn is_gone(error: &gix::Error) -> bool {
    error.downcast_any_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Keeps the system's own error alone where there is one: gix's holds the temporary file, which goes only with it.
fn write_error(error: gix::Error) -> Error {
    let system = error.downcast_any_ref::<io::Error>().and_then(io::Error::raw_os_error);
    match system.map(io::Error::from_raw_os_error) {
        Some(source) => Error::WriteObject { source: source.into() },
        None => Error::WriteObject { source: error.into() },
    }
}

fn bytes_of(value: &dyn WriteTo) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    value.write_to(&mut bytes).map_err(|error| Error::WriteObject { source: error.into() })?;
    Ok(bytes)
}
