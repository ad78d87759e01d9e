//! Accepting what a thread changed: one commit of the person's on their branch, and the same in their work tree.
//!
//! Order: everything is looked at first (`commits`, `survey`, `merge`) and may be refused; nothing of the person's has changed
//! by then. Then items are signed, a second index is made (`stage`), everything is checked against the person's consent
//! (`agreement`), and the journal is written (`journal`). Now files change, each by compare-and-swap; the hooks run; the
//! commit is made; the person's next index is prepared, whose lock is held from then on. **Commit point: the move of
//! `HEAD`**, by compare-and-swap. Before it a failure undoes the files (`undo`); after it the next index is only
//! renamed into its place. Killed in between, the next accept does the rest: undoes or finishes. With conflicts
//! (`--merge`) there is no commit, and the commit point is the rename of the index.
//!
//! Uncommitted work of the person is never read into the commit, and a file is replaced only if its content is
//! unchanged.

mod agreement;
mod commits;
mod error;
mod inspection;
mod journal;
mod lock;
mod merge;
mod message;
mod performance;
mod plan;
mod stage;
mod survey;
mod undo;

pub use agreement::{ByHook, HookDid};
pub use error::{Error, Moved, StuckFile};
pub use performance::Accepted;
pub use plan::{AcceptOptions, Acceptance, Becomes, Conflict, ConflictKind, InTheWay, LeftOut, Obstacle, Taken, Why};
pub use undo::Recovered;

use std::fs;

use self::lock::Lock;
use self::performance::Performance;
use self::survey::{Survey, Surveyor};
use super::error as threads;
use crate::error::with_causes;
use crate::git::{Git, Repository};
use crate::id::ThreadId;
use crate::locate::subject_at;
use crate::process::CancelFlag;
use crate::redact::Passed;
use crate::session::Session;
use crate::sign::TakenItem;
use crate::thread::record::{Status, state};
use crate::thread::tree::difference::{changed, person_git};
use crate::trust::Signer;
use crate::workspace::ProjectDir;

/// Tells whether an accept of a thread was cut short in any of the repository's work trees, and is still unsettled.
pub(super) fn is_cut_short(repository: &Repository, thread_id: &ThreadId) -> bool {
    let common = repository.common_dir();
    let linked = fs::read_dir(common.join("worktrees")).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut git_dirs = linked.chain([common.to_path_buf()]);
    git_dirs.any(|git_dir| journal::may_be_of(&git_dir, thread_id))
}

/// An accept that has begun: it holds the repository's lock.
#[derive(Debug)]
pub struct Accepting<'s> {
    session: &'s Session,
    repository: Repository,
    git: Git,
    project: ProjectDir,
    _lock: Lock,
}

impl<'s> Accepting<'s> {
    /// Takes the lock, and finishes or undoes what an accept in this work tree left that was cut short.
    ///
    /// # Errors
    ///
    /// Fails outside of a work tree and while another accept is at work.
    pub fn begin(session: &'s Session, thread_id: &ThreadId) -> Result<(Self, Option<Recovered>), Error> {
        let root = session.project().root()?;
        let repository = session.project().require_repository()?;
        repository.require_work_dir()?;
        let lock = Lock::take(repository.common_dir(), thread_id)?;
        let git = person_git(session, &repository)?.with_guard(lock.share()?);
        let project = session.project().open_files(root)?;
        let recovered = undo::recover(&repository, &git, &project)?;
        Ok((Self { session, repository, git, project, _lock: lock }, recovered))
    }

