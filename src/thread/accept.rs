//! Accepting a thread: what it changed, brought onto the person's branch as one commit of theirs.
//!
//! Three-way, from the thread's first tree: git's own `cherry-pick --no-commit` of a commit that has the thread's changes and
//! nothing of its record. A path that the person is at work on is refused, unless it is as the thread's first tree had it
//! (`--with-changes`): then it is changed and not committed. What runs code on the person's machine is left out unless it is
//! asked for.
//!
//! Commit point: git's own, when the commit is made. Before it a note in the git folder ([`Pending`]) names what is being
//! brought over; whoever accepts next takes it back first. A refused or failed accept takes it back itself.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::record::{Outcome, Status};
use super::report;
use crate::capability::{ProjectPath, runs_code};
use crate::git::{
    self, CommitId, Git, Mode, NewCommit, Repository, Signature, Terminal, TreeChange, TreeEdit, TreeEntry,
};
use crate::id::{SPACE_FOLDER, ThreadId};
use crate::ops::locate::Session;
use crate::process::find_program;
use crate::workspace::{ProjectDir, replace_file};

/// The most files that a thread's tree may hold.
const MAX_ENTRIES: usize = 2_000_000;

/// What to accept.
#[derive(Debug, Clone)]
pub struct AcceptOptions {
    /// The thread.
    pub thread_id: ThreadId,
    /// Files and folders, from the top of the work tree; none of them means all that the thread changed.
    pub paths: Vec<String>,
    /// Whether to take files that run code on the person's machine.
    pub with_code: bool,
}

/// What accepting a thread would do.
#[derive(Debug, Serialize)]
pub struct Acceptance {
    /// The thread.
    #[serde(skip)]
    pub thread: Outcome,
    /// The paths that the commit takes.
    pub paths: Vec<String>,
    /// Paths that are changed and not committed: the thread began with the person's uncommitted work there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uncommitted: Vec<String>,
    /// Paths whose content runs code on the person's machine, and that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    #[serde(skip)]
    first: CommitId,
    #[serde(skip)]
    changes: BTreeMap<String, TreeChange>,
}

/// What is being brought over, as a file in the git folder says it.
#[derive(Debug, Serialize, Deserialize)]
struct Pending {
    v: u32,
    thread_id: ThreadId,
    head: CommitId,
    /// Each path, with the content that the thread left there; none where it removed the file.
    paths: BTreeMap<String, Option<git::BlobId>>,
}

/// Looks at what accepting a thread would do; nothing is written.
///
/// # Errors
///
/// Fails while the thread runs, when it changed nothing that is asked for, and when the person is at work on one of the
/// paths.
pub fn acceptance(session: &Session, options: &AcceptOptions) -> Result<Acceptance, Error> {
    let repository = session.require_repository()?;
    let thread = report::show(session, &options.thread_id)?;
    if thread.status == Status::Running {
        return Err(Error::Running { thread_id: thread.thread_id });
    }
    let first = first_commit(&repository, &thread)?;
    let is_meant = |path: &str| options.paths.is_empty() || options.paths.iter().any(|meant| lies_in(path, meant));
    let changes = changed(&repository, &first, &thread.commit_id)?;
    let changes = changes.into_iter().filter(|change| is_meant(&change.path));
    let mut changes: BTreeMap<String, TreeChange> = changes.map(|change| (change.path.clone(), change)).collect();
    let mut left_out = Vec::new();
    if !options.with_code {
        left_out = changes.keys().filter(|path| is_code(path)).cloned().collect();
        changes.retain(|path, _| !left_out.contains(path));
    }
    let (mut uncommitted, mut dirty) = (Vec::new(), Vec::new());
    for path in repository.dirty_paths()? {
        match changes.get(&path) {
            None => {}
            Some(change) if is_as(session, &repository, change.before.as_ref(), &path)? => uncommitted.push(path),
            Some(_) => dirty.push(path),
        }
    }
    if !dirty.is_empty() {
        return Err(Error::Dirty { paths: dirty });
    }
    let paths: Vec<String> = changes.keys().filter(|path| !uncommitted.contains(path)).cloned().collect();
    if paths.is_empty() && uncommitted.is_empty() {
        return Err(Error::NothingToAccept { thread_id: thread.thread_id, left_out });
    }
    Ok(Acceptance { thread, paths, uncommitted, left_out, first, changes })
}

