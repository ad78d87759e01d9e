//! Why an object is not there, so that the person is told the command that brings it.
//!
//! A clone that borrows objects from a folder that is gone, a partial clone, a shallow clone: in each of them an object
//! may be missing without damage, and in none of them may what depends on it be called fine.

use std::path::PathBuf;

use gix::{bstr::ByteSlice, objs::Kind};

use super::{Error, Repository};
use crate::context::bounded;

/// How much is read of a file that names borrowed objects, in bytes.
const MAX_ALTERNATES_BYTES: u64 = 1024 * 1024;

impl Repository {
    /// Returns the error for an object of kind `expected` that was looked for in vain.
    pub(super) fn missing(&self, id: gix::ObjectId, expected: Kind) -> Error {
        let shallow = expected == Kind::Commit && self.is_shallow();
        let id = id.to_string();
        match (self.missing_alternate(), self.promisor()) {
            (Some(path), _) => Error::MissingAlternate { id, path },
            _ if shallow => Error::Shallow { id },
            (None, Some(remote)) => Error::Promised { id, remote },
            (None, None) => Error::MissingObject { id },
        }
    }

    /// Returns the remote of a partial clone: its objects may be missing because the remote promised to have them.
    pub fn promisor(&self) -> Option<String> {
        let config = self.inner.config_snapshot();
        let is_promisor = |name: &str| config.boolean(format!("remote.{name}.promisor").as_str()).unwrap_or(false);
        let named = config.string("extensions.partialClone").map(|name| name.to_string());
        named.or_else(|| {
            let names = self.inner.remote_names();
            names.iter().map(|name| name.to_str_lossy().into_owned()).find(|name| is_promisor(name))
        })
    }

    /// Returns the first folder of borrowed objects that is not there; those it borrows itself are not followed.
    fn missing_alternate(&self) -> Option<PathBuf> {
        let objects = self.common_dir().join("objects");
        let listed = bounded::read_text(&objects.join("info").join("alternates"), MAX_ALTERNATES_BYTES).ok()?;
        let named = listed.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        named.map(|line| objects.join(line)).find(|path| !path.is_dir())
    }
}
