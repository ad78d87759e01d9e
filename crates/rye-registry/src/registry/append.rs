//! Adding lines to a registry: one commit, by compare-and-swap.
//!
//! The registry is fetched and checked, the lines are made on top of it, and git pushes the commit without force. If
//! another writer was faster, it begins again from the new state. Commit point: the move of the registry's branch, by
//! the git that takes the push. Killed before it, objects that nothing names are left in the mirror; killed after it,
//! the next fetch brings the published items.

use std::time::Duration;

use super::error::Error;
use super::layout::{BRANCH, Top};
use super::line::Entry;
use super::log::{Files, Log, extended};
use super::mirror::{Registry, Snapshot};
use crate::git::{CommitId, NewCommit, PushStatus, TreeEdit, Writer};
use crate::redact::{Cleared, Passed};
use crate::trust::Signer;

/// How often others may be faster before this gives up.
const ATTEMPTS: u32 = 64;

/// How long is waited at most before a further attempt, in milliseconds for each attempt before.
const WAIT: u64 = 25;
const MAX_WAIT: u64 = 600;

/// How often the registry may say that it has moved on, and be where it was.
const PATIENCE: u32 = 8;

/// What came of one attempt.
enum Attempt {
    Appended(Box<Appended>),
    /// Another writer was faster, or the branch is locked.
    Behind {
        reason: String,
    },
}

/// The planned addition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// What the new lines say, in order.
    pub entries: Vec<Entry>,
    /// The objects that they name: paths and bytes.
    pub objects: Vec<(String, Vec<u8>)>,
    /// The subject of the commit.
    pub message: String,
}

/// The addition.
#[derive(Debug)]
pub struct Appended {
    /// The places of the new lines in the log.
    pub seqs: Vec<u64>,
    /// The registry as it is now.
    pub snapshot: Snapshot,
}

