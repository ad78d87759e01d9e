//! Where a repository is: the folder with a `.git` around a folder, or a bare repository that was named.
//!
//! Invariants:
//! - On the way up only a `.git` (a folder, or a file that names one) counts. A folder of a clone can look like a bare
//!   repository, and bring a configuration and refs of its own; git's `safe.bareRepository` exists for the same reason.
//! - A bare repository is used only where the search starts exactly at it and no work tree is around it.
//! - Whatever gix opens by itself is a regular file, or absent: reading a pipe would wait for ever.

use std::{
    fs, io,
    os::unix::fs::{FileTypeExt as _, MetadataExt as _},
    path::{Path, PathBuf},
};

use gix::discover::{DOT_GIT_DIR, is_git, repository::Kind, repository::Path as Found};

use super::{Error, GitEnvironment, Unusable};
use crate::context::bounded;

/// A repository that was found and is not open yet.
#[derive(Debug)]
pub(super) struct Place {
    /// What gix opens: `.git`, or the folder of a bare repository.
    pub(super) candidate: PathBuf,
    pub(super) git_dir: PathBuf,
    /// The git directory shared by all work trees.
    pub(super) common_dir: PathBuf,
    /// The folder that has the `.git`; none for a bare repository.
    pub(super) work_dir: Option<PathBuf>,
}

/// The files of a git directory, its own or the shared one, that are read without being asked for.
const FILES: [&str; 18] = [
    "HEAD",
    "commondir",
    "gitdir",
    "config",
    "config.worktree",
    "index",
    "packed-refs",
    "shallow",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "objects/info/alternates",
    "objects/info/commit-graph",
    "objects/info/commit-graphs/commit-graph-chain",
    "objects/pack/multi-pack-index",
    "rye/roots",
];

/// The most bytes that `HEAD` and `commondir` may have.
const MAX_BYTES: u64 = 64 * 1024;

/// Finds the repository that `dir` (absolute) lies in. The search stops at another file system and at the environment's
/// ceiling directories, as git's does.
pub(super) fn around(dir: &Path, environment: &GitEnvironment) -> Result<Option<Place>, Error> {
    let dir = real(dir);
    let bare = if dir.ends_with(DOT_GIT_DIR) { None } else { bare(&dir)? };
    match (upwards(&dir, environment)?, bare) {
        (None, bare) => Ok(bare),
        // Started in it, a person means the project around it; `-C` names it, so neither of both is surely meant.
        (Some(Place { work_dir: Some(work_dir), .. }), Some(bare))
            if work_dir != dir && environment.named_dir.as_deref().map(real).as_ref() == Some(&dir) =>
        {
            Err(Unusable::BareInside { git_dir: bare.git_dir, work_dir }.into())
        }
        (found, _) => Ok(found),
    }
}

/// Finds the repository whose work tree or git directory is exactly `dir`.
pub(super) fn at(dir: &Path) -> Result<Option<Place>, Error> {
    match with_dot_git(dir)? {
        None => bare(dir),
        found => Ok(found),
    }
}

fn upwards(dir: &Path, environment: &GitEnvironment) -> Result<Option<Place>, Error> {
    let device = |dir: &Path| fs::metadata(dir).map(|metadata| metadata.dev()).ok();
    let ceilings: Vec<PathBuf> = environment.ceiling_directories.iter().map(|ceiling| real(ceiling)).collect();
    let first = device(dir);
    for here in dir.ancestors() {
        if here != dir && (device(here) != first || ceilings.iter().any(|ceiling| ceiling == here)) {
            break;
        }
        if let Some(found) = with_dot_git(here)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Takes a folder for a work tree, if it has a `.git` that is a git directory or names one.
fn with_dot_git(dir: &Path) -> Result<Option<Place>, Error> {
    let candidate = dir.join(DOT_GIT_DIR);
    let git_dir = match fs::metadata(&candidate) {
        Ok(metadata) if metadata.is_dir() => candidate.clone(),
        Ok(_) => {
            refuse_irregular(&candidate)?;
            match gix::discover::path::from_gitdir_file(&candidate) {
                Ok(git_dir) => git_dir,
                Err(_) => return Ok(None),
            }
        }
        Err(_) => return Ok(None),
    };
    let common_dir = checked(&git_dir)?;
    let Ok(kind) = is_git(&candidate) else { return Ok(None) };
    let found = Found::from_dot_git_dir(candidate.clone(), kind, dir);
    let Some((git_dir, _)) = found.map(Found::into_repository_and_work_tree_directories) else { return Ok(None) };
    Ok(Some(Place { candidate, git_dir, common_dir, work_dir: Some(dir.to_owned()) }))
}

/// Takes a folder for a bare repository, if it looks like one.
fn bare(dir: &Path) -> Result<Option<Place>, Error> {
    if !dir.join("objects").is_dir() || !dir.join("refs").is_dir() {
        return Ok(None);
    }
    let common_dir = checked(dir)?;
    match is_git(dir) {
        Ok(Kind::PossiblyBare) => {
            let (candidate, git_dir) = (dir.to_owned(), dir.to_owned());
            Ok(Some(Place { candidate, git_dir, common_dir, work_dir: None }))
        }
        // The git directory of a submodule or of a linked work tree is opened by way of its work tree.
        Ok(Kind::WorkTree { .. } | Kind::WorkTreeGitDir { .. } | Kind::Submodule { .. } | Kind::SubmoduleGitDir)
        | Err(_) => Ok(None),
    }
}

/// Returns the git directory shared by all work trees, after a look at the files of both.
pub(super) fn checked(git_dir: &Path) -> Result<PathBuf, Error> {
    let refuse_all = |dir: &Path| FILES.iter().try_for_each(|name| refuse_irregular(&dir.join(name)));
    refuse_all(git_dir)?;
    let common_dir = match beginning(&git_dir.join("commondir")) {
        Some(text) => git_dir.join(text.trim_end()),
        None => git_dir.to_owned(),
    };
    if common_dir != git_dir {
        refuse_all(&common_dir)?;
    }
    let head = beginning(&git_dir.join("HEAD")).unwrap_or_default();
    if let Some(branch) = head.strip_prefix("ref: ") {
        refuse_irregular(&common_dir.join(branch.trim_end()))?;
    }
    Ok(common_dir)
}

/// Refuses files that block or never end when read; a missing one or a folder is reported by the reader.
fn refuse_irregular(path: &Path) -> Result<(), Error> {
    let Ok(kind) = fs::metadata(path).map(|metadata| metadata.file_type()) else { return Ok(()) };
    if kind.is_file() || kind.is_dir() {
        return Ok(());
    }
    let kind = if kind.is_fifo() { "a named pipe" } else { "a device or a socket" };
    Err(Error::NotRegular { path: path.to_owned(), kind })
}

fn beginning(path: &Path) -> Option<String> {
    regular_text(path).ok()
}

/// Reads a small file of a git directory; a pipe or a device, which a tool of a thread can make there, is not opened.
pub(super) fn regular_text(path: &Path) -> io::Result<String> {
    bounded::read_text(path, MAX_BYTES).map_err(io::Error::other)
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
