//! Folders that the person's configuration lets a tool write outside of work trees: caches, the state of a server.
//!
//! The tool writes there itself, so nothing judges what it makes. Such a folder is refused if git, an editor or another program would
//! obey a file in it: if it lies in a work tree, is or contains a git folder, or is or contains, on its first level, a place whose content
//! runs code. It is looked at before a call and after it, by names alone.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::capability::is_code_place;
use crate::process::Error;
use crate::session::Session;

/// The most entries that are looked at: what has more is refused.
const MOST_ENTRIES: usize = 1_000_000;

const IN_TREE: &str =
    "it lies in a git work tree, where a tool writes only what is judged: grant a path of the project";
const GIT: &str = "git would obey it as a repository: grant folders that contain none";
const CODE: &str = "other programs execute or follow what lies there: grant folders that contain no such place";
const TOO_MANY: &str = "it has too many files to look for git folders among them: grant a smaller folder";

/// Makes sure that a tool may write a file or folder itself, which has no links.
///
/// # Errors
///
/// [`Error::Grant`] with the path that speaks against it.
pub fn check(session: &Session, path: &Path) -> Result<(), Error> {
    let refused = |path: &Path, reason| Err(Error::Grant { path: path.to_owned(), reason });
    for above in path.ancestors() {
        if above.file_name().is_some_and(is_git_name) || is_repository(&names_of(above)) {
            return refused(above, GIT);
        }
        if above.join(".git").symlink_metadata().is_ok() {
            return refused(path, IN_TREE);
        }
    }
    let home = session.context().home().ok().and_then(|home| home.canonicalize().ok());
    let named = home.as_deref().and_then(|home| path.strip_prefix(home).ok()).unwrap_or(path);
    let named: Vec<String> = named.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if is_code_place(&named) {
        return refused(path, CODE);
    }
    for name in names_of(path) {
        let below = [named.as_slice(), &[name.to_string_lossy().into_owned()]].concat();
        if is_code_place(&below) {
            return refused(&path.join(name), CODE);
        }
    }
    match first_repository(path) {
        Some((path, reason)) => refused(&path, reason),
        None => Ok(()),
    }
}

/// Looks below a folder for what git takes for a repository.
fn first_repository(folder: &Path) -> Option<(PathBuf, &'static str)> {
    let (mut seen, mut folders) = (0, vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            seen += 1;
            if seen > MOST_ENTRIES {
                return Some((folder, TOO_MANY));
            }
            if is_git_name(&entry.file_name()) {
                return Some((entry.path(), GIT));
            }
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(entry.path());
            }
            names.push(entry.file_name());
        }
        if is_repository(&names) {
            return Some((folder, GIT));
        }
    }
    None
}

fn names_of(folder: &Path) -> Vec<OsString> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
}

fn is_git_name(name: &std::ffi::OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Tells whether a folder with these names is one that git takes for a repository.
fn is_repository(names: &[OsString]) -> bool {
    let has = |wanted: &str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
    has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}
