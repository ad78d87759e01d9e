//! `commit`: sign what changed below `.ai/`, then let stock git make a signed commit, then write its notes.
//!
//! Git does the committing: its hooks, editor and templates count, and other staged files are committed as usual.
//! Commit points, in order: each signed file, git's own, the move of `refs/notes/rye`. Killed in between, the next run
//! makes the missing notes. Before anything is staged, the tree of the commit is verified; where a hook of git changes it, the commit is
//! verified once more, and undone if it brings a finding.

mod error;
mod extras;
mod inspection;
mod made;
mod tree;

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

pub use self::error::Error;
pub use self::extras::Along;
use super::sign::{self, Item, Plan, Reach, Staging, changes, complete};
use crate::context::{INSPECTED_VARIABLE, PROVEN_VARIABLE};
use crate::git::{CommitId, Git, Head, Repository, Terminal};
use crate::keys::SignSocket;
use crate::process::{self, CancelFlag, find_program};
use crate::project::Project;
pub use crate::proof::{Proof, ProofError, Unverified};
use crate::proof::{Proven, prove};
use crate::redact::Cleared;
use crate::trust::{PublicKey, Signer};

/// What to commit.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The message, a paragraph each; without any git opens an editor.
    pub message: Vec<String>,
    /// Put the changes into the last commit.
    pub amend: bool,
    /// The secrets that may go in, each by the name that the refusal gives it.
    pub allow_secrets: Vec<String>,
    /// Files and folders, from the current folder; empty means the staged files, and every changed item.
    pub paths: Vec<String>,
}

/// A commit that was made.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// The commit.
    pub commit_id: CommitId,
    /// The full name of the branch it is on; none when `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The items in it whose content is new: signed now, or unchanged because they were signed before.
    pub items: Vec<Item>,
    /// Files that were taken along, from the top of the work tree.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub along: Vec<String>,
    /// Whether git may convert the line ends of signed files in other checkouts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub converts: bool,
    /// What is left to tell of its verification.
    #[serde(flatten)]
    pub proof: Proof,
    /// The notes commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes_commit_id: Option<CommitId>,
    /// Why there are no notes yet; the next commit or `notes sync` makes them.
    #[serde(skip)]
    pub notes_missing: Option<sign::Error>,
}

/// A commit that is ready to be made.
#[derive(Debug)]
pub struct Prepared<'a> {
    project: &'a Project,
    repository: Repository,
    options: &'a Options,
    paths: Vec<String>,
    plan: Plan,
    along: Along,
}

/// Looks at what a commit would take and sign; nothing is written.
///
/// # Errors
///
/// Fails where no commit can be made (inside a hook, a locked index, conflicts), and on items that are not valid.
pub fn prepare<'a>(project: &'a Project, options: &'a Options, own: Option<PublicKey>) -> Result<Prepared<'a>, Error> {
    project.root()?;
    let repository = project.require_repository()?;
    if project.context().variable("GIT_INDEX_FILE").is_some() {
        return Err(Error::InsideHook);
    }
    if let Some(path) = repository.index_lock() {
        return Err(Error::IndexLocked { path });
    }
    if repository.is_merging() && !options.paths.is_empty() {
        return Err(Error::PartOfMerge);
    }
    let paths = from_the_top(project, &options.paths)?;
    if let Some(path) = unknown(project, &repository, &paths)? {
        return Err(Error::Unknown { path: path.clone() });
    }
    let reach = if paths.is_empty() { Reach::All } else { Reach::Paths(&paths) };
    let mut plan = Plan::of(project, changes(project, reach)?, reach, own)?;
    check_line_ends(project, &repository, &plan)?;
    let along = extras::find(project, &repository, &paths)?;
    let failures = std::mem::take(&mut plan.failures);
    if failures.is_empty() {
        Ok(Prepared { project, repository, options, paths, plan, along })
    } else {
        Err(Error::Invalid { failures })
    }
}

/// Makes sure that git commits the bytes that are signed: what it stores with other line ends would not fit its signature.
fn check_line_ends(project: &Project, repository: &Repository, plan: &Plan) -> Result<(), Error> {
    let paths: Vec<&str> = plan.files_with_crlf().collect();
    if paths.is_empty() {
        return Ok(());
    }
    let attributes = git(project, repository)?.attributes(&paths, repository.converts_lines())?;
    match attributes.into_iter().find(|(_, attributes)| attributes.converts) {
        Some((path, _)) => Err(Error::Converted { path }),
        None => Ok(()),
    }
}