impl Acceptance {
    /// Returns the message of the commit.
    #[must_use]
    pub fn message(&self, given: &[String]) -> Vec<String> {
        let Outcome { thread_id, directive, model, commit_id, .. } = &self.thread;
        let own = [format!("Accept what {directive} did")];
        let trailers = format!(
            "Rye-Thread: {thread_id}\nRye-Directive: {directive}\nRye-Model: {model}\nRye-Accepted: {commit_id}"
        );
        let paragraphs = if given.is_empty() { &own[..] } else { given };
        paragraphs.iter().cloned().chain([trailers]).collect()
    }

    /// Brings the changes of [`Acceptance::paths`] into the person's files and index, to be committed.
    ///
    /// # Errors
    ///
    /// Fails, with everything as it was, when git cannot apply them. With conflicts the files stay as git leaves them.
    pub fn apply(&self, session: &Session) -> Result<(), Error> {
        let repository = session.require_repository()?;
        let Some(head) = repository.head()?.commit_id().cloned() else { return Err(Error::AcceptUnborn) };
        let picked = self.commit_to_pick(&repository)?;
        let content = |path: &String| {
            let after = self.changes.get(path).and_then(|change| change.after.as_ref());
            (path.clone(), after.map(|entry| entry.blob_id.clone()))
        };
        let pending = Pending {
            v: 1,
            thread_id: self.thread.thread_id.clone(),
            head,
            paths: self.paths.iter().map(content).collect(),
        };
        pending.write(&repository)?;
        if person_git(session, &repository)?.cherry_pick(&picked)? {
            return Ok(());
        }
        forget(&repository)?;
        Err(Error::Conflicts { thread_id: self.thread.thread_id.clone() })
    }

    /// Ends an accept whose commit is made: writes what stays uncommitted.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be written; the commit stays.
    pub fn finish(&self, session: &Session) -> Result<(), Error> {
        let repository = session.require_repository()?;
        forget(&repository)?;
        let root = session.project_root()?;
        let project = ProjectDir::open(root)?;
        for path in &self.uncommitted {
            let after = self.changes.get(path).and_then(|change| change.after.as_ref());
            match after {
                Some(entry) => {
                    let Ok(path) = path.parse::<ProjectPath>() else { continue };
                    project.write(&path, &repository.blob(&entry.blob_id)?, true)?;
                    project.set_executable(&path, entry.mode == Mode::Executable)?;
                }
                None => {
                    let file = root.join(path);
                    fs::remove_file(&file).map_err(|source| Error::Tree { path: file, source })?;
                }
            }
        }
        Ok(())
    }

    /// Takes back what [`Acceptance::apply`] did.
    ///
    /// # Errors
    ///
    /// Fails when git cannot restore the files.
    pub fn take_back(&self, session: &Session) -> Result<(), Error> {
        let repository = session.require_repository()?;
        restore(session, &repository, self.paths.iter())?;
        forget(&repository)
    }

    /// Writes a commit of the thread's first tree with the changes that are taken, and no others.
    fn commit_to_pick(&self, repository: &Repository) -> Result<CommitId, Error> {
        let edit = |path: &String| {
            let change = self.changes.get(path)?;
            Some(match &change.after {
                Some(TreeEntry { mode, blob_id, .. }) => {
                    let executable = *mode == Mode::Executable;
                    TreeEdit::Upsert { path: path.clone(), executable, blob_id: blob_id.clone() }
                }
                None => TreeEdit::Remove { path: path.clone() },
            })
        };
        let edits: Vec<TreeEdit> = self.paths.iter().filter_map(edit).collect();
        let mut writer = repository.writer();
        let tree_id = writer.tree(Some(&repository.tree_of(&self.first)?), &edits)?;
        let nobody = Signature::new("rye", "rye@localhost", 0);
        let (parents, message) = (vec![self.first.clone()], self.message(&[]).join("\n\n"));
        Ok(writer.commit(&NewCommit { tree_id, parents, author: nobody.clone(), committer: nobody, message }, None)?)
    }
}

/// Takes back an accept that was cut short before its commit. A file that was changed since is left as it is.
///
/// # Errors
///
/// Fails when a file was changed since, or git cannot restore the others.
pub fn recover_accept(session: &Session) -> Result<(), Error> {
    let repository = session.require_repository()?;
    let Some(pending) = Pending::read(&repository)? else { return Ok(()) };
    let head = repository.head()?.commit_id().cloned();
    if head.as_ref() == Some(&pending.head) {
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for (path, after) in &pending.paths {
            let here = read(session, path)?.map(|bytes| repository.blob_id_of(&bytes));
            let before = repository.entry_at(&pending.head, path)?.map(|entry| entry.blob_id);
            if here == before || here == *after { ours.push(path) } else { others.push(path.clone()) }
        }
        if !others.is_empty() {
            return Err(Error::AcceptCutShort { thread_id: pending.thread_id, paths: others });
        }
        restore(session, &repository, ours.into_iter())?;
    }
    forget(&repository)
}

