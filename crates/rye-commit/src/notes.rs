//! `notes sync`: fetch the notes of others, merge them with one's own, and push the result.
//!
//! Nothing is forced: where the remote has moved on meanwhile, its notes are fetched and joined again. A join is git's
//! `cat_sort_uniq`, so no line is lost, whoever is first. No refspec for pushing is ever written into a configuration:
//! it would make a plain `git push` push notes and nothing else.

use serde::Serialize;
use thiserror::Error;

use super::sign::{self, complete, notes_committer};
use crate::git::{self, CommitId, Git, NOTES_REF, NotesCommit, NotesMerge, PushStatus, Repository, Terminal};
use crate::locate::LocateError;
use crate::process::{self, find_program};
use crate::project::Project;
use crate::redact::{Cleared, Leaks};

/// How often a remote may move on before this gives up.
const ATTEMPTS: usize = 32;

/// How often it may say that it has, without having moved.
const PATIENCE: usize = 8;

/// Which remote.
#[derive(Debug, Clone)]
pub struct Options {
    /// Its name; none means the current branch's, the only one, or `origin`.
    pub remote: Option<String>,
    /// Whether git may ask for credentials and show progress.
    pub terminal: Terminal,
}

/// What came of it.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// The remote.
    pub remote: String,
    /// Whether there was anything new here.
    pub received: bool,
    /// Whether there was anything new there.
    pub sent: bool,
    /// The notes commit that both have; none when neither has notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit_id: Option<CommitId>,
}

/// Why notes are not in step.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// There is no such remote.
    #[error("unknown remote `{name}`")]
    NoRemote { name: String },
    /// The remote cannot be read.
    #[error("the notes of `{remote}` cannot be fetched")]
    Fetch {
        remote: String,
        #[source]
        source: git::Error,
    },
    /// The remote cannot be written.
    #[error("notes cannot be pushed to `{remote}`")]
    Push {
        remote: String,
        #[source]
        source: git::Error,
    },
    /// The remote takes no notes.
    #[error("`{remote}` refuses notes: {reason}")]
    Refused { remote: String, reason: String },
    /// Others were always faster.
    #[error("the notes of `{remote}` moved on {ATTEMPTS} times while they were joined")]
    Contended { remote: String },
    /// Secrets would be pushed.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// Notes cannot be read or written here.
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
}

impl From<git::Error> for Error {
    fn from(error: git::Error) -> Self {
        Self::Sign(error.into())
    }
}

/// Brings the notes of this repository and of a remote into step. Notes that a killed commit left out are made on the
/// way.
///
/// # Errors
///
/// Fails when the remote is unknown, unreachable or refuses, and when notes cannot be read or written.
pub fn sync(project: &Project, options: &Options) -> Result<Outcome, Error> {
    let repository = project.require_repository().map_err(sign::Error::from)?;
    let remote = remote(&repository, options)?;
    let ctx = project.context();
    let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir().as_slice())?;
    let git = Git::new(&program, &repository, &ctx.environment_for_git()).with_terminal(options.terminal);
    let git = git.waited_for_by(process::wait_passing_on);
    let mut outcome = Outcome { remote, received: false, sent: false, commit_id: None };
    let mut stuck = (None, 0);
    for _ in 0..ATTEMPTS {
        outcome.received |= receive(project, &repository, &git, &outcome.remote)?;
        if let Some(head) = repository.head()?.commit_id() {
            complete(project, &repository, head)?;
        }
        outcome.commit_id = repository.branch(NOTES_REF)?;
        let theirs = repository.branch(&there(&outcome.remote))?;
        if outcome.commit_id == theirs {
            return Ok(outcome);
        }
        let cleared = clear(project, &repository, &git, &outcome, theirs.as_ref())?;
        let Some(reason) = send(&git, &outcome.remote, &cleared)? else {
            outcome.sent = true;
            return Ok(outcome);
        };
        stuck = if stuck.0 == theirs { (theirs, stuck.1 + 1) } else { (theirs, 1) };
        if stuck.1 > PATIENCE {
            return Err(Error::Refused { remote: outcome.remote, reason });
        }
    }
    Err(Error::Contended { remote: outcome.remote })
}

fn remote(repository: &Repository, options: &Options) -> Result<String, Error> {
    let is_known = |name: &String| repository.remotes().iter().any(|remote| remote.name == *name);
    match &options.remote {
        Some(name) if is_known(name) => Ok(name.clone()),
        Some(name) => Err(Error::NoRemote { name: name.clone() }),
        None => repository.default_remote().ok_or_else(|| Error::NoRemote { name: "origin".to_owned() }),
    }
}

/// Where the notes of a remote are kept.
fn there(remote: &str) -> String {
    format!("refs/notes/remotes/{remote}/rye")
}

/// Fetches a remote's notes and joins them with those here; tells whether any were new.
fn receive(project: &Project, repository: &Repository, git: &Git, remote: &str) -> Result<bool, Error> {
    let refspec = format!("+refs/notes/rye*:refs/notes/remotes/{remote}/rye*");
    let failed = |source| Error::Fetch { remote: remote.to_owned(), source };
    git.fetch(remote, &[&refspec]).map_err(failed)?;
    let Some(theirs) = repository.branch(&there(remote))? else { return Ok(false) };
    let committer = notes_committer(project, repository);
    let message = format!("notes: join those of {remote}");
    let merge = repository.merge_notes(&theirs, NotesCommit { message: &message, committer: &committer })?;
    Ok(merge != NotesMerge::Unchanged)
}

/// Looks at the notes that the remote does not have. If they are pushed to another place than they come from, it has none.
fn clear(
    project: &Project,
    repository: &Repository,
    git: &Git,
    outcome: &Outcome,
    theirs: Option<&CommitId>,
) -> Result<Cleared, Error> {
    let inspector = project.context().inspector(&[]).map_err(LocateError::from);
    let mut inspector = inspector.map_err(sign::Error::from)?;
    if let Some(ours) = &outcome.commit_id {
        let is_one_place = git.pushes_where_it_fetches(&outcome.remote)?;
        let from: Vec<CommitId> = theirs.filter(|_| is_one_place).into_iter().cloned().collect();
        repository.inspect_tree(&mut inspector, git, &from, &repository.tree_of(ours)?)?;
    }
    Ok(inspector.finish()?)
}

/// Pushes the notes. Returns why the remote did not take them, if that may be because it has moved on.
fn send(git: &Git, remote: &str, cleared: &Cleared) -> Result<Option<String>, Error> {
    let failed = |source| Error::Push { remote: remote.to_owned(), source };
    let pushed = git.push(remote, &[&format!("{NOTES_REF}:{NOTES_REF}")], cleared).map_err(failed)?;
    for pushed in pushed {
        let is_behind = pushed.is_behind();
        if let PushStatus::Rejected { reason } = pushed.status {
            let refused = |reason| Error::Refused { remote: remote.to_owned(), reason };
            return if is_behind { Ok(Some(reason)) } else { Err(refused(reason)) };
        }
    }
    Ok(None)
}
