//! A tool never makes a git repository, and neither writes nor reads one.
//!
//! Git takes a folder for one that has a file `HEAD` with `objects` and `refs`, or with a `commondir` that names a folder with
//! both; then the `config` and `hooks` there name programs to run. So a tool makes no file `HEAD`, and writes nothing below a
//! folder that would have one together with any of the others. As no tool makes the `HEAD`, two writes at once make none
//! either. And no folder with `objects` and `refs` gets `config` or `hooks` from a tool, in whatever order: a `HEAD` and a
//! `commondir` that a stranger left elsewhere can lead there.
//!
//! That is judged of a folder as it is, before a write ([`check`]), and of a whole tree, with what a script did to it
//! ([`GitFolders`]), by the same names. Git merges trees without asking anybody: so a tree gets no `HEAD` next to another part of a
//! repository, and none of these next to a `HEAD` ([`GitFolders::gets_part`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::error::Error;
use super::folder::{Folder, Name};
use crate::capability::{GitNames, ProjectPath, folded};

/// Tells whether git takes a folder with these entries for a repository.
pub(super) fn is_repository_of(entries: &[(Name, FileType)]) -> bool {
    let entries = entries.iter().map(|(Name::Text(name) | Name::Lossy(name), kind)| {
        GitNames::of_entry(name, *kind == FileType::Directory, *kind == FileType::RegularFile)
    });
    entries.fold(GitNames::default(), GitNames::with).are_a_repository()
}

/// The folders of a tree, by their names. It judges what a tree would be with changes, in whatever order and at whatever time these were made.
#[derive(Debug, Clone, Default)]
pub struct GitFolders(BTreeMap<String, GitNames>);

impl GitFolders {
    /// Takes in a path that the tree has.
    pub fn add(&mut self, path: &str) {
        if tells(path) {
            for (folder, name) in steps(path) {
                let names = self.0.entry(folder).or_default();
                *names = names.with(name);
            }
        }
    }

    /// Tells whether a path that is new next to those `before` is a part by which a merge could make a repository: a `HEAD`
    /// where the tree has any other name that tells git what a folder is, or such a name where a `HEAD` was before.
    #[must_use]
    pub fn gets_part(&self, before: &GitPaths, path: &str) -> bool {
        let has_others = |folder: &str| {
            self.0.get(folder).is_some_and(|names| names.has_any(GitNames::BESIDE_HEAD.with(GitNames::OBEYED)))
        };
        tells(path)
            && telling_ways(path).any(|(way, folder, name)| {
                !before.have(way)
                    && if name.has_any(GitNames::HEAD) { has_others(&folder) } else { before.have_head(&folder) }
            })
    }

    /// Tells whether a path lies in what git takes for a repository, or is a part of what git would obey.
    #[must_use]
    pub fn hold(&self, path: &str) -> bool {
        steps(path).any(|(folder, name)| {
            self.0.get(&folder).is_some_and(|names| names.are_a_repository() || names.obeys(name))
        })
    }
}

/// The paths that tell git what a folder is, as they are spelt.
#[derive(Debug, Clone, Default)]
pub struct GitPaths {
    paths: BTreeSet<String>,
    /// The folders with a `HEAD`, as file systems compare their names.
    with_head: BTreeSet<String>,
}

impl GitPaths {
    /// Takes in a path, with the folders above it.
    pub fn add(&mut self, path: &str) {
        if !tells(path) {
            return;
        }
        for (way, folder, name) in telling_ways(path) {
            self.paths.insert(way.to_owned());
            if name.has_any(GitNames::HEAD) {
                self.with_head.insert(folder);
            }
        }
    }

