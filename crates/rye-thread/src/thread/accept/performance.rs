//! The writing part of an accept, in the order that `mod.rs` and docs/durability.md give.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::agreement::ByHook;
use super::error::{Error, StuckFile};
use super::inspection::clear_tree;
use super::journal::{Journal, other_name};
use super::message::message;
use super::plan::{Acceptance, Conflict, LeftOut, Step, Taken};
use super::{stage, undo};
use crate::context::INSPECTED_VARIABLE;
use crate::git::{self, CommitId, Git, NextIndex, Repository, TreeId};
use crate::id::ThreadId;
use crate::keys::SignSocket;
use crate::process::{CancelFlag, wait_ending};
use crate::session::Session;
use crate::sign::{self, Item, complete};
use crate::trust::Signer;
use crate::workspace::{self, Held, ProjectDir};

/// The accepted changes.
#[derive(Debug, Serialize)]
pub struct Accepted {
    /// The thread.
    pub thread_id: ThreadId,
    /// The commit; none where nothing is committed.
    pub commit_id: Option<CommitId>,
    /// The full name of the branch it is on; none when `HEAD` is detached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The taken changes.
    pub taken: Vec<Taken>,
    /// The omitted changes.
    pub left_out: Vec<LeftOut>,
    /// The conflicts to resolve.
    pub conflicts: Vec<Conflict>,
    /// What hooks changed of the commit.
    pub by_hooks: Vec<ByHook>,
    /// The items that were signed.
    pub items: Vec<Item>,
    /// Why the person's index is not set yet; the next accept does it.
    #[serde(skip)]
    pub index_missing: Option<Error>,
    /// Why there are no notes yet; the next commit or `notes sync` makes them.
    #[serde(skip)]
    pub notes_missing: Option<sign::Error>,
}

/// The needs of the work.
pub(super) struct Performance<'a> {
    pub(super) session: &'a Session,
    pub(super) repository: &'a Repository,
    pub(super) git: &'a Git,
    pub(super) project: &'a ProjectDir,
    pub(super) signer: &'a dyn Signer,
    pub(super) cancel: &'a CancelFlag,
}

