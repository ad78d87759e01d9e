//! The search through a skill's folder, in one walk that follows no link: which files it has, and which git ignores.
//!
//! An ignored file does not belong to the skill. Only code counts that an interpreter would load next to a signed script.

use std::collections::BTreeMap;

use rustix::fs::FileType;

use crate::item::{
    MOST_DEPTH, MOST_FILES, is_code_name, is_dependency, is_environment, is_git_folder, is_unchecked_bytecode,
    python_source,
};
use crate::workspace::error::Error;
use crate::workspace::folder::{Folder, Name};

/// Tells of a path from the folder, and whether it is a folder's, whether it is ignored.
pub type IsLeftOut<'f> = dyn Fn(&str, bool) -> bool + 'f;

/// What of a folder does not belong to a skill, and which of its files count as executable, by their paths from it.
pub struct FolderRules<'f> {
    /// What does not belong to it.
    pub is_ignored: &'f IsLeftOut<'f>,
    /// Whether a file counts as executable, whatever the file system says; none where that decides.
    pub is_executable: &'f dyn Fn(&str) -> Option<bool>,
    /// Whether what is ignored is told.
    pub is_told: bool,
}

impl FolderRules<'_> {
    /// Rules by which everything belongs to the skill.
    pub const WHOLE: FolderRules<'static> =
        FolderRules { is_ignored: &|_, _| false, is_executable: &|_| None, is_told: false };
}

impl std::fmt::Debug for FolderRules<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FolderRules").finish_non_exhaustive()
    }
}

/// The most ignored paths that are remembered.
const MOST_IGNORED: usize = 1_000;

/// The most entries of ignored folders that are looked at. Beyond them, unknown code could lie there.
const MOST_LOOKED_AT: usize = 20_000;

/// As many bytes of compiled Python tell how Python judges it.
const HEAD: u64 = 16;

/// What was found in a folder.
#[derive(Debug)]
pub(super) enum Found {
    /// Something of a kind.
    Kind(FileType),
    /// Code that git ignores and an interpreter would load.
    IgnoredCode,
    /// Its name is not UTF-8.
    Unnamed,
    /// A folder that cannot be read, with the reason.
    Unreadable(String),
}

/// A search through the folder of a skill.
pub(super) struct Search<'f> {
    is_ignored: &'f IsLeftOut<'f>,
    found: BTreeMap<String, Found>,
    ignored: Vec<String>,
    /// Ignored files of compiled Python, each with the source that it is compiled from.
    compiled: Vec<(String, String)>,
    looked_at: usize,
}

impl<'f> Search<'f> {
    pub(super) const fn new(is_ignored: &'f IsLeftOut<'f>) -> Self {
        Self { is_ignored, found: BTreeMap::new(), ignored: Vec::new(), compiled: Vec::new(), looked_at: 0 }
    }

    /// Looks through a folder, in the order of paths, so that a folder that is too large ends at the same entry everywhere.
    pub(super) fn enter(&mut self, folder: &Folder, above: &str) -> Result<(), Error> {
        let depth = depth_of(above);
        let mut entries = folder.entries()?;
        entries.sort_by_cached_key(|(name, kind)| {
            let (Name::Text(name) | Name::Lossy(name)) = name;
            if *kind == FileType::Directory { format!("{name}/") } else { name.clone() }
        });
        for (name, kind) in entries {
            if self.found.len() > MOST_FILES {
                return Ok(());
            }
            let (path, kind) = match name {
                Name::Lossy(name) => (join(above, &name), Found::Unnamed),
                Name::Text(name) if self.leaves_out(folder, above, &name, kind)? => continue,
                Name::Text(name) if kind == FileType::Directory && !is_git_folder(&name) => {
                    let path = join(above, &name);
                    match folder.step(&name).and_then(|inside| self.closed(&inside, &path, depth)) {
                        Ok(None) | Err(Error::NotFound { .. }) => continue,
                        Ok(Some(kind)) => (path, kind),
                        Err(error) => (path, Found::Unreadable(unreadable(error)?)),
                    }
                }
                Name::Text(name) => (join(above, &name), Found::Kind(kind)),
            };
            // A name that is not text is put for all that look like it, in whatever order they come.
            if !matches!(self.found.get(&path), Some(Found::Unnamed)) {
                self.found.insert(path, kind);
            }
        }
        Ok(())
    }

