//! Where everything lies in a registry, from its top. Pure.

use super::line::{Entry, Release, Target};
use crate::id::{ItemId, Segment};
use crate::trust::{Blake3Hash, ContentHash};

/// The branch that a registry is on.
pub const BRANCH: &str = "refs/heads/main";
/// What the registry says of itself.
pub(super) const CONFIG: &str = "config.toml";
/// Its state, signed.
pub(super) const CHECKPOINT: &str = "checkpoint";
/// The folders whose every file is known; other files at the top, such as a `README.md`, are for people.
pub(super) const FOLDERS: [&str; 4] = ["index", "namespaces", "tables", "tile"];
/// The lines about the registry itself.
pub(super) const REGISTRY_LINES: &str = "index/registry.jsonl";
/// The folder of packages.
pub(super) const OBJECTS: &str = "objects";

/// The folder that holds a registry in a repository that is more than one.
pub(super) const INDEX_FOLDER: &str = "registry-index";

/// Where the top of a registry is in the tree of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Top {
    /// At the top of the tree.
    Tree,
    /// In the folder `registry-index`.
    Folder,
}

impl Top {
    /// Returns a path of the registry as the tree has it.
    pub(super) fn in_tree(self, path: &str) -> String {
        match self {
            Self::Tree => path.to_owned(),
            Self::Folder => format!("{INDEX_FOLDER}/{path}"),
        }
    }

    /// Returns a path of the tree as the registry has it.
    pub(super) fn in_registry(self, path: String) -> String {
        let rest = path.strip_prefix(INDEX_FOLDER).and_then(|rest| rest.strip_prefix('/'));
        match (self, rest) {
            (Self::Folder, Some(rest)) => rest.to_owned(),
            (Self::Tree, _) | (Self::Folder, None) => path,
        }
    }
}

/// Returns the file that an entry's line belongs in.
#[must_use]
pub(super) fn index_path(entry: &Entry) -> String {
    match entry {
        Entry::Init { .. } | Entry::Renew {} => REGISTRY_LINES.to_owned(),
        Entry::Owners { namespace, .. } => owners_path(namespace.as_str()),
        Entry::Publish(Release { id, .. })
        | Entry::Yank(Target { id, .. })
        | Entry::Unyank(Target { id, .. })
        | Entry::Deprecate { id, .. } => item_path(id),
    }
}

/// Returns the file of the lines about the owners of a namespace.
pub(super) fn owners_path(namespace: &str) -> String {
    format!("index/{namespace}/owners.jsonl")
}

/// `index/<namespace>/<ab>/<the rest of the id>.jsonl`, with the first two digits of the id's digest.
pub(super) fn item_path(id: &ItemId) -> String {
    let (namespace, rest) = id.as_str().split_once('/').unwrap_or((id.as_str(), ""));
    let digest = ContentHash::of(id.as_str().as_bytes()).to_string();
    format!("index/{namespace}/{}/{rest}.jsonl", &digest[..2])
}

/// Returns the file of a namespace's owners.
#[must_use]
pub(super) fn namespace_path(namespace: &Segment) -> String {
    format!("namespaces/{namespace}.toml")
}

/// Returns the file of an object.
#[must_use]
pub(super) fn object_path(hash: &Blake3Hash) -> String {
    let digits = hash.to_string();
    format!("{OBJECTS}/{}/{digits}", &digits[..2])
}