    /// Looks at what accepting a thread would do; nothing of the person's changes.
    ///
    /// # Errors
    ///
    /// Fails while the thread runs, when its commits are not verified, when something of the person's is in the way, and on
    /// conflicts, unless these are to be left in the work tree.
    pub fn plan(&self, options: &AcceptOptions) -> Result<Acceptance, Error> {
        let thread = state::show(self.session, &options.thread)?;
        if thread.status == Status::Running {
            return Err(threads::Error::Running { thread_id: thread.thread_id }.into());
        }
        let conflicts = self.repository.has_conflicts()?.then_some("merge with conflicts");
        if let Some(what) = self.repository.unfinished().or(conflicts) {
            return Err(Error::Unfinished { what });
        }
        // `--merge` commits nothing.
        if !options.merge {
            self.git.check_identity()?;
        }
        let first = commits::verified(self.session, &self.repository, &thread)?;
        let changes = changed(&self.repository, &first, &thread.commit_id)?;
        let head = self.repository.head()?;
        let folder = stage::merging(&self.repository);
        fs::create_dir_all(&folder).map_err(|source| Error::Journal { path: folder.clone(), source })?;
        let surveyor = Surveyor {
            session: self.session,
            repository: &self.repository,
            git: &self.git,
            project: &self.project,
            folder: &folder,
            head: head.commit_id(),
            thread: &thread,
            options,
        };
        let survey = surveyor.survey(changes);
        stage::clear(&self.repository)?;
        let Survey { steps, indexed, left_out, conflicts, obstacles } = survey?;
        if !obstacles.is_empty() {
            return Err(Error::InTheWay { obstacles });
        }
        if !conflicts.is_empty() && !options.merge {
            let (name, range) = (thread.name(), [first, thread.commit_id]);
            return Err(Error::Conflicts { thread: name, conflicts, range });
        }
        let message = options.message.clone();
        let agreed = plan::Agreed { head, indexed };
        let mut acceptance = Acceptance {
            thread,
            first,
            agreed,
            steps,
            items: Vec::new(),
            message,
            left_out,
            conflicts,
            passed: Passed::default(),
        };
        self.take_items(&mut acceptance)?;
        // An empty message is refused before any question.
        let message = message::message(&self.git, &acceptance)?;
        acceptance.passed =
            inspection::clear(self.session, &acceptance, &message, &options.allow_secrets)?.passed().clone();
        Ok(acceptance)
    }

    /// Does it; the caller has the person's consent.
    ///
    /// # Errors
    ///
    /// Fails, with everything as it was, when an item cannot be signed, when a file changed since, when a hook refuses, when `HEAD`
    /// moved, and when the person stops it.
    pub fn perform(&self, acceptance: Acceptance, signer: &dyn Signer, cancel: &CancelFlag) -> Result<Accepted, Error> {
        let Self { session, repository, git, project, .. } = self;
        Performance { session, repository, git, project, signer, cancel }.run(acceptance)
    }

    /// Sorts out the items: those to be signed by the person, and those that cannot be.
    fn take_items(&self, acceptance: &mut Acceptance) -> Result<(), Error> {
        let root = self.session.project().root()?;
        let mut left_out = Vec::new();
        for step in &acceptance.steps {
            let path = step.path.as_str();
            let (Some(subject), Some(after)) = (subject_at(path), &step.after) else { continue };
            let (reason, detail) = if acceptance.conflicts.is_empty() {
                let read = |version: &Option<plan::Version>| {
                    version.as_ref().map(|(_, blob_id)| self.repository.blob(blob_id)).transpose()
                };
                let versions = [read(&step.before)?, Some(self.repository.blob(&after.1)?)];
                match TakenItem::new(root, path, &subject, versions, &acceptance.thread.branch) {
                    Ok(item) => {
                        acceptance.items.push(item);
                        continue;
                    }
                    Err(error) => (Why::InvalidItem, Some(with_causes(&error))),
                }
            } else {
                (Why::ItemDuringMerge, None)
            };
            left_out.push(LeftOut { path: path.to_owned(), reason, detail });
        }
        acceptance.steps.retain(|step| !left_out.iter().any(|left| left.path == step.path.as_str()));
        acceptance.left_out.append(&mut left_out);
        Ok(())
    }
}