impl Pending {
    fn path(repository: &Repository) -> PathBuf {
        repository.git_dir().join("rye-accept.json")
    }

    fn read(repository: &Repository) -> Result<Option<Self>, Error> {
        let path = Self::path(repository);
        match fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::Log { path, source }),
            Ok(bytes) => {
                serde_json::from_slice(&bytes).map(Some).map_err(|source| Error::Log { path, source: source.into() })
            }
        }
    }

    fn write(&self, repository: &Repository) -> Result<(), Error> {
        let bytes = serde_json::to_vec(self).map_err(Error::Encode)?;
        Ok(replace_file(&Self::path(repository), &bytes)?)
    }
}

/// Removes the note of a pending accept.
fn forget(repository: &Repository) -> Result<(), Error> {
    let path = Pending::path(repository);
    match fs::remove_file(&path) {
        Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::Log { path, source }),
        _ => Ok(()),
    }
}

/// Makes paths what `HEAD` has, in the index and in the work tree; what neither has is removed.
fn restore<'p>(
    session: &Session,
    repository: &Repository,
    paths: impl Iterator<Item = &'p String>,
) -> Result<(), Error> {
    let git = person_git(session, repository)?;
    let known: Vec<&str> = paths.map(String::as_str).collect();
    let staged = repository.staged_below("", None)?;
    let head = repository.head()?.commit_id().cloned();
    let mut there = Vec::new();
    let root = session.project_root()?;
    for path in known {
        let in_head = match &head {
            Some(head) => repository.entry_at(head, path)?.is_some(),
            None => false,
        };
        if in_head || staged.iter().any(|entry| entry.path == path) {
            there.push(path);
        } else {
            match fs::remove_file(root.join(path)) {
                Err(source) if source.kind() != ErrorKind::NotFound => {
                    return Err(Error::Tree { path: root.join(path), source });
                }
                _ => {}
            }
        }
    }
    if !there.is_empty() {
        git.restore(&there)?;
    }
    Ok(())
}

/// Lists what differs between two commits, without the record of threads.
pub(super) fn changed(repository: &Repository, from: &CommitId, to: &CommitId) -> Result<Vec<TreeChange>, Error> {
    let own = format!("{SPACE_FOLDER}/threads/");
    let changes = repository.changes_below(std::slice::from_ref(from), to, "", MAX_ENTRIES)?;
    Ok(changes.into_iter().filter(|change| !change.path.starts_with(&own)).collect())
}

/// Returns the commit with the thread's first tree: the first of its own.
pub(super) fn first_commit(repository: &Repository, thread: &Outcome) -> Result<CommitId, Error> {
    let mut commit_id = thread.commit_id.clone();
    loop {
        match repository.commit_info(&commit_id)?.parents.first() {
            Some(parent) if thread.base.as_ref() != Some(parent) => commit_id = parent.clone(),
            _ => return Ok(commit_id),
        }
    }
}

/// Tells whether the person's file is as an entry has it.
fn is_as(session: &Session, repository: &Repository, entry: Option<&TreeEntry>, path: &str) -> Result<bool, Error> {
    let here = read(session, path)?;
    Ok(match (entry, here) {
        (Some(entry), Some(bytes)) => repository.blob_id_of(&bytes) == entry.blob_id,
        (None, None) => true,
        _ => false,
    })
}

/// Reads a file of the person's; none if there is none.
fn read(session: &Session, path: &str) -> Result<Option<Vec<u8>>, Error> {
    let file = session.project_root()?.join(path);
    match fs::symlink_metadata(&file) {
        Ok(found) if found.is_file() => fs::read(&file).map(Some).map_err(|source| Error::Tree { path: file, source }),
        _ => Ok(None),
    }
}

/// Returns the person's git, which asks nothing.
pub(super) fn person_git(session: &Session, repository: &Repository) -> Result<Git, Error> {
    let ctx = session.context();
    let program = find_program("git", ctx.variable("PATH").unwrap_or_default(), repository.work_dir())?;
    Ok(Git::new(&program, repository, ctx.whole_environment()).with_terminal(Terminal::None))
}

fn is_code(path: &str) -> bool {
    path.parse::<ProjectPath>().is_ok_and(|path| runs_code(&path))
}

fn lies_in(path: &str, folder: &str) -> bool {
    folder.is_empty() || path == folder || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}
