//! Creating a repository: made in a folder of its own, then given its name.
//!
//! Commit point: the rename of the whole git directory to `.git`. Killed before it, a `.rye-tmp-git-…` folder is left, which
//! the next creation in the same folder removes.

use std::{
    fs::{self, File},
    io::ErrorKind,
    path::{Path, PathBuf},
};

use gix::discover::DOT_GIT_DIR;

use super::{Cause, Error, GitEnvironment, Repository, durable, open::options};

/// The prefix of names of a folder in which a repository is made.
const DRAFT: &str = ".rye-tmp-git-";

impl Repository {
    /// Creates a repository with a work tree at `dir` (absolute), on the unborn branch `main`, and opens it.
    ///
    /// # Errors
    /// [`Error::Init`] if there is one already or the folder cannot be written.
    pub fn init(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        create(dir).map_err(|source| Error::Init { path: dir.to_owned(), source })?;
        Self::open(dir, environment)
    }

    /// Creates a bare repository at `dir` (absolute), on the unborn branch `main`, and opens it.
    ///
    /// # Errors
    /// [`Error::Init`] if there is something else already or the folder cannot be written.
    pub fn init_bare(dir: &Path, environment: &GitEnvironment) -> Result<Self, Error> {
        create_bare(dir).map_err(|source| Error::Init { path: dir.to_owned(), source })?;
        Self::open_bare(dir, environment)
    }

    /// Removes what killed programs left in a folder while they created a repository there. A file that cannot be
    /// removed does no harm.
    pub fn remove_leftovers(dir: &Path) {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_draft = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(DRAFT));
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
            // The folder of one at work is locked.
            if is_draft && is_folder && File::open(&path).is_ok_and(|folder| folder.try_lock().is_ok()) {
                let _ = fs::remove_dir_all(&path);
            }
        }
    }
}

fn create(dir: &Path) -> Result<(), Cause> {
    fs::create_dir_all(dir)?;
    let (draft, _lock) = new_draft(dir)?;
    let (kind, create) = (gix::create::Kind::WithWorktree, gix::create::Options::default());
    let made = gix::ThreadSafeRepository::init_opts(&draft, kind, create, options())
        .map_err(Cause::from)
        .and_then(|_| rename(&draft.join(DOT_GIT_DIR), &dir.join(DOT_GIT_DIR)));
    // The first failure is the better answer.
    let _ = fs::remove_dir_all(&draft);
    made.and_then(|()| Ok(durable::sync(dir)?))
}

/// The commit point is the rename of the whole repository, made in a folder next to it.
fn create_bare(dir: &Path) -> Result<(), Cause> {
    let above = dir.parent().ok_or("it has no folder around it")?;
    fs::create_dir_all(above)?;
    let (draft, _lock) = new_draft(above)?;
    let (kind, create) = (gix::create::Kind::Bare, gix::create::Options::default());
    let made = gix::ThreadSafeRepository::init_opts(draft.join("bare"), kind, create, options())
        .map_err(Cause::from)
        .and_then(|_| rename(&draft.join("bare"), dir));
    let _ = fs::remove_dir_all(&draft);
    made.and_then(|()| Ok(durable::sync(above)?))
}

/// Gives the git directory its name, which must be free or that of an empty folder.
fn rename(made: &Path, dot_git: &Path) -> Result<(), Cause> {
    match fs::rename(made, dot_git) {
        Err(error) if dot_git.symlink_metadata().is_ok() => {
            Err(format!("`{}` is there already and is not a whole repository: {error}", dot_git.display()).into())
        }
        renamed => Ok(renamed?),
    }
}

/// Makes a folder and locks it for as long as it is worked in.
fn new_draft(dir: &Path) -> Result<(PathBuf, File), Cause> {
    for number in 0_u32.. {
        let draft = dir.join(format!("{DRAFT}{}-{number}", std::process::id()));
        match fs::create_dir(&draft) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => {
                made?;
                let lock = File::open(&draft)?;
                lock.lock()?;
                return Ok((draft, lock));
            }
        }
    }
    Err("every name of a draft is taken".into())
}
