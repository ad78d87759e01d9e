//! Folders that the person's configuration lets a tool write outside of work trees: caches, the state of a server.
//!
//! The tool writes there itself, so nothing judges what it makes. Such a folder is refused if git, an editor or another program would
//! obey a file in it: if it lies in a work tree, is or contains a git folder, or is or contains, on its first level, a place whose content
//! runs code. It is looked at before a call and after it, by names alone.

use std::ffi::OsStr;
use std::fs::DirEntry;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::capability::{GitNames, is_code_place};
use crate::process::Error;
use crate::project::Project;
use crate::workspace::is_repository_at;

/// The most entries that are looked at: what has more is refused.
const MOST_ENTRIES: usize = 1_000_000;

const IN_TREE: &str =
    "it lies in a git work tree, where a tool writes only what is judged: grant a path of the project";
const GIT: &str = "git would obey it as a repository: grant folders that contain none";
const CODE: &str = "other programs execute or follow what lies there: grant folders that contain no such place";
const TOO_MANY: &str = "it has too many files to look for git folders among them: grant a smaller folder";
const CLOSED: &str = "it cannot be listed, so what lies in it cannot be told: open it, or grant another folder";

/// A path that speaks against a grant, and why.
type Objection = (PathBuf, &'static str);

/// Makes sure that a tool may write a file or folder itself, which has no links.
///
/// # Errors
///
/// [`Error::Grant`] with the path that speaks against it.
pub fn check(project: &Project, path: &Path) -> Result<(), Error> {
    let home = project.context().home().ok().and_then(|home| home.canonicalize().ok());
    let found = of_what_is_around(path).and_then(|()| of_code(path, home.as_deref())).and_then(|()| of_git(path));
    found.map_err(|(path, reason)| Error::Grant { path, reason })
}

/// Looks at the folders above.
fn of_what_is_around(path: &Path) -> Result<(), Objection> {
    for above in path.ancestors() {
        let is_git = above.file_name().is_some_and(is_git_name);
        if is_git || is_repository_at(above) {
            return Err((above.to_owned(), GIT));
        }
        if above.join(".git").symlink_metadata().is_ok() {
            return Err((path.to_owned(), IN_TREE));
        }
    }
    Ok(())
}

/// Looks for places whose content runs code: the path, as seen from the home folder, and what lies in it.
fn of_code(path: &Path, home: Option<&Path>) -> Result<(), Objection> {
    let named = home.and_then(|home| path.strip_prefix(home).ok()).unwrap_or(path);
    let named: Vec<String> = named.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if is_code_place(&named) {
        return Err((path.to_owned(), CODE));
    }
    for entry in entries(path)? {
        let below = [named.as_slice(), &[entry.file_name().to_string_lossy().into_owned()]].concat();
        if is_code_place(&below) {
            return Err((entry.path(), CODE));
        }
    }
    Ok(())
}

/// Looks below a folder for what git takes for a repository.
fn of_git(folder: &Path) -> Result<(), Objection> {
    let (mut seen, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let entries = entries(&folder)?;
        seen += entries.len();
        if seen > MOST_ENTRIES {
            return Err((folder, TOO_MANY));
        }
        if let Some(git) = entries.iter().find(|entry| is_git_name(&entry.file_name())) {
            return Err((git.path(), GIT));
        }
        let names = entries.iter().map(|entry| GitNames::of(&entry.file_name().to_string_lossy()));
        if names.fold(GitNames::default(), GitNames::with).are_a_repository() {
            return Err((folder, GIT));
        }
        let is_folder = |entry: &&DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
        folders.extend(entries.iter().filter(is_folder).map(DirEntry::path));
    }
    Ok(())
}

/// Lists a folder; a file has nothing in it.
fn entries(folder: &Path) -> Result<Vec<DirEntry>, Objection> {
    let listed = std::fs::read_dir(folder).and_then(Iterator::collect);
    match listed {
        Err(error) if matches!(error.kind(), ErrorKind::NotADirectory | ErrorKind::NotFound) => Ok(Vec::new()),
        listed => listed.map_err(|_| (folder.to_owned(), CLOSED)),
    }
}

fn is_git_name(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}