impl Prepared<'_> {
    /// Returns what would be signed.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns what the commit takes along.
    #[must_use]
    pub const fn along(&self) -> &Along {
        &self.along
    }

    /// Makes sure that there is anything to commit, and that git knows by whom, so that no key is made or opened for nothing.
    ///
    /// # Errors
    ///
    /// Fails when nothing is pending or staged, and when git has no name and address. Notes of the last commits are written then, where they are missing.
    pub fn check(&self) -> Result<(), Error> {
        let git = git(self.project, &self.repository)?;
        if self.plan.is_empty() && self.along.files.is_empty() {
            self.check_staged(&git)?;
        }
        Ok(git.check_identity()?)
    }

    fn check_staged(&self, git: &Git) -> Result<(), Error> {
        let what = self.what();
        let what: Vec<&str> = what.iter().map(String::as_str).collect();
        let may_be_empty = self.options.amend || self.repository.is_merging();
        if !may_be_empty && !git.would_commit(&what)? {
            return Err(Error::Nothing { noted: self.complete_notes()? });
        }
        Ok(())
    }

    /// Signs, stages and commits what was looked at, then writes the notes: whoever calls this has the person's yes to what is pending.
    ///
    /// # Errors
    ///
    /// Fails when something cannot be signed, written or staged, and when the commit would not verify, with files and index as they
    /// were; when there is nothing to commit, and when git makes no commit: items stay signed and staged then.
    pub fn commit(&self, cleared: &Cleared, signer: &dyn Signer, cancel: &CancelFlag) -> Result<Outcome, Error> {
        let git = git(self.project, &self.repository)?;
        // First: where it cannot be opened, nothing is signed.
        let socket = SignSocket::open(self.project.context())?;
        let mut proven = None;
        let items = self.plan.sign(self.project, &self.repository, signer, |staging| {
            proven = Some(self.prove(&git, staging, signer.public())?);
            self.stage(&git, staging)
        })?;
        self.check_staged(&git)?;
        let cleared = self.clear_again(&git, cleared)?;
        let before = self.repository.head()?;
        self.run_git(&git, &socket, &cleared, proven.as_ref(), (signer, cancel))?;
        let proof = match &proven {
            Some(proven) => self.prove_made(&git, &before, proven, (signer.public(), &cleared))?,
            None => Proof::default(),
        };
        let (commit_id, branch) = match self.repository.head()? {
            Head::Branch { name, commit_id } => (commit_id, Some(name)),
            Head::Detached { commit_id } => (commit_id, None),
            Head::Unborn { .. } => return Err(Error::Nothing { noted: false }),
        };
        let (notes_commit_id, notes_missing) = match complete(self.project, &self.repository, &commit_id) {
            Ok(made) => (made, None),
            Err(error) => (None, Some(error)),
        };
        let (along, converts) = (self.along.files.clone(), self.converts(&git, &items)?);
        Ok(Outcome { commit_id, branch, items, along, converts, proof, notes_commit_id, notes_missing })
    }

    /// Verifies what git is about to commit.
    fn prove(&self, git: &Git, staging: &Staging, key: PublicKey) -> Result<Proven, Error> {
        let (tree_id, parents) = (self.tree(git, staging)?, self.parents()?);
        let proof = prove((self.project, Some(key)), &self.repository, tree_id.clone(), parents.clone())?;
        Ok(Proven { tree_id, parents, proof })
    }

    fn stage(&self, git: &Git, staging: &Staging) -> Result<(), Error> {
        let along: Vec<&str> = self.along.files.iter().map(String::as_str).collect();
        if !along.is_empty() {
            git.add(&along)?;
        }
        Ok(staging.perform(git)?)
    }

    /// Tells whether git would convert the line ends of an item where `core.autocrlf` is set.
    fn converts(&self, git: &Git, items: &[Item]) -> Result<bool, Error> {
        let Some(item) = items.first().filter(|_| !self.along.keeps_bytes) else { return Ok(false) };
        Ok(git.attributes(&[&item.path], true)?.values().any(|attributes| attributes.converts))
    }

    /// Writes the notes of the last commits where a run was killed before it did.
    fn complete_notes(&self) -> Result<bool, Error> {
        let head = self.repository.head()?;
        let made = head.commit_id().map(|last| complete(self.project, &self.repository, last)).transpose()?;
        Ok(made.flatten().is_some())
    }

    fn run_git(
        &self,
        git: &Git,
        socket: &SignSocket,
        cleared: &Cleared,
        proven: Option<&Proven>,
        (signer, cancel): (&dyn Signer, &CancelFlag),
    ) -> Result<(), Error> {
        let what = self.what();
        let what: Vec<&str> = what.iter().map(String::as_str).collect();
        let config = socket.config(self.project.context().program());
        let config: Vec<(&str, &str)> = config.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let message = self.options.message.iter().flat_map(|paragraph| ["-m", paragraph]);
        let args: Vec<&str> = std::iter::once("--quiet").chain(message).chain(what).collect();
        // Asked once more: git would say so in its own words, before this program does.
        if let Some(path) = self.repository.index_lock() {
            return Err(Error::IndexLocked { path });
        }
        let before = self.repository.head()?;
        let mut git = git.clone();
        if !cleared.passed().is_empty() {
            // The hook has no flag that lets a secret through.
            git = git.with_variable(INSPECTED_VARIABLE, "1");
        }
        if let Some(proven) = proven {
            // The hook judges no tree twice.
            git = git.with_variable(PROVEN_VARIABLE, proven.tree_id.as_str());
        }
        match socket.serve(signer, || git.commit(&config, &args, cleared)) {
            // Git can be ended after its commit, by a signal while a hook runs.
            Err(_) if cancel.is_set() && self.repository.head()? == before => Err(Error::Stopped),
            Err(source) if self.repository.head()? == before => Err(match self.repository.index_lock() {
                Some(path) => Error::IndexLocked { path },
                None => Error::Refused { source },
            }),
            _ => Ok(()),
        }
    }

    /// Returns the arguments of `git commit` that say what goes in.
    fn what(&self) -> Vec<String> {
        let amend = self.options.amend.then(|| "--amend".to_owned());
        let only = (!self.paths.is_empty()).then(|| ["--only".to_owned(), "--".to_owned()]);
        let along = self.along.files.iter().filter(|_| !self.paths.is_empty());
        let paths = self.paths.iter().chain(along).map(|path| format!(":(top,literal){path}"));
        amend.into_iter().chain(only.into_iter().flatten()).chain(paths).collect()
    }
}

