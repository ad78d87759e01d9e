//! The entry of a skill in `rye.lock`, next to the signed one. The signature decides; a lock that says something else
//! is a finding, and never a permission.

use std::cell::RefCell;
use std::sync::Arc;

use super::super::locate::LocateError;
use super::files;
use crate::format::registry_files::{self, Lock};
use crate::git::{CommitId, Mode, Repository};
use crate::item::{SkillFault, SkillManifest};
use crate::project::Project;
use crate::trust::{ContentHash, Signed, TrustedKeys, Unverified};
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
        (project, repository, keys): (&Project, &Repository, &TrustedKeys),
        commit_id: Option<&CommitId>,
        (manifest, folders): (&SkillManifest, &[&str]),
        signed: &Signed<Vec<u8>, Unverified>,
    ) -> Result<Option<SkillFault>, LocateError> {
        let lock = self.at(project, repository, commit_id)?;
        let Some(lock) = &*lock else {
            return Ok(Some(SkillFault::UNREAD_LOCK));
        };
        let fault = lock.skill_fault(manifest, ContentHash::of(signed.content()), &signed.named_signers(keys));
        let Some(other) = lock.other_folder(&manifest.id, folders).filter(|_| fault.is_none()) else {
            return Ok(fault);
        };
        // A folder that leads to another one is that one.
        let is_link = match commit_id {
            None => folders.contains(&project.linked_skill(files::space(project), other)?.as_str()),
            Some(commit_id) => has_link(repository, commit_id, other)?,
        };
        Ok((!is_link).then_some(SkillFault::OTHER_FOLDER))
    }

    fn at(
        &self,
        project: &Project,
        repository: &Repository,
        commit_id: Option<&CommitId>,
    ) -> Result<Read, LocateError> {
        if let Some((known, lock)) = &*self.last.borrow()
            && known.as_ref() == commit_id
        {
            return Ok(Arc::clone(lock));
        }
        let bytes = match commit_id {
            None => project.workspace().lock_file(files::space(project))?,
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

/// Tells whether a part of a path is a link in a commit.
fn has_link(repository: &Repository, commit_id: &CommitId, path: &str) -> Result<bool, LocateError> {
    for (at, _) in path.match_indices('/').chain([(path.len(), "")]) {
        if repository.entry_at(commit_id, &path[..at])?.is_some_and(|entry| entry.mode == Mode::Symlink) {
            return Ok(true);
        }
    }
    Ok(false)
}
