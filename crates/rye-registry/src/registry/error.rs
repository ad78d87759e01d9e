//! Why a registry cannot be used.

use std::path::PathBuf;

use thiserror::Error;

use super::fault::Fault;
use super::log::ExtendError;
use super::outage::Unreached;
use crate::context::ContextError;
use crate::format::registry_files::KnownRegistry;
use crate::git;
use crate::id::Segment;
use crate::net;
use crate::redact::Leaks;
use crate::trust::SignerError;

/// Why a registry cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// It does not pass a check.
    #[error("the registry `{registry}` is refused: {fault}")]
    Fault { registry: Segment, fault: Fault },
    /// The addition does not fit into it.
    #[error("cannot add to the registry `{registry}`: {fault}")]
    Unfit {
        registry: Segment,
        /// The check that the line would not pass.
        fault: Fault,
    },
    /// Secrets would be pushed.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// It cannot be fetched.
    #[error("cannot fetch the registry `{registry}` from `{url}`")]
    Fetch {
        registry: Segment,
        /// Where it is.
        url: String,
        #[source]
        source: git::Error,
    },
    /// It is not reached, for a reason that git named.
    #[error("cannot reach the registry `{registry}` at `{url}`: {why}")]
    Unreached {
        registry: Segment,
        /// Where it is.
        url: String,
        why: Unreached,
    },
    /// Its folder belongs to another user of this machine.
    #[error("git does not read the registry `{registry}`: `{path}` belongs to another user of this machine")]
    OtherUser {
        registry: Segment,
        /// The folder, as git names it.
        path: String,
    },
    /// Its folder is one that this user cannot write.
    #[error("no permission to write to the registry `{registry}` in `{path}`")]
    NotShared { registry: Segment, path: String },
    /// Its objects are of another kind.
    #[error("`{url}` is a git repository with SHA-256 objects, and a registry needs SHA-1 objects")]
    ObjectFormat {
        /// Where it is.
        url: String,
    },
    /// The folder holds something else.
    #[error("`{}` is neither empty nor an empty git repository", path.display())]
    NotEmpty { path: PathBuf },
    /// It cannot be pushed to.
    #[error("cannot push to the registry `{registry}` at `{url}`")]
    Push {
        registry: Segment,
        /// Where it is.
        url: String,
        #[source]
        source: git::Error,
    },
    /// It refused the push.
    #[error("the registry `{registry}` refused the push: {reason}")]
    Rejected { registry: Segment, reason: String },
    /// Others were always faster.
    #[error("others published to the registry `{registry}` {attempts} times in between")]
    Contended { registry: Segment, attempts: u32 },
    /// The repository has no branch `main`.
    #[error("`{url}` has no branch `main`, so it is not a registry")]
    Empty {
        /// Where it is.
        url: String,
    },
    /// It was not fetched yet, and must not be now.
    #[error("the registry `{registry}` was not fetched yet")]
    NotFetched { registry: Segment },
    /// The fetched state cannot be read, and must not be fetched now.
    #[error("the local copy of the registry `{registry}` is damaged")]
    Mirror {
        registry: Segment,
        #[source]
        source: git::Error,
    },
    /// It is read as static files, which are neither written nor read as a whole.
    #[error(
        "the registry `{registry}` is read as static files: it cannot be published to, changed, searched or checked as a whole"
    )]
    Static { registry: Segment },
    /// It is read as static files, of which no copy is kept.
    #[error("the registry `{registry}` is read as static files, and no copy of them is kept")]
    NotKept { registry: Segment },
    /// There is no checkpoint at the address.
    #[error("`{url}` has no file `checkpoint`, so it is not a registry")]
    NoCheckpoint {
        /// Where it is.
        url: String,
    },
    /// A file of it cannot be fetched.
    #[error("cannot read the registry `{registry}` from `{url}`")]
    Download {
        registry: Segment,
        /// Where it is.
        url: String,
        #[source]
        source: net::Error,
    },
    /// The server answers something else than the file.
    #[error(
        "cannot read `{path}` of the registry `{registry}` from `{url}`: the server answers with the status {status}"
    )]
    Status {
        registry: Segment,
        /// Where it is.
        url: String,
        path: String,
        status: u16,
    },
    /// The server answers with another address.
    #[error("cannot read the registry `{registry}` from `{url}`: the server redirects to `{to}`")]
    Redirected {
        registry: Segment,
        /// Where it is.
        url: String,
        /// The host that is named instead.
        to: String,
    },
    /// Its files were replaced while they were read.
    #[error("the registry `{registry}` changed while it was read")]
    ChangedMeanwhile { registry: Segment },
    /// There is a registry already where one is to be made.
    #[error("`{}` is a registry already", path.display())]
    Exists { path: PathBuf },
    /// The name cannot serve for a registry.
    #[error("`{text}` cannot be the address of a registry: {reason}")]
    Url {
        /// The text as given, without what could be a password.
        text: String,
        reason: &'static str,
    },
    /// The person uses no registry of this name.
    #[error("unknown registry `{name}`")]
    Unknown {
        name: String,
        /// The one that was probably meant.
        nearest: Option<String>,
    },
    /// The person uses another registry of this name.
    #[error("the registry `{name}` already exists: `{url}`")]
    NameTaken {
        name: Segment,
        /// Where that one is.
        url: String,
    },
    /// The list of registries cannot be read.
    #[error("`{}` cannot be read: {reason}", path.display())]
    Known { path: PathBuf, reason: String },
    /// A file of the program's own cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
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
    /// Says why git did not reach a registry: its messages about folders of this machine have a command that helps.
    pub(super) fn reach(known: &KnownRegistry, source: git::Error, other: impl FnOnce(git::Error) -> Self) -> Self {
        let said = match &source {
            git::Error::Command { stderr, .. } => stderr.as_str(),
            _ => "",
        };
        let KnownRegistry { name, url } = known.clone();
        let dubious = said
            .split_once("detected dubious ownership in repository at '")
            .and_then(|(_, rest)| rest.split_once('\''));
        if let Some((path, _)) = dubious {
            return Self::OtherUser { registry: name, path: path.to_owned() };
        }
        if said.contains("mismatched algorithms") {
            return Self::ObjectFormat { url };
        }
        if let Some(path) = folder(&url).filter(|_| is_unwritable(said)) {
            return Self::NotShared { registry: name, path: path.to_owned() };
        }
        match Unreached::of(said) {
            Some(why) => Self::Unreached { registry: name, url, why },
            None => other(source),
        }
    }

    /// Says why a file of a registry was not fetched.
    pub(super) fn download(known: &KnownRegistry, source: net::Error) -> Self {
        let KnownRegistry { name: registry, url } = known.clone();
        let said = match &source {
            net::Error::Redirect { to, .. } => return Self::Redirected { registry, url, to: to.clone() },
            net::Error::Connect { source, .. } => source.to_string(),
            net::Error::Timeout { .. } => "nothing answered in time".to_owned(),
            _ => String::new(),
        };
        match Unreached::of(&said) {
            Some(why) => Self::Unreached { registry, url, why },
            None => Self::Download { registry, url, source },
        }
    }

    /// Says what a server answered in the place of a file.
    pub(super) fn status(known: &KnownRegistry, path: &str, status: u16) -> Self {
        let KnownRegistry { name: registry, url } = known.clone();
        match status {
            401 | 403 => Self::Unreached { registry, url, why: Unreached::Access },
            _ => Self::Status { registry, url, path: path.to_owned(), status },
        }
    }

    /// Says why a registry did not take a push.
    pub(super) fn rejected(known: &KnownRegistry, reason: String) -> Self {
        let registry = known.name.clone();
        if let Some(path) = folder(&known.url).filter(|_| is_unwritable(&reason)) {
            return Self::NotShared { registry, path: path.to_owned() };
        }
        Self::Rejected { registry, reason }
    }

    /// Says of which registry a check failed.
    pub(super) fn fault(registry: &Segment, fault: Fault) -> Self {
        Self::Fault { registry: registry.clone(), fault }
    }

    pub(super) fn extend(registry: &Segment, error: ExtendError) -> Self {
        match error {
            ExtendError::Fault(fault) => Self::Unfit { registry: registry.clone(), fault },
            ExtendError::Signer(error) => error.into(),
        }
    }
}

/// Returns the folder of this machine that an address leads to.
fn folder(url: &str) -> Option<&str> {
    let path = url.strip_prefix("file://").unwrap_or(url);
    path.starts_with('/').then_some(path)
}

/// Tells whether git says that it may not write into the repository. A push to a folder of another user is reported as
/// `unpacker error`.
fn is_unwritable(said: &str) -> bool {
    ["insufficient permission for adding an object", "unpacker error", "Permission denied"]
        .iter()
        .any(|it| said.contains(it))
}
