//! Deleting a branch, with its reflog.

use std::{fs, io::ErrorKind, time::Duration};

use gix::{
    lock::acquire::Fail,
    refs::{
        Target,
        transaction::{Change, PreviousValue, RefEdit, RefLog},
    },
};

use super::{CommitId, Error, Repository, durable, reference::full_name};

/// How long a lock is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(2);

impl Repository {
    /// Deletes a branch that is still at `expected`, loose and packed, and its reflog. The commits stay until git's `gc`
    /// removes what nothing leads to.
    ///
    /// # Errors
    /// [`Error::CheckedOut`], [`Error::Moved`], [`Error::InvalidRefName`], [`Error::Locked`], [`Error::WriteRef`] or [`Error::Sync`].
    pub fn delete_branch(&self, name: &str, expected: &CommitId) -> Result<(), Error> {
        let full_name = full_name(name)?;
        self.refuse_checked_out(name)?;
        let actual = self.branch(name)?;
        if actual.as_ref() != Some(expected) {
            return Err(Error::Moved { name: name.to_owned(), actual });
        }
        let expected = PreviousValue::MustExistAndMatch(Target::Object(expected.to_gix()));
        let edit = RefEdit::new(full_name, Change::Delete { expected, log: RefLog::AndReference });
        let wait = Fail::AfterDurationWithBackoff(LOCK_WAIT);
        let failed = |source: super::Cause| Error::WriteRef { name: name.to_owned(), source };
        // A lock that a killed program left is named, as for every other write of a ref.
        let blocked = |source: super::Cause| match self.lock_held(name) {
            Some(path) => Error::Locked { name: name.to_owned(), path },
            None => failed(source),
        };
        self.release_packed_refs();
        let _writing = self.mark_writing();
        let prepared =
            self.inner.refs.transaction().prepare([edit], wait, wait).map_err(|error| blocked(error.into()))?;
        prepared.commit(None).map_err(|error| blocked(error.into()))?;
        // Refs that are made without a reflog of this program's may have one all the same.
        match fs::remove_file(self.common_dir().join("logs").join(name)) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(failed(error.into()));
            }
            _ => {}
        }
        durable::sync(&self.common_dir().join("packed-refs"))?;
        durable::sync_folders(&self.common_dir().join(name), self.common_dir())
    }
}
