//! Folders of the system that a child must not list: those of this user alone, homes and repositories.
//!
//! A right of Landlock to list a folder is one to list all below it. So something empty is mounted over such a folder; where that is not
//! possible, or something that is granted lies in it, no folder above it is listed either.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, fstat};

use super::super::system_folders::{private_settings, system_folders};
use super::itself::itself;
use super::kernel_files::Empty;
use super::reach::Sandbox;

/// What is private in the folders of the system.
#[derive(Default)]
pub(super) struct PrivateFolders {
    /// What is not granted of the system's settings.
    settings: BTreeSet<PathBuf>,
    /// The folders of which the names can be seen as long as a folder above can be listed.
    seen: BTreeSet<PathBuf>,
}

impl PrivateFolders {
    /// Looks for those of a sandbox.
    pub(super) fn of(sandbox: &Sandbox) -> Self {
        let settings: BTreeSet<PathBuf> = private_settings().into_iter().collect();
        let system = system_folders();
        let is_of_system = |path: &&PathBuf| system.iter().any(|folder| path.starts_with(folder));
        let kept = settings.iter().chain(&sandbox.without).filter(is_of_system);
        let seen = kept.filter(|path| is_folder(path)).cloned().collect();
        Self { settings, seen }
    }

    /// Returns what is not granted of the system's settings.
    pub(super) const fn settings(&self) -> &BTreeSet<PathBuf> {
        &self.settings
    }

    /// Mounts something empty over each folder that nothing is granted in. Called in a name space of mounts.
    pub(super) fn cover(&mut self, sandbox: &Sandbox, empty: &mut Empty) {
        let Sandbox { reads, projects, writes, covers, hides, .. } = sandbox;
        let places = covers.iter().chain(hides).flat_map(|cover| [&cover.path, &cover.with]);
        let granted: BTreeSet<&PathBuf> = reads.iter().chain(projects).chain(writes).chain(places).collect();
        // What is mounted over hides all below it.
        let mut covered: Option<PathBuf> = None;
        self.seen.retain(|folder| {
            if covered.as_ref().is_some_and(|covered| folder.starts_with(covered)) {
                return false;
            }
            let is_covered = !granted.iter().any(|path| path.starts_with(folder)) && empty.mount_over(folder).is_ok();
            if is_covered {
                covered = Some(folder.clone());
            }
            !is_covered
        });
    }

    /// Tells whether a folder can be listed without telling the names in one of them.
    pub(super) fn lets_list(&self, folder: &Path) -> bool {
        let mut next = self.seen.range::<Path, _>((Bound::Included(folder), Bound::Unbounded));
        !next.next().is_some_and(|seen| seen.starts_with(folder))
    }
}

fn is_folder(path: &Path) -> bool {
    let kind = itself(path).and_then(|found| fstat(found).ok()).map(|found| FileType::from_raw_mode(found.st_mode));
    kind == Some(FileType::Directory)
}