    fn have(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    fn have_head(&self, folder: &str) -> bool {
        self.with_head.contains(folder)
    }
}

/// Tells whether any name of a path is one of those that matter; most paths have none.
fn tells(path: &str) -> bool {
    path.split('/').any(|name| GitNames::of(name) != GitNames::default())
}

/// Lists a path, and those of the folders above it, whose last names tell git what a folder is; each with that folder, as file
/// systems compare its name. A folder is no `HEAD`.
fn telling_ways(path: &str) -> impl Iterator<Item = (&str, String, GitNames)> {
    let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
    let ways = ends.zip(steps(path)).map(|(end, (folder, name))| (&path[..end], folder, name));
    ways.filter(|(way, _, name)| {
        *name != GitNames::default() && (!name.has_any(GitNames::HEAD) || way.len() == path.len())
    })
}

/// Lists the folders above a path, as file systems compare their names, each with the name in it that leads on.
fn steps(path: &str) -> impl Iterator<Item = (String, GitNames)> {
    path.split('/').scan(String::new(), |above, name| {
        let folder = above.clone();
        above.push_str(&folded(name));
        above.push('/');
        Some((folder, GitNames::of(name)))
    })
}

/// Refuses a write that makes or changes what git takes for a repository.
pub(super) fn check(root: &Folder, path: &ProjectPath) -> Result<(), Error> {
    let parts: Vec<&str> = path.parts().collect();
    if parts.last().is_some_and(|name| is_head(name)) {
        return Err(refused(path, WRITE));
    }
    let mut above = root.descend([])?;
    for part in parts {
        if is_repository(&above, part)? {
            return Err(refused(path, WRITE));
        }
        above = match above.step(part) {
            Ok(folder) => folder,
            // A missing folder contains nothing; another entry is for the write to report.
            Err(_) => return Ok(()),
        };
    }
    Ok(())
}

/// Refuses to read what git takes for a repository now: its configuration may hold credentials.
pub(super) fn check_read(root: &Folder, path: &ProjectPath) -> Result<(), Error> {
    let mut above = root.descend([])?;
    for part in path.parts() {
        if is_git_folder(&above) {
            return Err(refused(path, READ));
        }
        above = match above.step(part) {
            Ok(folder) => folder,
            Err(_) => return Ok(()),
        };
    }
    if is_git_folder(&above) { Err(refused(path, READ)) } else { Ok(()) }
}

/// Tells whether git takes a folder for a repository. One whose names cannot be listed is asked for each of them.
fn is_git_folder(folder: &Folder) -> bool {
    match folder.entries() {
        Ok(entries) => is_repository_of(&entries),
        Err(_) => of_those_there(|name| folder.stat(name).is_ok()).are_a_repository(),
    }
}

/// Tells whether git takes a folder at a path for a repository, as far as its names can be told.
#[must_use]
pub fn is_repository_at(folder: &Path) -> bool {
    let names = match fs::read_dir(folder) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| GitNames::of(&entry.file_name().to_string_lossy()))
            .fold(GitNames::default(), GitNames::with),
        Err(_) => of_those_there(|name| folder.join(name).symlink_metadata().is_ok()),
    };
    names.are_a_repository()
}

/// The names that a folder has, as git spells them.
fn of_those_there(has: impl Fn(&str) -> bool) -> GitNames {
    ["HEAD", "objects", "refs", "commondir"].into_iter().filter(|name| has(name)).collect()
}

/// Tells whether git would take a folder for a repository, or obey its files, with one more name in it.
fn is_repository(folder: &Folder, added: &str) -> Result<bool, Error> {
    let mut names = GitNames::default();
    for (Name::Text(name) | Name::Lossy(name), kind) in folder.entries()? {
        let found = GitNames::of(&name);
        // A folder is no `HEAD`, and no tool makes a file of it.
        names = names.with(if kind == FileType::Directory { found.without(GitNames::HEAD) } else { found });
    }
    let (has_head, added) = (names.has_any(GitNames::HEAD), GitNames::of(added));
    let names = names.with(added);
    Ok(has_head && names.has_any(GitNames::BESIDE_HEAD) || names.obeys(added))
}

fn is_head(name: &str) -> bool {
    GitNames::of(name).has_any(GitNames::HEAD)
}

const WRITE: &str = "tools cannot create or change a git repository";
const READ: &str = "tools cannot access git's own folder";

fn refused(path: &ProjectPath, reason: &'static str) -> Error {
    Error::Refused { path: PathBuf::from(path.as_str()), reason }
}
