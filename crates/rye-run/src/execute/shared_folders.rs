//! Ignored folders of the person's tree that a thread's tree gets, such as `node_modules`: as copies, which tools may change.
//!
//! Which ones says `threads.share` in the person's configuration. They are never committed. Folders in a thread's tree are reached from its
//! open folder: a link of the tree is not followed.

use std::fs;
use std::path::Path;

use crate::capability::ProjectPath;
use crate::error::with_causes;
use crate::git::{LinkedTree, Repository};
use crate::locate::Shared;
use crate::process::CancelFlag;
use crate::project::Furnished;
use crate::session::Session;
use crate::workspace::{self, Copied, CopyLimits, ProjectDir};

/// How much of a folder is copied.
pub(super) const LIMITS: CopyLimits = CopyLimits { max_bytes: 2 * 1024 * 1024 * 1024, max_files: 1_000_000 };

/// The tree of a thread that is made.
#[derive(Debug, Clone, Copy)]
pub struct NewTree<'a> {
    /// As git sees it.
    pub linked: &'a LinkedTree,
    /// Its files.
    pub files: &'a ProjectDir,
}

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

/// Copies the folders that the configuration shares, but those that a set-up `made` and what lies in them, and says which are not copied
/// and why. Adds the copies to `made`.
pub fn share(
    session: &Session,
    repository: &Repository,
    tree: NewTree<'_>,
    made: &mut Vec<Furnished>,
    cancel: &CancelFlag,
) -> Vec<SharedFolder> {
    let Ok((root, persons)) = session.project().root().map(|root| (root, session.project().open_files(root))) else {
        return Vec::new();
    };
    let Ok(persons) = persons else { return Vec::new() };
    let whole = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let made_paths: Vec<ProjectPath> = made.iter().map(|made| made.path.clone()).collect();
    let mut shared = Vec::new();
    for Shared { path, is_named } in session.project().shared_folders() {
        if made_paths.iter().any(|made| Path::new(path.as_str()).starts_with(made.as_str())) {
            continue;
        }
        let is_folder = fs::symlink_metadata(root.join(path.as_str())).is_ok_and(|found| found.is_dir());
        let without = match (is_folder, tree.files.exists(&path)) {
            (false, _) => Some(NotShared::NoFolder),
            (true, true) => Some(NotShared::InTree),
            (true, false) => None,
        };
        let copied = match without {
            // A preset takes what it finds.
            Some(NotShared::InTree | NotShared::NoFolder) if !is_named => continue,
            Some(reason) => Err(reason),
            None => copy(&persons, repository, tree, (root, &whole), &path, cancel),
        };
        if copied.is_ok() {
            made.push(Furnished { path: path.clone(), twin: whole.clone(), named: whole.clone() });
        }
        shared.push(SharedFolder { path, copied });
    }
    shared
}

/// Copies one folder, and has the files of tools in it name the copy. Half of a folder is worse than none.
fn copy(
    persons: &ProjectDir,
    repository: &Repository,
    tree: NewTree<'_>,
    (root, whole): (&Path, &Path),
    path: &ProjectPath,
    cancel: &CancelFlag,
) -> Result<Copied, NotShared> {
    if !is_ignored(repository, path) {
        return Err(NotShared::NotIgnored);
    }
    tree.files.make_folder(path).map_err(NotShared::Failed)?;
    let fill = || {
        // The thread's tree has its own rules: those of its commit. Some are for folders alone.
        if !is_ignored(tree.linked.repository(), path) {
            return Err(NotShared::NotIgnored);
        }
        let to = tree.linked.work_dir();
        let copied = persons.copy_folder(path, (root, to), tree.files, LIMITS, &|| !cancel.is_set());
        let copied = copied.map_err(NotShared::Failed)?.ok_or(NotShared::Cancelled)?;
        tree.files.move_paths(path, &[root, whole], to).map_err(NotShared::Failed)?;
        Ok(copied)
    };
    fill().inspect_err(|_| drop(tree.files.remove_folder(path)))
}

/// Makes an empty folder for what a set-up makes.
///
/// # Errors
///
/// Says why the tree cannot have it.
pub(super) fn prepare(tree: NewTree<'_>, path: &ProjectPath) -> Result<(), String> {
    if tree.files.exists(path) {
        return Err(format!("git tracks files in `{path}`"));
    }
    tree.files.make_folder(path).map_err(|error| with_causes(&error))?;
    // The person's tree may not have it yet, and a rule for folders alone would not cover it there.
    match is_ignored(tree.linked.repository(), path) {
        true => Ok(()),
        false => Err(format!("git does not ignore `{path}`")),
    }
}

fn is_ignored(repository: &Repository, path: &ProjectPath) -> bool {
    repository.ignored([path.as_str()]).is_ok_and(|ignored| !ignored.is_empty())
}
