//! A commit of a record: the tokens must permit its changes, and its bytes must equal the derived ones.

use std::collections::BTreeMap;

use serde_json::Value;

use super::answers::{Answers, Depth};
use super::comparison;
use super::difference::Stop;
use crate::capability::{Access, ProjectPath, check_path};
use crate::event::EventData;
use crate::git::{Mode, TreeChange, TreeEdit};
use crate::thread::record::{Addition, Record, branch};
use crate::thread::run::{Step, is_abridged, is_shown_of};

/// The most entries of a tree that are looked at.
const MOST_ENTRIES: usize = 2_000_000;

impl Answers<'_> {
    /// Derives the commit and compares it, if commits are compared.
    pub(super) fn compare(&mut self, record: &Record, step: Step<'_>) -> Result<(), Stop> {
        if self.depth == Depth::Events {
            return Ok(());
        }
        let commit = self.present();
        let addition = Addition {
            turn: step.turn,
            events: step.events,
            files: BTreeMap::new(),
            edits: self.changes(step.is_first)?,
            artifacts: std::mem::take(&mut self.artifacts),
            tokens: if step.is_first { Some(&self.segment.tokens) } else { self.reissued.as_deref() },
            setup: step.is_first.then_some(&self.segment.setup),
            transcript: step.transcript,
            now: crate::id::Timestamp::from_milliseconds(commit.info.committer.seconds.saturating_mul(1000)),
        };
        let (new, payload) = self.branch.derive(record, addition)?;
        let signed = commit.info.signature.as_ref().map(|signature| signature.payload.as_slice());
        let is_same = match signed {
            Some(signed) => signed == payload,
            None => is_same(&new, &commit.info),
        };
        if !is_same {
            return Err(comparison::commits(self.branch.repository(), self.at(), &commit.info, &new)?.into());
        }
        Ok(())
    }

    /// Takes a whole result from the commit's tree, and sees that the model saw a part of it.
    pub(super) fn take_artifact(&mut self, output: &Value, digest: Option<&str>) -> Result<(), Stop> {
        let Some(digest) = digest else {
            if is_abridged(&output.to_string()) {
                return Err(self.at().wrong("a result is larger than what a model sees, and has no artifact").into());
            }
            return Ok(());
        };
        let path = branch::path(&self.segment.thread_id, &format!("artifacts/{digest}"));
        let bytes = self.repository.file_at(&self.present().commit_id, &path)?;
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(text) = text.filter(|text| is_shown_of(output, digest, text)) else {
            let mut difference = self.at().wrong(format!("`{path}` is not the whole of the recorded result"));
            difference.path = Some(path);
            return Err(difference.into());
        };
        self.artifacts.insert(digest.to_owned(), text.into_bytes());
        Ok(())
    }

    /// Returns the changes of a commit outside of the thread's own folder, if the token lets tools change it.
    fn changes(&self, is_first: bool) -> Result<Vec<TreeEdit>, Stop> {
        let commit = self.present();
        let from: Vec<_> = commit.info.parents.iter().take(1).cloned().collect();
        let own = format!("{}/", self.segment.thread_id.folder());
        let began = match (is_first, self.segment.events.get(1).map(|event| &event.what)) {
            (true, Some(EventData::ChangesTaken { paths })) => paths.as_slice(),
            _ => &[],
        };
        let mut edits = Vec::new();
        for change in self.repository.changes_below(&from, &commit.commit_id, "", MOST_ENTRIES)? {
            if change.path.starts_with(&own) {
                continue;
            }
            if !began.contains(&change.path) && !self.may_write(&change)? {
                let mut difference = self.at().wrong(format!("the token does not let a tool write `{}`", change.path));
                difference.path = Some(change.path);
                return Err(difference.into());
            }
            let path = change.path;
            edits.push(match change.after.map(|entry| (entry.mode, entry.blob_id)) {
                None => TreeEdit::Remove { path },
                Some((Mode::Symlink, blob_id)) => TreeEdit::Link { path, blob_id },
                Some((mode @ (Mode::File | Mode::Executable), blob_id)) => {
                    TreeEdit::Upsert { path, executable: mode == Mode::Executable, blob_id }
                }
                Some((Mode::Submodule | Mode::Tree, _)) => {
                    return Err(self.at().wrong(format!("no thread can change the submodule `{path}`")).into());
                }
            });
        }
        Ok(edits)
    }

    /// Tells whether the tokens let a tool make a change; a return to the first content is always allowed.
    fn may_write(&self, change: &TreeChange) -> Result<bool, Stop> {
        let is_permitted = |path: &ProjectPath| check_path(&self.rules, Access::Write, path).is_ok();
        if change.path.parse().is_ok_and(|path| is_permitted(&path)) {
            return Ok(true);
        }
        let before = match self.segment.commits[0].info.parents.first() {
            Some(base) => self.repository.entry_at(base, &change.path)?,
            None => None,
        };
        Ok(before == change.after)
    }
}

/// Compares a commit that has no signature.
fn is_same(derived: &crate::git::NewCommit, recorded: &crate::git::CommitInfo) -> bool {
    derived.tree_id == recorded.tree_id
        && derived.parents == recorded.parents
        && derived.author == recorded.author
        && derived.committer == recorded.committer
        && derived.message == recorded.message
}
