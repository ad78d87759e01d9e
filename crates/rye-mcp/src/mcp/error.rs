//! What ends a server, and what a call can fail with.

use std::path::PathBuf;

use thiserror::Error;

use crate::action;
use crate::capability::{Denial, Primary};
use crate::context::ContextError;
use crate::git;
use crate::id::ItemId;
use crate::keys::KeysError;
use crate::locate::LocateError;
use crate::process;
use crate::project;
use crate::{execute, extends, load, search, sign};

/// Why a server cannot serve.
#[derive(Debug, Error)]
pub enum Error {
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// A signal cannot be caught.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// The runtime cannot be made.
    #[error("the server cannot be started")]
    Runtime(#[source] std::io::Error),
}

/// Why a call of a client failed.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Failure {
    /// `execute`
    #[error(transparent)]
    Execute(#[from] execute::Error),
    /// `load`
    #[error(transparent)]
    Load(#[from] load::Error),
    /// `search`
    #[error(transparent)]
    Search(#[from] search::Error),
    /// `sign`
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// An item cannot be found or used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The agent key cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// The repository cannot be used.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The connection may not make this call.
    #[error(transparent)]
    Denied(#[from] Denial),
    /// The arguments mean nothing.
    #[error("invalid arguments for `rye_{primary}`: {message}")]
    Arguments { primary: Primary, message: String },
    /// No prompt has this name.
    #[error("unknown prompt `{name}`")]
    UnknownPrompt {
        name: String,
        /// The name that was probably meant.
        suggestion: Option<String>,
    },
    /// No resource has this address.
    #[error("`{uri}` is not a resource of this server")]
    UnknownResource { uri: String },
    /// No skill has this address.
    #[error("no skill is offered at `{uri}`")]
    UnknownSkill { uri: String },
    /// No folder of a skill has this address.
    #[error("`{uri}` is not a folder of a skill")]
    UnknownFolder { uri: String },
    /// A skill that is larger than clients of the extension have to take.
    #[error("skill `{item_id}` has more than {files} files or {bytes} bytes, the most that `skills/get` returns")]
    LargeSkill {
        item_id: ItemId,
        /// The most files.
        files: usize,
        /// The most bytes of all files.
        bytes: u64,
    },
    /// The client has roots, and none can be used.
    #[error("none of the client's roots can be worked in{}", why(reasons))]
    NoRoot { reasons: Vec<String> },
    /// The client did not say its roots.
    #[error("the client did not say which folders to work in: {reason}")]
    RootsUnknown { reason: String },
    /// A call names a folder outside of the roots.
    #[error("`{}` is outside of the roots of this connection", dir.display())]
    OutsideRoots { dir: PathBuf, roots: Vec<PathBuf> },
    /// The folder lies where content runs code on the person's machine.
    #[error("`{}` is not a folder to work in: other programs execute or follow its files", dir.display())]
    CodePlace { dir: PathBuf },
    /// The repository of a root reaches further than the root.
    #[error("the repository `{}` reaches beyond the root `{}`", repository.display(), dir.display())]
    BeyondRoot {
        /// The top of its work tree.
        repository: PathBuf,
        dir: PathBuf,
    },
    /// A long result that no longer is kept.
    #[error("the result of this call is not kept any more")]
    ResultGone,
    /// Too many calls wait already.
    #[error("{waiting} wait already")]
    Busy {
        /// How many, or how large they are together.
        waiting: String,
    },
    /// The client cancelled it, or has gone.
    #[error("the call was cancelled")]
    Cancelled,
    /// A mistake of the program.
    #[error("the call stopped because of a mistake of the program: {panic}")]
    Internal { panic: String },
}

impl From<action::Error> for Failure {
    fn from(error: action::Error) -> Self {
        match error {
            action::Error::Execute(execute::Error::Denied(denial)) => Self::Denied(denial),
            action::Error::Execute(error) => Self::Execute(error),
            action::Error::Load(load::Error::Denied(denial)) => Self::Denied(denial),
            action::Error::Load(error) => Self::Load(error),
            action::Error::Search(error) => Self::Search(error),
            action::Error::Sign(error) => Self::Sign(error),
            action::Error::Keys(error) => Self::Keys(error),
        }
    }
}

impl From<project::Error> for Failure {
    fn from(error: project::Error) -> Self {
        LocateError::from(error).into()
    }
}

impl Failure {
    /// Returns why an item cannot be found or used, if that is what failed.
    pub(super) fn locate(&mut self) -> Option<&mut LocateError> {
        match self {
            Self::Execute(execute::Error::Extends(error)) => of_chain(error),
            Self::Execute(execute::Error::Locate(error))
            | Self::Load(load::Error::Locate(error))
            | Self::Search(search::Error::Locate(error))
            | Self::Sign(sign::Error::Locate(error))
            | Self::Locate(error) => Some(error),
            _ => None,
        }
    }
}

/// Returns why an item that a chain of directives names cannot be found or used.
fn of_chain(error: &mut extends::Error) -> Option<&mut LocateError> {
    match error {
        extends::Error::Locate(error) => Some(error),
        extends::Error::Part { source, .. } => Some(source),
        extends::Error::Circle { .. }
        | extends::Error::TooLong { .. }
        | extends::Error::ContextTooLong { .. }
        | extends::Error::NotADirective
        | extends::Error::Ambiguous { .. }
        | extends::Error::Unmet(_)
        | extends::Error::Conflict { .. } => None,
    }
}

fn why(reasons: &[String]) -> String {
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}
