//! Why what a thread changed is not accepted. Nothing of the person's is changed then, unless it says so.

use std::path::PathBuf;

use thiserror::Error;

use super::plan::{Acceptance, Conflict, Obstacle, Why};
use crate::commit;
use crate::error::sentences;
use crate::git::{self, CommitId};
use crate::id::ThreadName;
use crate::keys::KeysError;
use crate::locate::LocateError;
use crate::process;
use crate::project;
use crate::redact::Leaks;
use crate::sign;
use crate::thread::error as threads;
use crate::trust::CommitFault;
use crate::workspace;

/// Why what a thread changed is not accepted.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Another accept is at work.
    #[error("another `rye thread accept` is running here{}", by(holder))]
    Busy {
        /// What it says of itself.
        holder: Option<String>,
    },
    /// An accept was killed, and what it started goes on.
    #[error("a hook or git that a killed `rye thread accept` started is still running here{}", by(holder))]
    LeftRunning {
        /// What that accept said of itself.
        holder: Option<String>,
    },
    /// Git has begun something that a commit would end.
    #[error("cannot accept during a {what}")]
    Unfinished {
        /// What it is.
        what: &'static str,
    },
    /// A commit of the thread is not what its runner made.
    #[error("commit {} of thread `{thread}` is not verified: {fault}", short(commit_id))]
    Unverified {
        thread: ThreadName,
        /// The first such commit.
        commit_id: CommitId,
        fault: CommitFault,
    },
    /// The thread's branch does not go back to its base.
    #[error("the branch of thread `{thread}` was rewritten: {reason}")]
    Rewritten { thread: ThreadName, reason: &'static str },
    /// A named path is not one that the thread changed.
    #[error("thread `{thread}` did not change `{}`", named(path))]
    NotChanged {
        thread: ThreadName,
        /// From the top of the work tree.
        path: String,
    },
    /// A folder was to be committed whole, and does not name the place in it that is left out otherwise.
    #[error("`--commit {}` is too wide: it does not name `{path}` ({reason})", named(folder))]
    TooWide {
        thread: ThreadName,
        /// From the top of the work tree.
        folder: String,
        /// From the top of the work tree.
        path: String,
        reason: Why,
    },
    /// The thread has no changes.
    #[error("nothing to accept from thread `{thread}`{}", except(*left_out))]
    Nothing {
        thread: ThreadName,
        /// How many paths are left out.
        left_out: usize,
        /// Whether one of them is accepted if it is named.
        by_name: bool,
    },
    /// Something of the person's is in the way.
    #[error("cannot accept: {}", listed(obstacles))]
    InTheWay {
        /// Each path, and its present entry.
        obstacles: Vec<Obstacle>,
    },
    /// Changes do not fit what the branch has since.
    #[error("the thread's changes conflict with the current branch: {}", conflicting(conflicts))]
    Conflicts {
        thread: ThreadName,
        conflicts: Vec<Conflict>,
        /// The two commits whose difference is the thread's.
        range: [CommitId; 2],
    },
    /// Secrets would be accepted.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// `HEAD` moved in the meantime.
    #[error("`HEAD` moved to another {} in the meantime; nothing was accepted", to.word())]
    Moved {
        /// Where to.
        to: Moved,
    },
    /// A path changed in the meantime.
    #[error("{what} `{path}` changed in the meantime; nothing was accepted")]
    Changed {
        /// What of it.
        what: &'static str,
        /// From the top of the work tree.
        path: String,
    },
    /// A hook refused, or the person stopped it.
    #[error("{}no commit was made", by_hook(source))]
    Refused {
        #[source]
        source: git::Error,
    },
    /// The person stopped it.
    #[error("stopped; nothing was accepted")]
    Stopped,
    /// The message that was given is empty.
    #[error("the message is empty; nothing was accepted")]
    EmptyMessage,
    /// A hook left no message.
    #[error("a hook left no message")]
    NoMessage,
    /// A write could not be undone, because the file was changed since: a hook, say.
    #[error("{reason}; changed by a hook or an editor meanwhile, and not put back: {}", files.iter().map(|file| format!("`{}`", file.path)).collect::<Vec<_>>().join(", "))]
    Stuck {
        files: Vec<StuckFile>,
        /// Why all of it is not accepted.
        reason: Box<Self>,
        /// What `reason` says of its own causes.
        #[source]
        source: Option<Cause>,
    },
    /// The journal cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    Journal {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The journal is of another version, or damaged.
    #[error("cannot read the journal `{}` of an accept that was cut short", path.display())]
    Damaged {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    /// The thread cannot be found or read.
    #[error(transparent)]
    Thread(#[from] threads::Error),
    /// An item cannot be signed.
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// A path leads out of the project.
    #[error(transparent)]
    Commit(#[from] commit::Error),
    /// The repository cannot be read or written.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file cannot be read or written.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// A program cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// Keys cannot be read.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The project cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

/// A file that keeps later changes to the thread's version.
#[derive(Debug)]
pub struct StuckFile {
    /// From the top of the work tree.
    pub path: String,
    /// The same for git, from the current folder.
    pub pathspec: String,
    /// The revision that has the person's version; `None` without a file.
    pub revision: Option<String>,
    /// Whether it was staged, too.
    pub is_staged: bool,
}

/// Causes in words.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Cause(String);

/// Where `HEAD` moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    /// To another commit.
    Commit,
    /// To another branch, or from one.
    Branch,
}

impl Moved {
    const fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Branch => "branch",
        }
    }
}

impl Error {
    /// Says which files could not be taken back, after what made the accept fail.
    pub(super) fn stuck(files: Vec<StuckFile>, reason: Self) -> Self {
        let causes = sentences(&reason).split_off(1);
        let source = (!causes.is_empty()).then(|| Cause(causes.join(": ")));
        Self::Stuck { files, reason: Box::new(reason), source }
    }

    /// Says that the thread has no changes.
    #[must_use]
    pub fn nothing(acceptance: &Acceptance) -> Self {
        let left_out = acceptance.left_out.iter().filter(|left| !left.reason.is_there()).count();
        let by_name = acceptance.left_out.iter().any(|left| left.reason.is_taken_by_name());
        Self::Nothing { thread: acceptance.name(), left_out, by_name }
    }
}

fn by(holder: &Option<String>) -> String {
    holder.as_ref().map(|holder| format!(" ({holder})")).unwrap_or_default()
}

/// Names the hook that failed.
fn by_hook(source: &git::Error) -> String {
    let command = match source {
        git::Error::Command { command, .. } => command.strip_prefix("git hook run "),
        _ => None,
    };
    command.map(|name| format!("the hook `{name}` failed; ")).unwrap_or_default()
}

fn short(commit_id: &CommitId) -> &str {
    &commit_id.as_str()[..12]
}

/// The top of the work tree has no name of its own.
fn named(path: &str) -> &str {
    if path.is_empty() { "." } else { path }
}

fn except(count: usize) -> String {
    match count {
        0 => String::new(),
        1 => ": 1 path is left out".to_owned(),
        many => format!(": {many} paths are left out"),
    }
}

fn listed(obstacles: &[Obstacle]) -> String {
    obstacles.iter().map(Obstacle::to_string).collect::<Vec<_>>().join(", ")
}

fn conflicting(conflicts: &[Conflict]) -> String {
    let told = |conflict: &Conflict| match &conflict.moved_to {
        Some(path) => format!("`{}` (moved to `{path}` on your branch)", conflict.path),
        None => format!("`{}` ({})", conflict.path, conflict.kind),
    };
    conflicts.iter().map(told).collect::<Vec<_>>().join(", ")
}

impl From<project::Error> for Error {
    fn from(error: project::Error) -> Self {
        LocateError::from(error).into()
    }
}