/// Returns the person's git, on the person's terminal.
fn git(project: &Project, repository: &Repository) -> Result<Git, Error> {
    let ctx = project.context();
    let path = ctx.variable("PATH").unwrap_or_default();
    let program = find_program("git", path, repository.work_dir().as_slice())?;
    Ok(Git::new(&program, repository, &ctx.environment_for_git())
        .with_terminal(Terminal::None)
        .waited_for_by(process::wait_passing_on))
}

/// Writes paths as they are from the top of the work tree.
///
/// # Errors
///
/// Fails on one that leads out of it.
pub fn from_the_top(project: &Project, paths: &[String]) -> Result<Vec<String>, Error> {
    let canonical = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let (root, here) = (canonical(project.root()?), canonical(project.context().current_dir()));
    let inside = |path: &String| {
        let plain = plain(&here.join(path));
        plain.strip_prefix(&root).ok().and_then(Path::to_str).map(str::to_owned)
    };
    paths.iter().map(|path| inside(path).ok_or_else(|| Error::Outside { path: path.clone() })).collect()
}

/// Returns the first path without changes: it has nothing to commit, and nothing that was removed.
fn unknown<'p>(project: &Project, repository: &Repository, paths: &'p [String]) -> Result<Option<&'p String>, Error> {
    let root = project.root()?;
    let head = repository.head()?.commit_id().cloned();
    for path in paths.iter().filter(|path| !path.is_empty()) {
        let is_here = root.join(path).symlink_metadata().is_ok();
        let was_here = || head.as_ref().map_or(Ok(false), |commit_id| repository.has_at(commit_id, path));
        if !is_here && !was_here()? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// Takes `.` and `..` out of an absolute path; the named file may be gone, so the file system is not asked.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
        plain
    })
}
