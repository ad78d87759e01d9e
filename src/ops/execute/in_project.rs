//! What a script may reach outside of threads: it reads the project, and writes its temporary folder and the granted
//! paths.
//!
//! The project is the person's own tree. Its git folder is read without what may hold credentials, without threads, and is never
//! written; git gets a configuration without credentials where the system lets mounts be made.

use std::path::{Path, PathBuf};

use super::super::executors::{KeptAway, grants};
use super::super::locate::Session;
use super::bounds::Bounds;
use crate::capability::{Access, PathRules, Reach, reach};
use crate::context::OwnPlace;
use crate::git::Repository;
use crate::process::{Cover, Error, PrivateScript, Sandbox};

/// What a script may read of a git folder: not its configuration and hooks, nor the folder of this program.
const READ: [&str; 11] =
    ["HEAD", "ORIG_HEAD", "commondir", "gitdir", "index", "info", "logs", "objects", "packed-refs", "refs", "shallow"];

/// Writes the configuration that git gets outside of threads into a private folder of its own.
///
/// # Errors
///
/// Fails when it cannot be written.
pub(super) fn git_config(session: &Session, temp_dir: &Path) -> Result<Option<PrivateScript>, Error> {
    let repository = session.repository().filter(|_| !session.is_in_tree());
    repository.map(|repository| PrivateScript::create(temp_dir, "config", &repository.config_for_tools())).transpose()
}

/// Adds to a sandbox what a script may reach of the project, and what it may write.
///
/// # Errors
///
/// [`Error::Grant`] for a grant that would open more than the project, or a git folder.
pub(super) fn share(
    sandbox: &mut Sandbox,
    session: &Session,
    kept_away: &KeptAway,
    git_config: Option<&Path>,
    bounds: &Bounds<'_>,
) -> Result<(), Error> {
    let Some((root, repository)) = project(session) else { return grant_configured(sandbox, session, false) };
    let git = git_folders(&repository);
    let rules = bounds.paths.unwrap_or_default();
    if !has_home(session, &root) && !kept_away.is_own(&root) {
        for part in reach(rules, Access::Read) {
            match part {
                Reach::Project => {
                    sandbox.projects.push(root.clone());
                    share_git(sandbox, &repository, &git, git_config);
                }
                Reach::Folder(path) | Reach::File(path) => sandbox.reads.push(root.join(path.as_str())),
            }
        }
    }
    grant_configured(sandbox, session, false)?;
    for part in written(rules) {
        match part {
            Reach::Project => return Err(Error::Grant { path: root, reason: WHOLE }),
            Reach::Folder(path) | Reach::File(path) => {
                let path = made(session, &root, path.as_str());
                sandbox.writes.push(checked(path, Some(&root), &git)?);
            }
        }
    }
    Ok(())
}

/// The project that is the person's own tree.
fn project(session: &Session) -> Option<(PathBuf, Repository)> {
    let root = session.project_root().ok().and_then(|root| root.canonicalize().ok())?;
    session.repository().map(|repository| (root, repository))
}

/// A home folder that is a repository contains keys.
fn has_home(session: &Session, root: &Path) -> bool {
    let home = session.context().home().ok().and_then(|home| home.canonicalize().ok());
    home.is_some_and(|home| home.starts_with(root))
}

/// Returns the project and the rules for writes, if a script may write the whole of it: by the person's configuration
/// or by rules of paths that name no folder, such as `**` or `*.md`.
///
/// # Errors
///
/// [`Error::Grant`] for a project that holds the home folder.
pub(super) fn whole_project(
    session: &Session,
    bounds: &Bounds<'_>,
) -> Result<Option<(PathBuf, Vec<PathRules>)>, Error> {
    let Some((root, _)) = project(session).filter(|_| !session.is_in_tree()) else { return Ok(None) };
    let configured = session.context().config().sandbox.write.iter().any(|path| is_root(&root, path));
    let rules = bounds.paths.unwrap_or_default();
    let is_ruled = written(rules).any(|part| part == Reach::Project);
    match (configured, is_ruled) {
        (false, false) => Ok(None),
        (true, _) | (_, true) if has_home(session, &root) => Err(Error::Grant { path: root, reason: HOME }),
        (true, _) => Ok(Some((root, vec![configured_rules(session)]))),
        (false, true) => Ok(Some((root, rules.to_vec()))),
    }
}

/// What the person grants in the project, as rules: the whole of it, and the places that they name besides.
fn configured_rules(session: &Session) -> PathRules {
    let paths = session.context().config().sandbox.write.iter().filter(|path| path.is_relative());
    let named = paths.filter_map(|path| path.to_str()).map(|path| path.trim_end_matches('/'));
    let write = named.filter(|path| *path != ".").flat_map(|path| [path.to_owned(), format!("{path}/**")]);
    PathRules { read: Vec::new(), write: std::iter::once("**".to_owned()).chain(write).collect() }
}

/// Tells whether a configured path is the project itself.
fn is_root(root: &Path, path: &Path) -> bool {
    root.join(path).canonicalize().is_ok_and(|path| path == root)
}

