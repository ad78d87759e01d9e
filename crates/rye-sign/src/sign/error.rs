//! Why nothing can be signed.

use thiserror::Error;

use super::super::locate::{LineEnds, LocateError};
use super::origin::Origin;
use crate::git;
use crate::id::{ItemId, ItemType, Version};
use crate::trust::{NoteError, SignerError, Unsignable};
use crate::workspace::{self, Candidate};

/// Why nothing can be signed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Nothing fits the patterns.
    #[error("no item of the project or the user matches `{pattern}`")]
    NoMatch { pattern: String },
    /// Another person's signature is good.
    #[error("{item_type} `{item_id}` is signed by {who} and unchanged")]
    SignedByAnother {
        item_type: ItemType,
        item_id: ItemId,
        /// The names under which the key is trusted, with its id.
        who: String,
    },
    /// A model would replace the signature of a person.
    #[error("cannot sign {item_type} `{item_id}` with the agent key: {origin}")]
    NotForModel { item_type: ItemType, item_id: ItemId, origin: Origin },
    /// A signature line would not hold in this file.
    #[error("{item_type} `{item_id}` cannot carry a signature line")]
    Unsignable {
        item_type: ItemType,
        item_id: ItemId,
        #[source]
        source: Unsignable,
    },
    /// Only the line ends of a signed item changed.
    #[error("{item_type} `{item_id}` is not signed again: {}", ends.cause)]
    LineEnds {
        item_type: ItemType,
        item_id: ItemId,
        /// Why, and what to run.
        ends: LineEnds,
    },
    /// A skill's `metadata` names another version.
    #[error("skill `{item_id}` names version {named} in its `metadata`, and {version} was asked for")]
    OtherVersion {
        item_id: ItemId,
        /// The version that it names.
        named: Version,
        /// The version that was asked for.
        version: Version,
    },
    /// The key cannot be used.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The file cannot be written.
    #[error("cannot sign {item_type} `{item_id}`")]
    Write {
        item_type: ItemType,
        item_id: ItemId,
        #[source]
        source: workspace::Error,
    },
    /// Signing failed half way, and the files that were signed by then could not be given back what they held.
    #[error("signing failed, and {} signed: {why}", match paths.as_slice() { [path] => format!("`{path}` stays"), paths => format!("`{}` stay", paths.join("`, `")) })]
    HalfSigned {
        /// The files, from the top of the work tree.
        paths: Vec<String>,
        why: String,
    },
    /// A file of agents is too large to be listed, or cannot be read.
    #[error(
        "cannot sign `{path}`: it is larger than 16 MiB, cannot be read, or git would commit other text than it has \
         (its attribute `ident` or `working-tree-encoding`)"
    )]
    AgentFileUnread {
        /// The file, from the top of the work tree.
        path: String,
    },
    /// A link of agents leads to what cannot be listed.
    #[error("cannot sign `{path}`: this link leads out of the project, in a circle, or through too many links")]
    AgentLinkOut {
        /// The link, from the top of the work tree.
        path: String,
    },
    /// The list of agent files cannot be written.
    #[error("cannot sign the list of agent files")]
    WriteAgentFiles {
        #[source]
        source: workspace::Error,
    },
    /// A countersignature needs a committed item, and this one is not committed.
    #[error("{item_type} `{item_id}` has uncommitted changes")]
    NotCommitted { item_type: ItemType, item_id: ItemId },
    /// There is no signature to countersign.
    #[error("{item_type} `{item_id}` has no signature of its own to countersign")]
    NothingToCountersign { item_type: ItemType, item_id: ItemId },
    /// The note of an item is too large.
    #[error("{item_type} `{item_id}` cannot be countersigned")]
    Note {
        item_type: ItemType,
        item_id: ItemId,
        #[source]
        source: NoteError,
    },
    /// A merge left two versions of an item.
    #[error("`{path}` has conflicts that are not resolved")]
    Unmerged {
        /// The file, from the top of the work tree.
        path: String,
    },
    /// The item cannot be found.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The repository cannot be read or written.
    #[error(transparent)]
    Git(#[from] git::Error),
}

impl Error {
    /// An item's file that cannot be written.
    pub(super) fn write(candidate: &Candidate, source: workspace::Error) -> Self {
        Self::Write { item_type: candidate.item_type, item_id: candidate.id.clone(), source }
    }
}
