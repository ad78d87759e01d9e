//! The entry of a skill in `rye.lock`, next to the signed one. The signature decides; a lock that says something else
//! is a finding, and never a permission.

use std::cell::RefCell;
use std::sync::Arc;

use super::super::locate::{LocateError, Session};
use super::files;
use crate::format::registry_files::{self, Lock};
use crate::git::{CommitId, Repository};
use crate::item::{SkillFault, SkillManifest};
use crate::trust::ContentHash;
use crate::workspace::{LOCK_FILE, MAX_LOCK_BYTES};

/// A lock, or nothing where it cannot be read.
type Read = Arc<Option<Lock>>;

/// The lock that was read last: files of one commit are judged one after another.
#[derive(Default)]
pub(super) struct Locks {
    last: RefCell<Option<(Option<CommitId>, Read)>>,
}

impl Locks {
    /// Compares the signed manifest of a skill with the lock of the work tree, or of a commit.
    pub(super) fn fault(
        &self,
        session: &Session,
        repository: &Repository,
        commit_id: Option<&CommitId>,
        manifest: &SkillManifest,
        bytes: &[u8],
    ) -> Result<Option<SkillFault>, LocateError> {
        let lock = self.at(session, repository, commit_id)?;
        let Some(lock) = &*lock else {
            return Ok(Some(SkillFault::UNREAD_LOCK));
        };
        Ok(lock.skill_fault(manifest, ContentHash::of(bytes)))
    }

    fn at(
        &self,
        session: &Session,
        repository: &Repository,
        commit_id: Option<&CommitId>,
    ) -> Result<Read, LocateError> {
        if let Some((known, lock)) = &*self.last.borrow()
            && known.as_ref() == commit_id
        {
            return Ok(Arc::clone(lock));
        }
        let bytes = match commit_id {
            None => session.workspace().lock_file(files::space(session))?,
            Some(commit_id) => match repository.entry_at(commit_id, LOCK_FILE)? {
                Some(entry) => repository.blob_within(&entry.blob_id, MAX_LOCK_BYTES)?,
                None => None,
            },
        };
        let lock = bytes.map_or(Some(Lock::default()), |bytes| registry_files::lock(&bytes).ok());
        let lock = Arc::new(lock);
        *self.last.borrow_mut() = Some((commit_id.cloned(), Arc::clone(&lock)));
        Ok(lock)
    }
}
