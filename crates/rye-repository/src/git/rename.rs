//! Giving a ref another name.
//!
//! Commit point: the removal of the old name. It comes after the new name is durable, so that at every moment one of both leads to
//! the commits; killed in between, both do, and the next attempt removes the old one.

use super::{CommitId, Error, Repository, Signature, reference::Swap};

impl Repository {
    /// Gives the ref `name`, which is at `expected`, the name `to`, which is free or at the same commit.
    ///
    /// # Errors
    /// [`Error::CheckedOut`], [`Error::Moved`], [`Error::AlreadyExists`], and as creating and deleting a branch.
    pub fn rename_branch(&self, name: &str, to: &str, expected: &CommitId, committer: &Signature) -> Result<(), Error> {
        self.refuse_checked_out(name)?;
        let actual = self.branch(name)?;
        if actual.as_ref() != Some(expected) {
            return Err(Error::Moved { name: name.to_owned(), actual });
        }
        match self.branch(to)? {
            Some(there) if there == *expected => {}
            Some(_) => return Err(Error::AlreadyExists { name: to.to_owned() }),
            None => {
                self.refuse_name_conflict(to)?;
                let message = format!("renamed from {name}");
                self.swap(&Swap { name: to, expected: None, new: expected.to_gix(), message: &message, committer })?;
            }
        }
        self.delete_branch(name, expected)
    }
}
