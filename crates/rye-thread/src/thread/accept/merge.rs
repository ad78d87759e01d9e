//! Two changes of one file joined: the thread's and that of the person's branch since. In memory; objects are written for
//! content that is new.
//!
//! Renames are not looked for: a file that moved was removed and added. Items are never joined line by line.

use std::path::Path;

use super::error::Error;
use super::plan::{ConflictKind, Version};
use crate::git::{BlobId, Git, MergeDriver, Merged, Mode, Repository};
use crate::id::ThreadId;

/// What joins files.
pub(super) struct Joining<'a> {
    pub(super) repository: &'a Repository,
    pub(super) git: &'a Git,
    /// Takes temporary files.
    pub(super) folder: &'a Path,
    pub(super) thread_id: &'a ThreadId,
}

/// What a path comes to.
pub(super) enum Joined {
    /// The branch has it already.
    Same,
    /// This version, which may be none.
    Take(Option<Version>),
    /// The changes do not fit. `shown` is what the work tree gets.
    Conflict {
        /// How.
        kind: ConflictKind,
        /// The version for the work tree.
        shown: Option<Version>,
    },
}

impl Joining<'_> {
    /// Joins what a path has in the thread's first tree, on the branch, and at the thread's end.
    pub(super) fn join(
        &self,
        [base, ours, theirs]: [Option<&Version>; 3],
        driver: Option<MergeDriver>,
    ) -> Result<Joined, Error> {
        if ours == theirs {
            return Ok(Joined::Same);
        }
        if ours == base {
            return Ok(Joined::Take(theirs.cloned()));
        }
        let unfit = |kind, shown: Option<&Version>| Ok(Joined::Conflict { kind, shown: shown.cloned() });
        match (base, ours, theirs) {
            (Some(_), None, Some(_)) => unfit(ConflictKind::RemovedHere, theirs),
            (_, Some(_), None) => unfit(ConflictKind::RemovedByThread, ours),
            (base, Some(here), Some(there)) => match driver {
                Some(driver @ (MergeDriver::Text | MergeDriver::Union)) => self.lines(base, here, there, driver),
                Some(MergeDriver::Other) | None => unfit(ConflictKind::NotMergeable, ours),
            },
            // Files that neither has now, or only the thread ever had, are decided above.
            (_, None, _) => Ok(Joined::Take(theirs.cloned())),
        }
    }

    fn lines(
        &self,
        base: Option<&Version>,
        ours: &Version,
        theirs: &Version,
        driver: MergeDriver,
    ) -> Result<Joined, Error> {
        let unfit = |kind| Ok(Joined::Conflict { kind, shown: Some(ours.clone()) });
        let all = [base, Some(ours), Some(theirs)];
        if !all.iter().flatten().all(|(mode, _)| matches!(mode, Mode::File | Mode::Executable)) {
            return unfit(ConflictKind::NotMergeable);
        }
        let mode = match base {
            Some((before, _)) if ours.0 == *before => theirs.0,
            Some(_) => ours.0,
            None if ours.0 == theirs.0 => ours.0,
            None => return unfit(ConflictKind::BothAdded),
        };
        let before = base.map(|(_, blob_id)| blob_id);
        if before == Some(&ours.1) || ours.1 == theirs.1 {
            return Ok(Joined::Take(Some((mode, theirs.1.clone()))));
        }
        if before == Some(&theirs.1) {
            return Ok(Joined::Take(Some((mode, ours.1.clone()))));
        }
        let read = |blob_id: &BlobId| self.repository.blob(blob_id);
        let (here, there) = (read(&ours.1)?, read(&theirs.1)?);
        let before = before.map(read).transpose()?.unwrap_or_default();
        let label = format!("thread {}", self.thread_id);
        let versions = [("HEAD", here.as_slice()), ("thread's first tree", &before), (&label, &there)];
        let merged = self.git.merge_file(self.folder, versions, driver == MergeDriver::Union)?;
        let kind = if base.is_some() { ConflictKind::Content } else { ConflictKind::BothAdded };
        let written = |bytes: &[u8]| -> Result<Version, Error> {
            let mut writer = self.repository.writer();
            let blob_id = writer.blob(bytes)?;
            writer.sync()?;
            Ok((mode, blob_id))
        };
        match merged {
            Merged::Clean(bytes) => Ok(Joined::Take(Some(written(&bytes)?))),
            Merged::Conflict(bytes) => Ok(Joined::Conflict { kind, shown: Some(written(&bytes)?) }),
            Merged::Binary => unfit(ConflictKind::NotMergeable),
        }
    }
}