const WHOLE: &str = "a script gets no folder to write that contains the project";
const OWN: &str = "no tool may reach where this program keeps keys, trust and configuration, or what holds that";
const GIT: &str = "no script may write a git folder";
const HOME: &str = "a script cannot get a whole project to write that contains your home folder: name folders in it";

/// What rules let be written. Without a rule that is nothing: only a thread has a tree to write all of.
fn written(rules: &[PathRules]) -> impl Iterator<Item = Reach> {
    let is_ruled = rules.iter().any(|rules| !rules.is_empty());
    is_ruled.then(|| reach(rules, Access::Write)).into_iter().flatten()
}

/// The git folder of the project, and the one that it shares with other work trees.
fn git_folders(repository: &Repository) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [repository.git_dir(), repository.common_dir()]
        .into_iter()
        .filter_map(|folder| folder.canonicalize().ok())
        .collect();
    folders.dedup();
    folders
}

fn share_git(sandbox: &mut Sandbox, repository: &Repository, git: &[PathBuf], git_config: Option<&Path>) {
    sandbox.reads.extend(git.iter().flat_map(|folder| READ.map(|name| folder.join(name))));
    sandbox.reads.extend(repository.object_folders());
    if let Ok(root) = repository.work_dir().unwrap_or(repository.git_dir()).canonicalize() {
        // Of a linked work tree it is a file that leads to the folder; a folder is not taken as a file.
        let link = root.join(".git");
        sandbox.reads.extend(link.is_file().then_some(link));
    }
    if let (Some(common), Some(config)) = (git.last(), git_config) {
        sandbox.covers.push(Cover { path: common.join("config"), with: config.to_owned() });
    }
}

/// Grants what the person's configuration lets be written, but for the project itself, and nothing in it where the script works in a copy.
///
/// # Errors
///
/// As [`share`].
pub(super) fn grant_configured(sandbox: &mut Sandbox, session: &Session, is_copy: bool) -> Result<(), Error> {
    let found = project(session);
    let git = found.as_ref().map(|(_, repository)| git_folders(repository)).unwrap_or_default();
    let root = found.as_ref().map(|(root, _)| root.as_path());
    for path in &session.context().config().sandbox.write {
        if root.is_some_and(|root| is_root(root, path) || (is_copy && root.join(path).starts_with(root))) {
            continue;
        }
        let path = match (path.is_absolute(), root) {
            (true, _) => path.clone(),
            (false, Some(root)) => made(session, root, &path.to_string_lossy()),
            (false, None) => continue,
        };
        // A path that does not exist yet cannot be granted.
        let Some(whole) = grants::resolved(session, &path)? else { continue };
        let whole = checked(whole, root, &git)?;
        check_own(session, &whole)?;
        sandbox.writes.push(whole);
    }
    Ok(())
}

/// Makes sure that a tool may be given a path, which has no links.
///
/// # Errors
///
/// [`Error::Grant`] for a place of this program's own, and for what holds one.
pub(super) fn check_own(session: &Session, whole: &Path) -> Result<(), Error> {
    let holds_own = |place: &OwnPlace| place.path.starts_with(whole) || whole.starts_with(&place.path);
    match session.context().own_places().iter().any(holds_own) {
        true => Err(Error::Grant { path: whole.to_owned(), reason: OWN }),
        false => Ok(()),
    }
}

/// Makes sure that a tool may be given a path to write, which has no links.
///
/// # Errors
///
/// [`Error::Grant`], also for a git folder and what holds the project.
pub(super) fn check_write(session: &Session, whole: &Path) -> Result<(), Error> {
    let found = project(session);
    let git = found.as_ref().map(|(_, repository)| git_folders(repository)).unwrap_or_default();
    let is_git = |part: std::path::Component<'_>| part.as_os_str().eq_ignore_ascii_case(".git");
    if whole.components().any(is_git) {
        return Err(Error::Grant { path: whole.to_owned(), reason: GIT });
    }
    checked(whole.to_owned(), found.as_ref().map(|(root, _)| root.as_path()), &git)?;
    check_own(session, whole)
}

/// Returns a path in the project, and makes it a folder if it does not exist.
fn made(session: &Session, root: &Path, path: &str) -> PathBuf {
    if let (Ok(files), Ok(folder)) = (session.open_files(root), path.trim_end_matches('/').parse())
        && !files.exists(&folder)
    {
        drop(files.make_folder(&folder));
    }
    root.join(path)
}

/// Refuses a grant of what no script may write.
fn checked(path: PathBuf, root: Option<&Path>, git: &[PathBuf]) -> Result<PathBuf, Error> {
    let whole = path.canonicalize().unwrap_or_else(|_| path.clone());
    if root.is_some_and(|root| root.starts_with(&whole)) {
        return Err(Error::Grant { path, reason: WHOLE });
    }
    let is_git = git.iter().any(|git| whole.starts_with(git) || git.starts_with(&whole));
    if is_git || root.is_some_and(|root| whole.starts_with(root.join(".git"))) {
        return Err(Error::Grant { path, reason: GIT });
    }
    Ok(path)
}
