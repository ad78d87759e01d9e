//! What the person agreed to, compared with the files when it is written: they may have changed between the question
//! and the first write.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::{Error, Moved};
use super::plan::{Agreed, MAX_BYTES, Step, version};
use crate::git::{CommitId, Repository};
use crate::workspace::ProjectDir;

/// The most paths that a commit may change beyond the agreed ones, as git has them.
const MAX_ENTRIES: usize = 2_000_000;

/// What a hook changed of the commit.
#[derive(Debug, Serialize)]
pub struct ByHook {
    /// From the top of the work tree.
    pub path: String,
    /// What the hook did to it.
    pub did: HookDid,
}

/// What a hook did to a path of the commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookDid {
    /// It is committed, and was not to be.
    Added,
    /// Its content is not the one that was to be committed.
    Changed,
    /// It was to be committed, and is not.
    LeftOut,
}

impl Agreed {
    /// Checks that nothing changed since: the branch and its commit, and of every path the index entry and the file.
    ///
    /// # Errors
    ///
    /// Fails on the first difference.
    pub(super) fn check(&self, repository: &Repository, project: &ProjectDir, steps: &[Step]) -> Result<(), Error> {
        self.check_head(repository)?;
        let paths: Vec<&str> = steps.iter().map(|step| step.path.as_str()).collect();
        let indexed = repository.indexed(&paths)?;
        for step in steps {
            let path = step.path.as_str();
            let changed = |what| Err(Error::Changed { what, path: path.to_owned() });
            if indexed.get(path) != self.indexed.get(path) {
                return changed("the staged version of");
            }
            if !project.held(&step.path, MAX_BYTES).is_ok_and(|held| held == step.from) {
                return changed("the file");
            }
        }
        Ok(())
    }

    /// Checks that `HEAD` is on the same branch, and the branch at the same commit.
    ///
    /// # Errors
    ///
    /// Fails when it is not.
    pub(super) fn check_head(&self, repository: &Repository) -> Result<(), Error> {
        let now = repository.head()?;
        if now == self.head {
            return Ok(());
        }
        let to = if now.commit_id() == self.head.commit_id() { Moved::Branch } else { Moved::Commit };
        Err(Error::Moved { to })
    }

    /// Lists the paths in which a commit differs from the agreed one: hooks may change the index.
    pub(super) fn by_hooks(
        &self,
        repository: &Repository,
        commit_id: &CommitId,
        steps: &[Step],
    ) -> Result<Vec<ByHook>, Error> {
        let from: Vec<CommitId> = self.head.commit_id().cloned().into_iter().collect();
        let mut agreed: BTreeMap<&str, &Step> =
            steps.iter().filter(|step| step.committed).map(|step| (step.path.as_str(), step)).collect();
        let mut by_hooks = Vec::new();
        for change in repository.changes_below(&from, commit_id, "", MAX_ENTRIES)? {
            let did = match agreed.remove(change.path.as_str()) {
                Some(step) if step.after == version(change.after.as_ref()) => continue,
                Some(_) => HookDid::Changed,
                None => HookDid::Added,
            };
            by_hooks.push(ByHook { path: change.path, did });
        }
        by_hooks.extend(agreed.into_keys().map(|path| ByHook { path: path.to_owned(), did: HookDid::LeftOut }));
        Ok(by_hooks)
    }
}