impl Registry<'_> {
    /// Adds to the registry what `prepare` finds necessary; it is asked again whenever the registry has moved on.
    /// `None` if nothing is to be added. The additions are looked at for secrets, of which `passed` are let through.
    ///
    /// # Errors
    ///
    /// Fails with the error of `prepare`, when the registry cannot be reached, refuses the push or fails a check, and when
    /// the key does not sign.
    pub fn append<E: From<Error>>(
        &mut self,
        signer: &dyn Signer,
        passed: &Passed,
        mut prepare: impl FnMut(&Snapshot) -> Result<Addition, E>,
    ) -> Result<Option<Appended>, E> {
        let mut stuck: (Option<CommitId>, u32) = (None, 0);
        for attempt in 0..ATTEMPTS {
            self.pause(attempt)?;
            let snapshot = self.refresh()?;
            let addition = prepare(&snapshot)?;
            if addition.entries.is_empty() {
                return Ok(None);
            }
            let here = Some(snapshot.commit_id.clone());
            match self.try_append(&snapshot, &addition, passed, signer)? {
                Attempt::Appended(appended) => return Ok(Some(*appended)),
                // It says that it moved on, and did not: the lock of its branch was left by a program that died.
                Attempt::Behind { reason } if stuck.0 == here && stuck.1 >= PATIENCE => {
                    return Err(Error::Rejected { registry: self.known.name.clone(), reason }.into());
                }
                Attempt::Behind { .. } => stuck = (here.clone(), if stuck.0 == here { stuck.1 + 1 } else { 1 }),
            }
        }
        Err(Error::Contended { registry: self.known.name.clone(), attempts: ATTEMPTS }.into())
    }

    /// Makes one attempt.
    fn try_append(
        &self,
        snapshot: &Snapshot,
        addition: &Addition,
        passed: &Passed,
        signer: &dyn Signer,
    ) -> Result<Attempt, Error> {
        let name = &self.known.name;
        let made = extended(Ok(&snapshot.log), &addition.entries, self.ctx.now(), signer);
        let (files, seqs) = made.map_err(|error| Error::extend(name, error))?;
        let cleared = self.clear([snapshot.log.files(), &files], addition, passed)?;
        let mut writer = self.mirror.writer();
        let tree_id = self.mirror.tree_of(&snapshot.commit_id)?;
        let edits = edits(&mut writer, snapshot.top, [snapshot.log.files(), &files], &addition.objects)?;
        let committer = self.committer();
        let commit = NewCommit {
            tree_id: writer.tree(Some(&tree_id), &edits)?,
            parents: vec![snapshot.commit_id.clone()],
            author: committer.clone(),
            committer,
            message: format!("{}\n", addition.message),
        };
        let commit_id = writer.commit(&commit, None)?;
        writer.sync()?;
        // A pushed state passes the checks that every client will make.
        let before = Some(&snapshot.log.checkpoint().checkpoint);
        let log = Log::check(files, before, before).map_err(|fault| self.fault(fault))?;
        if let Some(reason) = self.push(&commit_id, &cleared)? {
            return Ok(Attempt::Behind { reason });
        }
        let snapshot = Snapshot { commit_id, log, top: snapshot.top };
        self.accept_all(&mut writer, &snapshot)?;
        Ok(Attempt::Appended(Box::new(Appended { seqs, snapshot })))
    }

    /// Looks for secrets in what is added.
    fn clear(&self, [before, after]: [&Files; 2], addition: &Addition, passed: &Passed) -> Result<Cleared, Error> {
        let mut inspector = self.ctx.inspector_after(passed)?;
        inspector.look("the message", None, addition.message.as_bytes());
        for (path, bytes) in after.iter().filter(|(path, bytes)| before.get(*path) != Some(*bytes)) {
            inspector.look(path, before.get(path).map(Vec::as_slice), bytes);
        }
        for (path, bytes) in &addition.objects {
            inspector.look(path, None, bytes);
        }
        Ok(inspector.finish()?)
    }

    /// Pushes a commit. Returns why the registry did not take it, if that may be because it has moved on.
    fn push(&self, commit_id: &CommitId, cleared: &Cleared) -> Result<Option<String>, Error> {
        let (registry, url) = (self.known.name.clone(), self.known.url.clone());
        let pushed = self.git.push(&url, &[&format!("{commit_id}:{BRANCH}")], cleared);
        let pushed = pushed
            .map_err(|source| Error::reach(&self.known, source, |source| Error::Push { registry, url, source }))?;
        for pushed in pushed {
            let is_behind = pushed.is_behind();
            if let PushStatus::Rejected { reason } = pushed.status {
                return if is_behind { Ok(Some(reason)) } else { Err(Error::rejected(&self.known, reason)) };
            }
        }
        Ok(None)
    }

    /// Waits before a further attempt, each program for another time.
    fn pause(&self, attempt: u32) -> Result<(), Error> {
        if attempt == 0 {
            return Ok(());
        }
        let [low, high] = self.ctx.random::<2>()?;
        let share = u64::from(u16::from_le_bytes([low, high])) ^ u64::from(std::process::id() & 0xffff);
        let most = (WAIT * u64::from(attempt)).min(MAX_WAIT);
        std::thread::sleep(Duration::from_millis(share * most / 0xffff));
        Ok(())
    }
}

/// Returns what makes one set of files of another, blobs written.
pub(super) fn edits(
    writer: &mut Writer<'_>,
    top: Top,
    [before, after]: [&Files; 2],
    objects: &[(String, Vec<u8>)],
) -> Result<Vec<TreeEdit>, Error> {
    let gone = before.keys().filter(|path| !after.contains_key(*path));
    let mut edits: Vec<TreeEdit> = gone.map(|path| TreeEdit::Remove { path: top.in_tree(path) }).collect();
    let changed = after.iter().filter(|(path, bytes)| before.get(*path) != Some(bytes));
    let objects = objects.iter().map(|(path, bytes)| (path, bytes));
    for (path, bytes) in changed.chain(objects) {
        let blob_id = writer.blob(bytes)?;
        edits.push(TreeEdit::Upsert { path: top.in_tree(path), executable: false, blob_id });
    }
    Ok(edits)
}
