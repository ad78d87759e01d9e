//! Ignored folders of the person's tree that a thread's tree gets, such as `node_modules`: as copies, which tools may change.
//!
//! Which ones says `threads.share` in the person's configuration. They are never committed.

use std::fs;

use super::own_tree::OwnTree;
use crate::capability::ProjectPath;
use crate::git::Repository;
use crate::process::CancelFlag;
use crate::session::Session;
use crate::workspace::{self, Copied, CopyLimits};

/// How much of a folder is copied.
const LIMITS: CopyLimits = CopyLimits { max_bytes: 2 * 1024 * 1024 * 1024, max_files: 1_000_000 };

/// A folder that the configuration shares.
#[derive(Debug)]
pub struct SharedFolder {
    /// Its path.
    pub path: ProjectPath,
    /// The copied folder, or why nothing was copied.
    pub copied: Result<Copied, NotShared>,
}

/// Why a thread does not have a folder.
#[derive(Debug)]
pub enum NotShared {
    /// The folder is missing.
    NoFolder,
    /// The thread's tree has it already: git tracks its files.
    InTree,
    /// Git does not ignore it, so its files would be committed.
    NotIgnored,
    /// The run was to stop.
    Cancelled,
    /// It cannot be copied.
    Failed(workspace::Error),
}

/// Copies the folders that the configuration shares, and says which are not copied and why.
pub(in crate::thread) fn share(
    session: &Session,
    repository: &Repository,
    tree: &OwnTree,
    cancel: &CancelFlag,
) -> Vec<SharedFolder> {
    let Ok((root, persons)) = session.project().root().map(|root| (root, session.project().open_files(root))) else {
        return Vec::new();
    };
    let Ok(persons) = persons else { return Vec::new() };
    let mut shared = Vec::new();
    for path in &session.context().config().threads.share {
        let (there, here) = (root.join(path.as_str()), tree.linked().work_dir().join(path.as_str()));
        let is_folder = fs::symlink_metadata(&there).is_ok_and(|found| found.is_dir());
        let without = match (is_folder, fs::symlink_metadata(&here).is_ok()) {
            (false, _) => Some(NotShared::NoFolder),
            (true, true) => Some(NotShared::InTree),
            (true, false) => None,
        };
        if let Some(reason) = without {
            shared.push(SharedFolder { path: path.clone(), copied: Err(reason) });
            continue;
        }
        let copied = if is_ignored(repository, path) && is_ignored_as_folder(tree, path) {
            let roots = (root, tree.linked().work_dir());
            match persons.copy_folder(path, roots, tree.project(), LIMITS, &|| !cancel.is_set()) {
                Ok(Some(copied)) => Ok(copied),
                Ok(None) => Err(NotShared::Cancelled),
                Err(error) => Err(NotShared::Failed(error)),
            }
        } else {
            Err(NotShared::NotIgnored)
        };
        if copied.is_err() {
            // Half of a folder is worse than none.
            drop(fs::remove_dir_all(&here));
        }
        shared.push(SharedFolder { path: path.clone(), copied });
    }
    shared
}

fn is_ignored(repository: &Repository, path: &ProjectPath) -> bool {
    repository.ignored([path.as_str()]).is_ok_and(|ignored| !ignored.is_empty())
}

/// The thread's tree has its own rules: those of its commit.
fn is_ignored_as_folder(tree: &OwnTree, path: &ProjectPath) -> bool {
    let made = fs::create_dir_all(tree.linked().work_dir().join(path.as_str())).is_ok();
    made && is_ignored(tree.linked().repository(), path)
}
