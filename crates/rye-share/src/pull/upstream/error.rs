//! Why a skill is not pulled, updated or restored.

use thiserror::Error;

use super::super::error::Error as PullError;
use super::super::registry::Error as RegistryError;
use crate::id::{GitSourceError, ItemId};
use crate::locate::LocateError;
use crate::process;
use crate::registry::UpstreamError;
use crate::trust::{KeyId, SignError};
use crate::workspace;

/// Why a skill is not pulled, updated or restored.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The source has a signature of the skill that is not one of the folder.
    #[error("`{path}` of the source does not match its folder: {reason}")]
    Signature {
        /// The signature's file, from the top of the repository.
        path: String,
        reason: String,
    },
    /// The source does not say whose key signed it.
    #[error(
        "`{path}` of the source is signed by the key {key_id}, and `.ai/trust/allowed_signers` there does not have it"
    )]
    NoKey {
        /// The signature's file, from the top of the repository.
        path: String,
        key_id: KeyId,
    },
    /// Another key signed it than the lock says.
    #[error("skill `{id}` was signed by {from}, and is signed by {to} now")]
    SignerChanged { id: ItemId, from: String, to: String },
    /// It was signed, and is not any more.
    #[error("skill `{id}` was signed by {from}, and is not signed now")]
    SignatureGone { id: ItemId, from: String },
    /// Another key signed it than was accepted.
    #[error("skill `{id}` is signed by {found}, not by {accepted}")]
    OtherSigner {
        id: ItemId,
        /// The fingerprint that was given.
        accepted: String,
        /// The fingerprint of the key that signed it; `no key` without a signature.
        found: String,
    },
    /// The skill comes from elsewhere.
    #[error("skill `{id}` comes from `{locked}`")]
    OtherSource {
        id: ItemId,
        /// Where it came from.
        locked: String,
    },
    /// It would become older.
    #[error("skill `{id}` would go back from {from} to {to}, which is older")]
    Rollback {
        id: ItemId,
        /// The commit of the lock, or the version or the time of the signature that is here.
        from: String,
        /// That which would be taken.
        to: String,
    },
    /// The commit of the lock is gone, and the present content differs.
    #[error("commit {commit} of `{url}` is gone, and skill `{id}` has other files there now")]
    Gone {
        id: ItemId,
        commit: String,
        /// Where it was.
        url: String,
    },
    /// The commit of the lock has other files than the lock says.
    #[error("skill `{id}` has other files at commit {commit} of `{url}` than `rye.lock` says")]
    Mismatch {
        id: ItemId,
        commit: String,
        /// Where it is.
        url: String,
    },
    /// Nothing was fetched before.
    #[error("commit {commit} of `{url}` was not fetched yet")]
    NotFetched {
        /// Where it is.
        url: String,
        commit: String,
    },
    /// The lock does not have it.
    #[error("`rye.lock` has no skill `{id}`")]
    NotLocked { id: ItemId },
    /// The source cannot be written down.
    #[error(transparent)]
    Source(#[from] GitSourceError),
    /// The source's repository cannot be used.
    #[error(transparent)]
    Upstream(#[from] UpstreamError),
    /// It cannot be put into its place.
    #[error(transparent)]
    Pull(#[from] PullError),
    /// It cannot be pulled from its registry.
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// It cannot be found or read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// It cannot be signed.
    #[error(transparent)]
    Sign(#[from] SignError),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
}

impl From<RegistryError> for Error {
    fn from(error: RegistryError) -> Self {
        Self::Registry(Box::new(error))
    }
}

impl From<workspace::Error> for Error {
    fn from(error: workspace::Error) -> Self {
        Self::Locate(error.into())
    }
}
