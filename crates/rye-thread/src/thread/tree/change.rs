//! A change of a path in a thread's tree: its content, what it was before, and what decides whether it is kept.

use super::own_tree::State;
use crate::capability::{PathRules, Standpoint};
use crate::git::BlobId;

/// The size above which a file is not committed, in bytes.
pub(in crate::thread) const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// What decides whether a tool's change is kept.
#[derive(Debug, Clone, Copy)]
pub(in crate::thread) struct Rules<'a> {
    pub(in crate::thread) standpoint: &'a Standpoint,
    /// The path rules of every token.
    pub(in crate::thread) paths: &'a [PathRules],
}

/// The record of a path, and its entry in the next commit, before a look took it.
#[derive(Debug)]
pub(in crate::thread) struct Before {
    pub(in crate::thread) recorded: Option<State>,
    pub(in crate::thread) file: Option<Change>,
}

/// What a look took of a path.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(in crate::thread) change: Change,
    pub(in crate::thread) before: Option<Before>,
}

/// A file as a turn left it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::thread) enum Change {
    /// It was written.
    Written {
        /// Its bytes.
        bytes: Vec<u8>,
        /// What git stores, if that is not the same.
        stored: Option<Vec<u8>>,
        /// Whether its owner may execute it.
        executable: bool,
    },
    /// It is again the symbolic link that the base has.
    Link {
        /// Its target, as an object.
        blob_id: BlobId,
    },
    /// It was removed.
    Removed,
}

impl Change {
    /// Returns its recorded form; no link has one.
    pub(in crate::thread) fn state(&self) -> State {
        match self {
            Self::Written { bytes, stored, executable } => State::of(stored.as_ref().unwrap_or(bytes), *executable),
            Self::Link { .. } | Self::Removed => State::Removed,
        }
    }
}
