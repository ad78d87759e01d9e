//! `hook`: the same signing inside of `git commit`, and a guard before `git push`.
//!
//! Where hooks lie git says (`core.hooksPath`, linked work trees). A hook that is there is kept, runs first, and comes
//! back byte for byte. Commit points: the link by which the old hook gets its second name, then the rename of the new
//! one over it; when it is taken out, the rename back.

mod announcement;
mod commits;
mod guard;
mod name;
mod record;
mod run;
mod script;

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

pub use self::announcement::{Announced, Announcement};
pub use self::guard::{Push, is_to_be_told, pre_push};
pub use self::name::HookName;
pub use self::run::{Signed, Staged, inspect_staged, post_commit, prove_staged};
use self::script::KEPT;
use super::locate::{LocateError, invalid_items};
use super::sign;
use crate::context::{Unreadable, bounded};
use crate::git::{self, CommitId, Git};
use crate::keys::KeysError;
use crate::process::{self, find_program};
use crate::project::Project;
use crate::proof::{ProofError, Unverified};
use crate::redact::Leaks;
use crate::{verify, workspace};

/// The changes of the hooks.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Each of them.
    pub hooks: Vec<Hook>,
    /// Whether the folder is one that other repositories use too, or that is part of the work tree.
    pub is_shared: bool,
    /// Whether git signs commits here: a hook cannot.
    pub signs_commits: bool,
}

/// The change of one hook.
#[derive(Debug, Clone, Serialize)]
pub struct Hook {
    /// Its name.
    pub name: HookName,
    /// Its file.
    pub path: PathBuf,
    /// The change.
    pub status: Status,
    /// The file of the hook that was there before, and runs first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<PathBuf>,
}

/// The change of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is there now.
    Installed,
    /// It was there.
    Unchanged,
    /// It is gone.
    Removed,
    /// It is gone, and the one before is back.
    Restored,
    /// It was not there.
    Absent,
}

/// Why hooks cannot be changed, or why one stops git.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Two hooks would have to be kept.
    #[error("`{}` is not rye's, and `{}` is kept already", path.display(), kept.display())]
    TwoKept {
        /// The hook that is there.
        path: PathBuf,
        /// The one that is kept.
        kept: PathBuf,
    },
    /// A hook cannot be read or written.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// A hook that is there cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Items that are staged are not valid.
    #[error("cannot sign: {}", invalid_items(failures))]
    Invalid { failures: Vec<LocateError> },
    /// The commit would not verify.
    #[error(transparent)]
    Unverified(Box<Unverified>),
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
    /// Threads would be pushed.
    #[error("cannot push `{name}` to `{remote}`: a thread's branch publishes its whole transcript")]
    Thread {
        /// The full name of the branch.
        name: String,
        /// Where it was to go.
        remote: String,
    },
    /// Commits that are not on a thread's branch would bring one's record.
    #[error("`{name}` has commit {}, which adds `{path}`: what a model read and wrote would be on `{remote}`", &commit_id.as_str()[..12])]
    Record {
        /// The full name of the pushed ref.
        name: String,
        /// Where it was to go.
        remote: String,
        commit_id: CommitId,
        path: String,
    },
    /// What would be pushed cannot be looked at.
    #[error("cannot tell whether `{name}` holds a thread; it is not pushed to `{remote}`")]
    Untold {
        /// The full name of the pushed ref.
        name: String,
        /// Where it was to go.
        remote: String,
        #[source]
        source: git::Error,
    },
    /// Secrets would be pushed.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// Secrets would be committed.
    #[error("{leaks}")]
    StagedLeaks { leaks: Leaks },
    /// What would be pushed cannot be looked at for secrets.
    #[error("cannot tell whether `{name}` has secrets; it is not pushed to `{remote}`")]
    Unseen {
        /// The full name of the pushed ref.
        name: String,
        /// Where it was to go.
        remote: String,
        #[source]
        source: git::Error,
    },
    /// A file cannot be replaced.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
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

/// Puts the hooks in place; those that are there already stay.
///
/// # Errors
///
/// Fails when the folder of hooks cannot be told or written, and when a hook would take the place of another while one
/// is kept already.
pub fn install(project: &Project) -> Result<Outcome, Error> {
    let dir = hooks_dir(project)?;
    fs::create_dir_all(&dir).map_err(io("make the folder", &dir))?;
    let program = project.context().program();
    let put = |name| install_one(&dir, name, program);
    outcome(project, &dir, HookName::ALL.into_iter().map(put).collect::<Result<_, _>>()?)
}