    /// Returns the files, and what is ignored. Compiled code that Python takes without its source counts as code.
    pub(super) fn settled(mut self) -> (BTreeMap<String, Found>, Vec<String>) {
        for (path, source) in self.compiled {
            let has_source = matches!(self.found.get(&source), Some(Found::Kind(FileType::RegularFile)));
            if !has_source {
                self.found.insert(path, Found::IgnoredCode);
            }
        }
        self.ignored.retain(|path| !self.found.contains_key(path));
        (self.found, self.ignored)
    }

    /// Looks through a folder inside; one that lies too deep is an entry itself, unless it is empty.
    fn closed(&mut self, inside: &Folder, path: &str, depth: usize) -> Result<Option<Found>, Error> {
        if depth <= MOST_DEPTH {
            return self.enter(inside, path).map(|()| None);
        }
        Ok((!inside.names()?.is_empty()).then_some(Found::Kind(FileType::Directory)))
    }

    /// Leaves out what is ignored, and remembers it. A repository is never left out.
    fn leaves_out(&mut self, folder: &Folder, above: &str, name: &str, kind: FileType) -> Result<bool, Error> {
        let (path, is_folder) = (join(above, name), kind == FileType::Directory);
        if is_git_folder(name) || !(self.is_ignored)(&path, is_folder) {
            return Ok(false);
        }
        if self.ignored.len() < MOST_IGNORED {
            self.ignored.push(if is_folder { format!("{path}/") } else { path.clone() });
        }
        self.look_for_code(folder, path, name, kind)?;
        Ok(true)
    }

    /// Looks for code in what is ignored. Folders of dependencies are passed over.
    fn look_for_code(&mut self, folder: &Folder, path: String, name: &str, kind: FileType) -> Result<(), Error> {
        self.looked_at += 1;
        if is_dependency(&path) || self.found.len() > MOST_FILES {
            return Ok(());
        }
        if self.looked_at > MOST_LOOKED_AT {
            self.found.insert(path, Found::Unreadable(TOO_MANY.to_owned()));
            return Ok(());
        }
        match kind {
            FileType::Directory => match folder.step(name).and_then(|inside| self.look_into(&inside, &path)) {
                Ok(()) | Err(Error::NotFound { .. }) => {}
                Err(error) => drop(self.found.insert(path, Found::Unreadable(unreadable(error)?))),
            },
            // It could lead to a folder of modules.
            FileType::Symlink => drop(self.found.insert(path, Found::IgnoredCode)),
            FileType::RegularFile => match python_source(&path) {
                Some(source) if is_checked(folder, name) => self.compiled.push((path, source)),
                None if !is_code_name(&path) => {}
                Some(_) | None => drop(self.found.insert(path, Found::IgnoredCode)),
            },
            _ => {}
        }
        Ok(())
    }

    /// Looks for code in an ignored folder.
    fn look_into(&mut self, folder: &Folder, above: &str) -> Result<(), Error> {
        if depth_of(above) > MOST_DEPTH {
            self.found.insert(above.to_owned(), Found::Unreadable(TOO_MANY.to_owned()));
            return Ok(());
        }
        let entries = folder.entries()?.into_iter().map(|(name, kind)| match name {
            Name::Text(name) | Name::Lossy(name) => (name, kind),
        });
        let entries = Vec::from_iter(entries);
        let own_name = above.rsplit('/').next().unwrap_or(above);
        if is_environment(own_name, entries.iter().map(|(name, _)| name.as_str())) {
            return Ok(());
        }
        for (name, kind) in entries {
            let is_over = self.looked_at > MOST_LOOKED_AT;
            self.look_for_code(folder, join(above, &name), &name, kind)?;
            if is_over {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Why an ignored folder was not searched to its end.
const TOO_MANY: &str = "git ignores it, and it has too many files to search for code";

/// Tells whether Python compares a file of compiled code with its source. One that cannot be read counts as one that it does not.
fn is_checked(folder: &Folder, name: &str) -> bool {
    folder.read_seen(name, HEAD).is_some_and(|(head, ..)| !is_unchecked_bytecode(&head))
}

/// Says why something cannot be read, unless the rest cannot either.
pub(super) fn unreadable(error: Error) -> Result<String, Error> {
    match error.of_one_file() {
        Some((_, reason)) => Ok(reason),
        None => Err(error),
    }
}

fn depth_of(folder: &str) -> usize {
    if folder.is_empty() { 1 } else { folder.split('/').count() + 1 }
}

fn join(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") }
}
