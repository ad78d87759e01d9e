//! Trees as values: entries, edits, and which paths may be in one.
//!
//! Invariant: paths are relative, separated by `/`, without empty, `.`, `..` or `.git`-like components (also
//! none that HFS+ or NTFS would take for these), so no entry can leave a folder it is written to.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use gix::{
    bstr::{BStr, ByteSlice},
    objs::tree::EntryKind,
    validate::path::component,
};
use serde::{Deserialize, Serialize};

use super::{BlobId, Error};
use crate::capability::raw_name;

/// The kind of a tree's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// A file (`100644`).
    File,
    /// A file that may be executed (`100755`).
    Executable,
    /// A symbolic link; the blob is its target (`120000`).
    Symlink,
    /// A folder (`040000`).
    Tree,
    /// A commit of another repository (`160000`); its id is not a blob of this one.
    Submodule,
}

impl Mode {
    pub(super) fn from_gix(kind: EntryKind) -> Self {
        match kind {
            EntryKind::Blob => Self::File,
            EntryKind::BlobExecutable => Self::Executable,
            EntryKind::Link => Self::Symlink,
            EntryKind::Tree => Self::Tree,
            EntryKind::Commit => Self::Submodule,
        }
    }

    /// Tells whether a checkout may have a folder there that the tree does not contain.
    pub(super) const fn is_link(self) -> bool {
        match self {
            Self::Symlink | Self::Submodule => true,
            Self::File | Self::Executable | Self::Tree => false,
        }
    }

    /// Returns git's number for it.
    pub(super) const fn octal(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Tree => "040000",
            Self::Submodule => "160000",
        }
    }
}

/// A leaf of a tree: anything but a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeEntry {
    /// From the root of the tree.
    pub path: String,
    /// Never [`Mode::Tree`].
    pub mode: Mode,
    /// The content; for a submodule, its commit's digits.
    pub blob_id: BlobId,
}

/// One change to a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TreeEdit {
    /// Puts a blob at a path, replacing the existing entry (a file becomes a folder where the path needs it).
    Upsert {
        /// From the root of the tree.
        path: String,
        /// Whether the file may be executed.
        executable: bool,
        /// The content, already in the repository.
        blob_id: BlobId,
    },
    /// Puts a symbolic link at a path, replacing the existing entry.
    Link {
        /// From the root of the tree.
        path: String,
        /// The target, already in the repository as a blob.
        blob_id: BlobId,
    },
    /// Removes a file, or a folder and all below it; a missing one is ignored.
    Remove {
        /// From the root of the tree.
        path: String,
    },
}

impl TreeEdit {
    /// Returns the path this edit is about.
    pub fn path(&self) -> &str {
        match self {
            Self::Upsert { path, .. } | Self::Link { path, .. } | Self::Remove { path } => path,
        }
    }
}

/// Splits a path into its components.
///
/// # Errors
/// [`Error::UnsafePath`] if one of them must not be in a tree.
pub(super) fn components(path: &str) -> Result<Vec<&str>, Error> {
    let checked = |name| safe_component(path, raw_name::as_bytes(name).as_bstr()).map(|()| name);
    path.split('/').map(checked).collect()
}

/// Returns a path as text; bytes that are not UTF-8 have characters in their place (`raw_name`).
pub(super) fn text(path: &BStr) -> String {
    raw_name::as_text(path)
}

/// Returns the path of a file as the system knows it.
#[must_use]
pub fn os_path(path: &str) -> PathBuf {
    PathBuf::from(OsString::from_vec(raw_name::as_bytes(path).into_owned()))
}

/// Makes sure that `name`, whatever its characters, may be one component of `path`.
pub(super) fn safe_component(path: &str, name: &BStr) -> Result<(), Error> {
    let options = component::Options { protect_windows: false, protect_hfs: true, protect_ntfs: true };
    match gix::validate::path::component(name, None, options) {
        Ok(_) => Ok(()),
        Err(error) => Err(Error::UnsafePath { path: path.to_owned(), reason: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn splits_ordinary_paths() {
        assert_eq!(components(".ai/threads/a/thread.json").unwrap(), [".ai", "threads", "a", "thread.json"]);
        assert_eq!(components("ünï/.gitignore").unwrap(), ["ünï", ".gitignore"]);
        let raw = text(b"d\xff/caf\xe9".as_bstr());
        assert_eq!(components(&raw).unwrap().len(), 2);
        assert!(components(&text(b"d/.git\xff/..".as_bstr())).is_err());
    }

    #[test]
    fn refuses_paths_that_leave_or_hide() {
        for path in
            ["", "/a", "a//b", "a/", ".", "a/../b", "..", ".git/config", "a/.GIT", ".git ", "git~1", ".g\u{200c}it"]
        {
            let refused = components(path);
            assert!(
                matches!(&refused, Err(Error::UnsafePath { path: named, .. }) if named == path),
                "{path:?}: {refused:?}"
            );
        }
    }
}
