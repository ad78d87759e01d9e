//! Why a registry cannot be used.

use std::path::PathBuf;

use thiserror::Error;

use super::fault::Fault;
use super::log::ExtendError;
use crate::context::ContextError;
use crate::git;
use crate::id::Segment;
use crate::trust::SignerError;

/// Why a registry cannot be used.
#[derive(Debug, Error)]
pub enum Error {
    /// It does not pass a check.
    #[error("the registry `{registry}` is refused: {fault}")]
    Fault {
        /// What the person calls it.
        registry: Segment,
        /// The check.
        fault: Fault,
    },
    /// It cannot be fetched.
    #[error("cannot fetch the registry `{registry}` from `{url}`")]
    Fetch {
        /// What the person calls it.
        registry: Segment,
        /// Where it is.
        url: String,
        /// Why not.
        #[source]
        source: git::Error,
    },
    /// It cannot be pushed to.
    #[error("cannot push to the registry `{registry}` at `{url}`")]
    Push {
        /// What the person calls it.
        registry: Segment,
        /// Where it is.
        url: String,
        /// Why not.
        #[source]
        source: git::Error,
    },
    /// It refused what was pushed.
    #[error("the registry `{registry}` refused the push: {reason}")]
    Rejected {
        /// What the person calls it.
        registry: Segment,
        /// Git's words.
        reason: String,
    },
    /// Others were always faster.
    #[error("others published to the registry `{registry}` {attempts} times in between")]
    Contended {
        /// What the person calls it.
        registry: Segment,
        /// How often it was tried.
        attempts: u32,
    },
    /// The repository has no branch `main`.
    #[error("`{url}` has no branch `main`, so it is not a registry")]
    Empty {
        /// Where it is.
        url: String,
    },
    /// It was not fetched yet, and must not be now.
    #[error("the registry `{registry}` was not fetched yet")]
    NotFetched {
        /// What the person calls it.
        registry: Segment,
    },
    /// What was fetched before cannot be read, and must not be fetched now.
    #[error("the local copy of the registry `{registry}` is damaged")]
    Mirror {
        /// What the person calls it.
        registry: Segment,
        /// What is wrong.
        #[source]
        source: git::Error,
    },
    /// There is a registry already where one is to be made.
    #[error("`{}` is a registry already", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// The name cannot serve for a registry.
    #[error("`{text}` cannot be the address of a registry: {reason}")]
    Url {
        /// The text as given, without what could be a password.
        text: String,
        /// Why not.
        reason: &'static str,
    },
    /// The person uses no registry of this name.
    #[error("unknown registry `{name}`")]
    Unknown {
        /// The name.
        name: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
    /// The person uses another registry of this name.
    #[error("there is a registry `{name}` already: `{url}`")]
    NameTaken {
        /// The name.
        name: Segment,
        /// Where that one is.
        url: String,
    },
    /// The list of registries cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Known {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file of the program's own cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// The key does not sign.
    #[error(transparent)]
    Signer(#[from] SignerError),
    /// The mirror cannot be read or written.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl Error {
    /// Says of which registry a check failed.
    pub(super) fn fault(registry: &Segment, fault: Fault) -> Self {
        Self::Fault { registry: registry.clone(), fault }
    }

    pub(super) fn extend(registry: &Segment, error: ExtendError) -> Self {
        match error {
            ExtendError::Fault(fault) => Self::fault(registry, fault),
            ExtendError::Signer(error) => error.into(),
        }
    }
}
