//! What a script may reach outside of threads: it reads the project, and writes its temporary folder and the granted
//! paths.
//!
//! The project is the person's own tree. Where something in it may be written, the script works in a copy (`judged_copy.rs`). Else it reads the
//! tree itself: its git folder without what may hold credentials and without threads; git gets a configuration without credentials where the
//! system lets mounts be made.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::executors::git_reading::{cover_config, git_folders, parts_of_git};
use super::super::executors::{self, KeptAway, ProjectWrites, grants, outer_folders};
use super::bounds::Bounds;
use crate::capability::{Access, Reach, reach};
use crate::context::OwnPlace;
use crate::git::Repository;
use crate::process::{Error, Sandbox};
use crate::project::Project;

/// Adds to a sandbox what a script may read of the project, and returns what that is of git folders.
pub(super) fn share(
    sandbox: &mut Sandbox,
    project: &Project,
    kept_away: &KeptAway,
    git_config: Option<&Path>,
    bounds: &Bounds<'_>,
) -> BTreeSet<PathBuf> {
    let mut shared = BTreeSet::new();
    let Some((root, repository)) = own_tree(project) else { return shared };
    if executors::home_in(project, &root).is_some() || kept_away.is_own(&root) {
        return shared;
    }
    let git = git_folders(&repository);
    for part in reach(bounds.paths.unwrap_or_default(), Access::Read) {
        match part {
            Reach::Project => {
                sandbox.projects.push(root.clone());
                shared.extend(parts_of_git(&repository, &git));
                cover_config(sandbox, &git, git_config);
            }
            Reach::Folder(path) | Reach::File(path) => sandbox.reads.push(root.join(path.as_str())),
        }
    }
    sandbox.reads.extend(shared.iter().cloned());
    shared
}

/// The project that is the person's own tree.
fn own_tree(project: &Project) -> Option<(PathBuf, Repository)> {
    let root = project.root().ok().and_then(|root| root.canonicalize().ok())?;
    project.repository().map(|repository| (root, repository))
}

/// Returns what a script may write of the project, by the person's configuration or by rules of paths, if that is anything.
///
/// # Errors
///
/// As [`ProjectWrites::of`].
pub(super) fn writes(project: &Project, bounds: &Bounds<'_>) -> Result<Option<ProjectWrites>, Error> {
    let Some((root, _)) = own_tree(project).filter(|_| !project.is_in_tree()) else { return Ok(None) };
    let configured = &project.context().config().sandbox.write;
    ProjectWrites::of(project, &root, (&[], configured), Some(bounds.paths.unwrap_or_default()))
}

const WHOLE: &str = "a script gets no folder to write that contains the project";
const OWN: &str = "no tool may reach where this program keeps keys, trust and configuration, or what holds that";

/// Grants what the person's configuration lets be written outside of the project.
///
/// # Errors
///
/// As [`check_write`].
pub(super) fn grant_configured(sandbox: &mut Sandbox, project: &Project) -> Result<(), Error> {
    let root = own_tree(project).map(|(root, _)| root);
    for path in project.context().config().sandbox.write.iter().filter(|path| path.is_absolute()) {
        if root.as_deref().is_some_and(|root| executors::in_project(root, path).is_some()) {
            continue;
        }
        // A path that does not exist yet cannot be granted.
        let Some(whole) = grants::resolved(project, path)? else { continue };
        check_write(project, &whole)?;
        sandbox.writes.push(whole);
    }
    Ok(())
}

/// Makes sure that a tool may be given a path, which has no links.
///
/// # Errors
///
/// [`Error::Grant`] for a place of this program's own, and for what holds one.
pub(super) fn check_own(project: &Project, whole: &Path) -> Result<(), Error> {
    let holds_own = |place: &OwnPlace| place.path.starts_with(whole) || whole.starts_with(&place.path);
    match project.context().own_places().iter().any(holds_own) {
        true => Err(Error::Grant { path: whole.to_owned(), reason: OWN }),
        false => Ok(()),
    }
}

/// Makes sure that a tool may be given a path to write itself, which has no links.
///
/// # Errors
///
/// [`Error::Grant`]: for a place of the program's own, for what holds the project, and as [`outer_folders::check`].
pub(super) fn check_write(project: &Project, whole: &Path) -> Result<(), Error> {
    if own_tree(project).is_some_and(|(root, _)| root.starts_with(whole)) {
        return Err(Error::Grant { path: whole.to_owned(), reason: WHOLE });
    }
    check_own(project, whole)?;
    outer_folders::check(project, whole)
}
