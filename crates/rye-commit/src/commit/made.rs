//! The commit that git made: where a hook changed its files, it is judged as it is, and undone if it does not verify.

use std::fs;

use super::{Error, Prepared};
use crate::git::{CommitId, Git, Head};
use crate::proof::{Proof, Proven, judge};
use crate::redact::Cleared;
use crate::trust::PublicKey;

/// The file that names what a merge joins.
const MERGE_HEAD: &str = "MERGE_HEAD";

/// The name of an undone commit in the reflog.
const UNDONE: &str = "rye commit: undo a commit that a hook changed";

impl Prepared<'_> {
    /// Returns the proof of the commit that git made, which differs from the one before if a hook changed the files. `before` is where
    /// `HEAD` was.
    ///
    /// # Errors
    ///
    /// Fails when the commit does not verify. It is undone then: the index and the work tree stay as the hook left them.
    pub(super) fn prove_made(
        &self,
        git: &Git,
        before: &Head,
        proven: &Proven,
        (key, cleared): (PublicKey, &Cleared),
    ) -> Result<Proof, Error> {
        let made = self.repository.head()?;
        let Some(commit_id) = made.commit_id() else { return Ok(proven.proof) };
        if self.repository.tree_of(commit_id)? == proven.tree_id {
            return Ok(proven.proof);
        }
        let error = match judge((self.project, Some(key)), &self.repository, commit_id).map_err(Error::from) {
            Ok(proof) => return Ok(proof),
            Err(Error::Unverified(unverified)) => Error::ChangedByHook { unverified },
            Err(error) => error,
        };
        git.undo_head(&made, before, UNDONE, cleared)?;
        self.begin_merge_again(&proven.parents)?;
        Err(error)
    }

    /// Has the next commit join what the undone one joined.
    fn begin_merge_again(&self, parents: &[CommitId]) -> Result<(), Error> {
        if self.options.amend || parents.len() < 2 {
            return Ok(());
        }
        let path = self.repository.git_dir().join(MERGE_HEAD);
        let text: String = parents[1..].iter().map(|parent| format!("{parent}\n")).collect();
        fs::write(&path, text).map_err(|source| Error::Unmerged { path, source })
    }
}
