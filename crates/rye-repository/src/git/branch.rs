//! Creating and advancing branches: what a [`Writer`] does once its objects are on the disk.

use super::{
    CommitId, Error, Signature, Writer,
    reference::{Swap, full_name},
};

/// A branch's step, as its reflog tells it.
#[derive(Debug, Clone, Copy)]
pub struct BranchUpdate<'a> {
    /// The full name, such as `refs/heads/rye/threads/deploy-20260101-120000-abcd`.
    pub name: &'a str,
    /// Where the branch goes.
    pub commit_id: &'a CommitId,
    /// One line for the reflog.
    pub message: &'a str,
    /// Who, and when, for the reflog.
    pub committer: &'a Signature,
}

impl Writer<'_> {
    /// Makes all objects durable, then creates a branch. Of several creators of one name exactly one succeeds, also
    /// when all of them want the same commit.
    ///
    /// # Errors
    /// [`Error::AlreadyExists`], [`Error::NameConflict`] (a branch `rye` is in the way of `rye/threads/…`),
    /// [`Error::CheckedOut`] (an unborn `HEAD` waits for this name), [`Error::Locked`], [`Error::InvalidRefName`],
    /// [`Error::Sync`] or [`Error::WriteRef`].
    pub fn create_branch(&mut self, update: BranchUpdate<'_>) -> Result<(), Error> {
        full_name(update.name)?;
        if self.repository().branch(update.name)?.is_some() {
            return Err(Error::AlreadyExists { name: update.name.to_owned() });
        }
        self.repository().refuse_name_conflict(update.name)?;
        self.move_branch(None, update)
    }

    /// Makes all objects durable, then moves a branch on from `expected`. On [`Error::Moved`] another process was
    /// first: read the branch again, build on it, and call this again; the written objects stay and are harmless.
    ///
    /// # Errors
    /// [`Error::Moved`], [`Error::CheckedOut`], [`Error::SymbolicRef`], [`Error::Locked`], [`Error::InvalidRefName`],
    /// [`Error::Sync`] or [`Error::WriteRef`].
    pub fn advance_branch(&mut self, expected: &CommitId, update: BranchUpdate<'_>) -> Result<(), Error> {
        let actual = self.repository().branch(update.name)?;
        if actual.as_ref() != Some(expected) {
            return Err(Error::Moved { name: update.name.to_owned(), actual });
        }
        self.move_branch(Some(expected), update)
    }

    fn move_branch(&mut self, expected: Option<&CommitId>, update: BranchUpdate<'_>) -> Result<(), Error> {
        let new = self.repository().native(update.commit_id.to_gix())?;
        self.repository().refuse_checked_out(update.name)?;
        if !self.repository().has(new) {
            return Err(Error::MissingObject { id: update.commit_id.to_string() });
        }
        self.sync()?;
        let BranchUpdate { name, message, committer, .. } = update;
        let expected = expected.map(CommitId::to_gix);
        self.repository().swap(&Swap { name, expected, new, message, committer })
    }
}