/// Removes the hooks and restores the former ones.
///
/// # Errors
///
/// Fails when the folder of hooks cannot be told or written.
pub fn remove(project: &Project) -> Result<Outcome, Error> {
    let dir = hooks_dir(project)?;
    let hooks = HookName::ALL.into_iter().map(|name| remove_one(&dir, name)).collect::<Result<_, _>>()?;
    outcome(project, &dir, hooks)
}

fn outcome(project: &Project, dir: &Path, hooks: Vec<Hook>) -> Result<Outcome, Error> {
    let own = project.repository().map(|repository| repository.common_dir().join("hooks"));
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let is_shared = own.is_none_or(|own| canonical(&own) != canonical(dir));
    let signs_commits = project.repository().is_some_and(|repository| repository.signs_commits());
    Ok(Outcome { hooks, is_shared, signs_commits })
}

fn install_one(dir: &Path, name: HookName, program: &Path) -> Result<Hook, Error> {
    let (path, kept) = (dir.join(name.as_str()), dir.join(format!("{name}{KEPT}")));
    let there = read(&path)?;
    let is_foreign = there.as_deref().is_some_and(|text| !script::is_own(text));
    if is_foreign {
        keep(&path, &kept, there.as_deref())?;
    }
    let before = read(&kept)?;
    let text = script::hook(name, program, before.as_deref());
    let is_ready = there.as_deref() == Some(text.as_bytes()) && is_executable(&path);
    if !is_ready {
        workspace::replace_file(&path, text.as_bytes())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(io("make executable", &path))?;
    }
    let status = if is_ready { Status::Unchanged } else { Status::Installed };
    Ok(Hook { name, path, status, kept: before.map(|_| kept) })
}

/// Gives the hook that is there a second name. A link to elsewhere gets another name instead, as it has no second one.
fn keep(path: &Path, kept: &Path, there: Option<&[u8]>) -> Result<(), Error> {
    match read(kept)? {
        None => {}
        // An installation that was cut short.
        Some(before) if there == Some(&before[..]) => return Ok(()),
        Some(_) => return Err(Error::TwoKept { path: path.to_path_buf(), kept: kept.to_path_buf() }),
    }
    let is_link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let linked = if is_link { Err(ErrorKind::Unsupported.into()) } else { fs::hard_link(path, kept) };
    linked.or_else(|_| fs::rename(path, kept)).map_err(io("keep", path))
}

fn remove_one(dir: &Path, name: HookName) -> Result<Hook, Error> {
    let (path, kept) = (dir.join(name.as_str()), dir.join(format!("{name}{KEPT}")));
    let there = read(&path)?;
    let is_foreign = there.as_deref().is_some_and(|text| !script::is_own(text));
    let is_kept = fs::symlink_metadata(&kept).is_ok();
    let status = match (there, is_kept) {
        // Another hook replaced it since.
        (Some(_), true) if is_foreign => return Err(Error::TwoKept { path, kept }),
        (_, true) => {
            fs::rename(&kept, &path).map_err(io("put back", &path))?;
            Status::Restored
        }
        (Some(_), false) if !is_foreign => {
            fs::remove_file(&path).map_err(io("remove", &path))?;
            Status::Removed
        }
        _ => Status::Absent,
    };
    Ok(Hook { name, path, status, kept: None })
}

fn hooks_dir(project: &Project) -> Result<PathBuf, Error> {
    Ok(git(project)?.hooks_dir()?)
}

fn git(project: &Project) -> Result<Git, Error> {
    let ctx = project.context();
    let repository = project.require_repository()?;
    let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir().as_slice())?;
    Ok(Git::new(&program, &repository, &ctx.environment_for_git()))
}

/// The greatest size of a hook, in bytes.
const MAX_BYTES: u64 = 1024 * 1024;

/// Reads a hook, which may be a link. `core.hooksPath` may lead into the project: nothing is waited for or read without end.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match bounded::read(path, MAX_BYTES) {
        Err(error) if error.is_missing() => Ok(None),
        bytes => Ok(Some(bytes?)),
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 == 0o111)
}

fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Error {
    let path = path.to_path_buf();
    move |source| Error::Io { action, path, source }
}
