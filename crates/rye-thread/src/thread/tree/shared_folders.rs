//! Ignored folders of the person's tree that a thread's tree gets, such as `node_modules`: as copies, which tools may change.
//!
//! Which ones says `threads.share` in the person's configuration. They are never committed.

use std::fs;
use std::path::Path;

use super::own_tree::OwnTree;
use crate::capability::ProjectPath;
use crate::error::with_causes;
use crate::git::Repository;
use crate::locate::Shared;
use crate::process::CancelFlag;
use crate::session::Session;
use crate::workspace::{self, Copied, CopyLimits, ProjectDir};

/// How much of a folder is copied.
pub(in crate::thread) const LIMITS: CopyLimits = CopyLimits { max_bytes: 2 * 1024 * 1024 * 1024, max_files: 1_000_000 };

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

/// Copies the folders that the configuration shares but those that were `made` already, and says which are not copied and why.
pub(in crate::thread) fn share(
    session: &Session,
    repository: &Repository,
    tree: &OwnTree,
    made: &[ProjectPath],
    cancel: &CancelFlag,
) -> Vec<SharedFolder> {
    let Ok((root, persons)) = session.project().root().map(|root| (root, session.project().open_files(root))) else {
        return Vec::new();
    };
    let Ok(persons) = persons else { return Vec::new() };
    let mut shared = Vec::new();
    for Shared { path, is_named } in session.project().shared_folders() {
        if made.contains(&path) {
            continue;
        }
        let (there, here) = (root.join(path.as_str()), tree.linked().work_dir().join(path.as_str()));
        let is_folder = fs::symlink_metadata(&there).is_ok_and(|found| found.is_dir());
        let without = match (is_folder, fs::symlink_metadata(&here).is_ok()) {
            (false, _) => Some(NotShared::NoFolder),
            (true, true) => Some(NotShared::InTree),
            (true, false) => None,
        };
        let copied = match without {
            // A preset takes what it finds.
            Some(NotShared::InTree | NotShared::NoFolder) if !is_named => continue,
            Some(reason) => Err(reason),
            None => copy(&persons, repository, tree, (root, &path), cancel),
        };
        if copied.is_err() && !matches!(&copied, Err(NotShared::NoFolder | NotShared::InTree)) {
            // Half of a folder is worse than none.
            drop(fs::remove_dir_all(&here));
        }
        shared.push(SharedFolder { path, copied });
    }
    shared
}

/// Copies one folder, and has the files of tools in it name the copy.
fn copy(
    persons: &ProjectDir,
    repository: &Repository,
    tree: &OwnTree,
    (root, path): (&Path, &ProjectPath),
    cancel: &CancelFlag,
) -> Result<Copied, NotShared> {
    if !is_ignored(repository, path) || !is_ignored_as_folder(tree, path) {
        return Err(NotShared::NotIgnored);
    }
    let to = tree.linked().work_dir();
    let copied = persons.copy_folder(path, (root, to), tree.project(), LIMITS, &|| !cancel.is_set());
    let copied = copied.map_err(NotShared::Failed)?.ok_or(NotShared::Cancelled)?;
    let whole = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    tree.project().move_paths(path, &[root, &whole], to).map_err(NotShared::Failed)?;
    Ok(copied)
}

/// Makes an empty folder for what a set-up makes.
///
/// # Errors
///
/// Says why the tree cannot have it.
pub(in crate::thread) fn prepare(tree: &OwnTree, path: &ProjectPath) -> Result<(), String> {
    if fs::symlink_metadata(tree.linked().work_dir().join(path.as_str())).is_ok() {
        return Err(format!("git tracks files in `{path}`"));
    }
    tree.project().make_folder(path).map_err(|error| with_causes(&error))?;
    // The person's tree may not have it yet, and a rule for folders alone would not cover it there.
    match is_ignored(tree.linked().repository(), path) {
        true => Ok(()),
        false => Err(format!("git does not ignore `{path}`")),
    }
}

fn is_ignored(repository: &Repository, path: &ProjectPath) -> bool {
    repository.ignored([path.as_str()]).is_ok_and(|ignored| !ignored.is_empty())
}

/// The thread's tree has its own rules: those of its commit.
fn is_ignored_as_folder(tree: &OwnTree, path: &ProjectPath) -> bool {
    let made = fs::create_dir_all(tree.linked().work_dir().join(path.as_str())).is_ok();
    made && is_ignored(tree.linked().repository(), path)
}