impl Performance<'_> {
    /// Does it, and leaves no index behind.
    pub(super) fn run(&self, acceptance: Acceptance) -> Result<Accepted, Error> {
        let accepted = self.accept(acceptance);
        // The next accept removes leftovers.
        let _ = stage::clear(self.repository);
        accepted
    }

    fn accept(&self, mut acceptance: Acceptance) -> Result<Accepted, Error> {
        if acceptance.steps.iter().any(|step| step.committed) {
            self.repository.check_index_lock()?;
        }
        let items = self.sign(&mut acceptance)?;
        let head = acceptance.agreed.head.commit_id().cloned();
        let is_commit = acceptance.conflicts.is_empty() && acceptance.steps.iter().any(|step| step.committed);
        let index = match is_commit {
            true => Some(stage::private(self.repository, self.git, head.as_ref(), &acceptance.steps)?),
            false => None,
        };
        self.stop_if_asked()?;
        acceptance.agreed.check(self.repository, self.project, &acceptance.steps)?;
        let git_dir = self.repository.git_dir();
        let text = message(self.git, &acceptance)?;
        let journal = Journal::begin(
            git_dir,
            acceptance.thread_id(),
            head.as_ref(),
            &String::from_utf8_lossy(&text),
            &acceptance.steps,
        )?;
        let mut written = 0;
        let done = self.write_files(&acceptance.steps, &mut written).and_then(|()| match &index {
            Some(index) => self.commit(&acceptance, index, &text, &journal).map(Some),
            None => self.leave(&acceptance).map(|()| None),
        });
        let (commit_id, next) = match done {
            Ok(committed) => committed.unzip(),
            Err(error) => return Err(self.take_back(&acceptance, written, &journal, error)),
        };
        // From here on it is accepted, whatever fails.
        let staged = match next {
            Some(next) => next.finish().map_err(Error::Git),
            None if acceptance.conflicts.is_empty() => Ok(()),
            None => stage::merge_message(self.repository, &text),
        };
        let index_missing = staged.and_then(|()| journal.end()).err();
        let mut notes_missing = None;
        let mut by_hooks = Vec::new();
        if let Some(commit_id) = &commit_id {
            // Git does not mind how it ends, either.
            let _ = self.git.hook("post-commit", &[]);
            by_hooks = acceptance.agreed.by_hooks(self.repository, commit_id, &acceptance.steps).unwrap_or_default();
            notes_missing = complete(self.session.project(), self.repository, commit_id).err();
        }
        Ok(Accepted {
            thread_id: acceptance.thread_id().clone(),
            branch: acceptance.branch().map(str::to_owned).filter(|_| commit_id.is_some()),
            commit_id,
            taken: acceptance.taken(),
            left_out: acceptance.left_out,
            conflicts: acceptance.conflicts,
            by_hooks,
            items,
            index_missing,
            notes_missing,
        })
    }

    /// Makes every signature before anything else is written.
    fn sign(&self, acceptance: &mut Acceptance) -> Result<Vec<Item>, Error> {
        let (mut items, mut writer) = (Vec::new(), self.repository.writer());
        for taken in &acceptance.items {
            let (bytes, item) = taken.sign(self.signer, self.session.context().now())?;
            let step = acceptance.steps.iter_mut().find(|step| step.path.as_str() == taken.path());
            if let Some(Step { after: Some((_, blob_id)), to: Held::File { bytes: there, .. }, .. }) = step {
                *blob_id = writer.blob(&bytes)?;
                *there = bytes;
            }
            items.push(item);
        }
        writer.sync()?;
        Ok(items)
    }

    /// Changes the files, and counts the steps that are done.
    fn write_files(&self, steps: &[Step], written: &mut usize) -> Result<(), Error> {
        for (number, step) in steps.iter().enumerate().filter(|(_, step)| step.from != step.to) {
            self.stop_if_asked()?;
            let swapped = self.project.swap(&step.path, &step.from, &step.to, &other_name(number));
            // A failed step may be done all the same, and not flushed.
            let is_done = !matches!(swapped, Err(workspace::Error::ChangedMeanwhile { .. }));
            *written = if is_done { number + 1 } else { number };
            swapped?;
        }
        Ok(())
    }

    /// Runs the hooks, makes the commit, prepares the person's next index under git's lock, and moves `HEAD`.
    fn commit(
        &self,
        acceptance: &Acceptance,
        index: &Path,
        text: &[u8],
        journal: &Journal,
    ) -> Result<(CommitId, NextIndex), Error> {
        let refused = |source| self.refused(source);
        let mut git = self.git.clone().with_index_file(index).waited_for_by(wait_ending);
        if !acceptance.passed.is_empty() {
            // The hook has no flag that lets a secret through.
            git = git.with_variable(INSPECTED_VARIABLE, "1");
        }
        let head = acceptance.agreed.head.commit_id();
        git.hook("pre-commit", &[]).map_err(refused)?;
        let tree_id = git.write_tree().map_err(refused)?;
        if self.is_as_before(head, &tree_id)? {
            return Err(Error::nothing(acceptance));
        }
        let cleared = clear_tree(self.session, (self.repository, &git), &acceptance.passed, head, &tree_id)?;
        let message = self.message(text, &git)?;
        let socket = SignSocket::open(self.session.context())?;
        let config = socket.config(self.session.context().program());
        let config: Vec<(&str, &str)> = config.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let make = || git.commit_tree(&config, &tree_id, head, &message);
        let commit_id = socket.serve(self.signer, make).map_err(refused)?;
        journal.note_commit(&commit_id)?;
        self.stop_if_asked()?;
        let subject = String::from_utf8_lossy(&message).lines().next().unwrap_or_default().to_owned();
        let next = stage::commit(self.repository, self.git, head, &commit_id)?;
        acceptance.agreed.check_head(self.repository)?;
        let moved =
            self.git.move_head(&acceptance.agreed.head, &commit_id, &format!("commit (accept): {subject}"), &cleared);
        moved.map_err(|source| match acceptance.agreed.check_head(self.repository) {
            Err(moved @ Error::Moved { .. }) => moved,
            _ => refused(source),
        })?;
        Ok((commit_id, next))
    }

    /// Has the hooks look at the message, in the file that they know.
    fn message(&self, text: &[u8], git: &Git) -> Result<Vec<u8>, Error> {
        let path = self.repository.git_dir().join("COMMIT_EDITMSG");
        let failed = |source| Error::Journal { path: path.clone(), source };
        let shown = path.display().to_string();
        fs::write(&path, text).map_err(failed)?;
        git.hook("prepare-commit-msg", &[&shown, "message"]).map_err(|source| self.refused(source))?;
        git.hook("commit-msg", &[&shown]).map_err(|source| self.refused(source))?;
        let message = git.clean_message(&fs::read(&path).map_err(failed)?)?;
        if message.is_empty() { Err(Error::NoMessage) } else { Ok(message) }
    }

    /// Leaves conflicts, as git leaves them; without conflicts, only files are written.
    fn leave(&self, acceptance: &Acceptance) -> Result<(), Error> {
        if acceptance.conflicts.is_empty() {
            return Ok(());
        }
        stage::conflicts(self.repository, self.git, &acceptance.steps)
    }

    fn is_as_before(&self, head: Option<&CommitId>, tree_id: &TreeId) -> Result<bool, Error> {
        Ok(match head {
            Some(head) => self.repository.tree_of(head)? == *tree_id,
            None => false,
        })
    }

    /// Undoes the writes, and returns the error.
    fn take_back(&self, acceptance: &Acceptance, written: usize, journal: &Journal, reason: Error) -> Error {
        let steps = &acceptance.steps[..written];
        let undone = undo::undo(self.repository, self.project, steps).and_then(|kept| {
            journal.end()?;
            Ok(kept)
        });
        match undone {
            Ok(kept) if kept.is_empty() => reason,
            Ok(kept) => {
                let stuck = kept.iter().map(|kept| self.stuck(acceptance, &steps[kept.step], kept.is_staged));
                Error::stuck(stuck.collect(), reason)
            }
            // The journal stays, and with it the next accept's chance.
            Err(error) => error,
        }
    }

    /// Says where the person's version of a file is that was not taken back.
    fn stuck(&self, acceptance: &Acceptance, step: &Step, is_staged: bool) -> StuckFile {
        let path = step.path.to_string();
        let revision = match (&step.from, step.committed) {
            (Held::Nothing, _) => None,
            (_, true) => Some("HEAD".to_owned()),
            // The thread began with it.
            (_, false) => Some(acceptance.first.to_string()),
        };
        let is_at_top = self.repository.work_dir() == Some(self.session.context().current_dir());
        let pathspec = match (path.contains(['*', '?', '[', '\\']) || path.starts_with(':'), is_at_top) {
            (true, _) => format!(":(top,literal){path}"),
            (false, true) => path.clone(),
            (false, false) => format!(":/{path}"),
        };
        StuckFile { path, pathspec, revision, is_staged }
    }

    /// Says why no commit was made: a hook or git that a signal ended did not refuse.
    fn refused(&self, source: git::Error) -> Error {
        if self.cancel.is_set() { Error::Stopped } else { Error::Refused { source } }
    }

    fn stop_if_asked(&self) -> Result<(), Error> {
        if self.cancel.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }
}
