//! Why the commit failed.

use std::path::PathBuf;

use thiserror::Error;

use super::super::locate::{LocateError, invalid_items};
use super::super::{sign, verify};
use crate::git;
use crate::keys::KeysError;
use crate::process;
use crate::proof::{ProofError, Unverified};
use crate::redact::Leaks;

/// Why the commit failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Git holds the index for the hook that started this.
    #[error("`rye commit` was started inside of a git hook, which is part of another commit")]
    InsideHook,
    /// Another git program works on the index, or died doing so.
    #[error("the index is locked by `{}`", path.display())]
    IndexLocked { path: PathBuf },
    /// A path leads out of the project.
    #[error("`{path}` is not in the project")]
    Outside { path: String },
    /// A path names nothing.
    #[error("`{path}` is neither in the work tree nor in the last commit")]
    Unknown {
        /// From the top of the work tree.
        path: String,
    },
    /// A merge is committed whole.
    #[error("a merge is being made, which is committed whole and not by paths")]
    PartOfMerge,
    /// There is nothing to commit.
    #[error("nothing to commit{}", if *noted { "; wrote missing notes of the last commits" } else { "" })]
    Nothing {
        /// Whether notes were written that a killed run had left out.
        noted: bool,
    },
    /// Git would store other bytes than those that are signed.
    #[error("git would convert the line ends of `{path}`, which its signature covers")]
    Converted {
        /// From the top of the work tree.
        path: String,
    },
    /// Attributes in the commit change the bytes of an item in every clone.
    #[error("attributes of git change the bytes of `{path}` in every clone, which its signature covers")]
    Attributes {
        /// From the top of the work tree.
        path: String,
    },
    /// The commit would lack lines of `.gitattributes` that `rye sign` wrote.
    #[error("the commit lacks lines of `.gitattributes` that keep git from changing signed skills")]
    AttributesLeft,
    /// Items are not valid.
    #[error("cannot sign: {}", invalid_items(failures))]
    Invalid { failures: Vec<LocateError> },
    /// The commit would not verify.
    #[error(transparent)]
    Unverified(Box<Unverified>),
    /// A hook of git changed the commit, which then would not verify; it was undone.
    #[error("a hook of git changed the files of the commit, which was undone: {unverified}")]
    ChangedByHook { unverified: Box<Unverified> },
    /// The merge that git was told to commit cannot be begun again.
    #[error("cannot write `{}`, so that the undone commit is a merge again", path.display())]
    Unmerged {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The commit cannot be judged.
    #[error(transparent)]
    Verify(verify::Error),
    /// The index cannot be copied.
    #[error("cannot write `{}`", path.display())]
    Draft {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Secrets would be committed.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// The person stopped it.
    #[error("stopped; no commit was made")]
    Stopped,
    /// Git made no commit.
    #[error("git made no commit")]
    Refused {
        #[source]
        source: git::Error,
    },
    /// Items cannot be signed.
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// Keys cannot be read.
    #[error(transparent)]
    Keys(#[from] KeysError),
}

impl From<LocateError> for Error {
    fn from(error: LocateError) -> Self {
        Self::Sign(error.into())
    }
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Sign(error.into())
    }
}

impl From<ProofError> for Error {
    fn from(error: ProofError) -> Self {
        match error {
            ProofError::Unverified(unverified) => Self::Unverified(unverified),
            ProofError::Verify(verify::Error::Locate(error)) => error.into(),
            ProofError::Verify(error) => Self::Verify(error),
            ProofError::Draft { path, source } => Self::Draft { path, source },
        }
    }
}
