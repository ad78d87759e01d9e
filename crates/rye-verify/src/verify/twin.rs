//! Items' files that are one file on some file system: `one.sh` and `ONE.sh`, `longername.sh` and `LONGER~1.SH`.
//!
//! A checkout there keeps one of them, and which one is unknown. So both are findings, also where both are signed.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::super::locate::LocateError;
use super::lookalike::{instead_of_item, join, taken_for};
use crate::capability::{folded, short_stem};
use crate::git::{CommitId, Repository};

/// The most folders of one name that are searched. More are a finding themselves.
const MOST_FOLDERS: usize = 16;

/// The most names in a path that is looked at. No item lies deeper: an id has at most 200 bytes.
const DEEPEST: usize = 128;

/// The names in a folder, by what some file system takes them for.
#[derive(Default)]
struct Folder {
    by_plain: BTreeMap<String, Vec<String>>,
    /// By the beginning of the short name that each would get.
    by_stem: BTreeMap<String, Vec<String>>,
    /// Names that look like short ones, by their beginning.
    short: BTreeMap<String, Vec<String>>,
}

impl Folder {
    fn of(names: impl IntoIterator<Item = String>) -> Self {
        let mut folder = Self::default();
        for name in names {
            let plain = folded(&name);
            match short_name(&plain) {
                Some(stem) => folder.short.entry(stem.to_owned()).or_default().push(name.clone()),
                None => folder.by_stem.entry(short_stem(&plain)).or_default().push(name.clone()),
            }
            folder.by_plain.entry(plain).or_default().push(name);
        }
        folder
    }

    /// Returns the names that some file system takes for this one, itself among them if it is here.
    fn like(&self, name: &str) -> impl Iterator<Item = &String> {
        let plain = folded(name);
        let short = match short_name(&plain) {
            Some(stem) => self.by_stem.get(stem),
            None => self.short.get(&short_stem(&plain)),
        };
        self.by_plain.get(&plain).into_iter().chain(short).flatten()
    }
}

/// Where names are looked up.
pub(super) trait Place {
    /// Tells whether a file, link or submodule is at a path.
    fn is_leaf(&self, path: &str) -> Result<bool, LocateError>;
    /// Lists the names in a folder; nothing if it is missing.
    fn names(&self, folder: &str) -> Result<Vec<String>, LocateError>;
}

/// A commit.
pub(super) struct InCommit<'r> {
    pub(super) repository: &'r Repository,
    pub(super) commit_id: &'r CommitId,
}

impl Place for InCommit<'_> {
    fn is_leaf(&self, path: &str) -> Result<bool, LocateError> {
        Ok(self.repository.entry_at(self.commit_id, path)?.is_some())
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, LocateError> {
        Ok(self.repository.names_in(self.commit_id, folder)?)
    }
}

/// Paths of files, wherever they are.
pub(super) struct Paths {
    leaves: BTreeSet<String>,
    folders: BTreeMap<String, BTreeSet<String>>,
}

impl Paths {
    pub(super) fn of<'a>(paths: impl IntoIterator<Item = &'a str>) -> Self {
        let (mut leaves, mut folders) = (BTreeSet::new(), BTreeMap::<String, BTreeSet<String>>::new());
        for path in paths {
            leaves.insert(path.to_owned());
            let mut rest = path;
            while let Some((folder, name)) = rest.rsplit_once('/') {
                let is_known = !folders.entry(folder.to_owned()).or_default().insert(name.to_owned());
                if is_known {
                    break;
                }
                rest = folder;
            }
        }
        Self { leaves, folders }
    }
}

impl Place for Paths {
    fn is_leaf(&self, path: &str) -> Result<bool, LocateError> {
        Ok(self.leaves.contains(path))
    }

    fn names(&self, folder: &str) -> Result<Vec<String>, LocateError> {
        Ok(self.folders.get(folder).into_iter().flatten().cloned().collect())
    }
}

/// Looks for twins of files in one place. Each folder is read once.
pub(super) struct Twins<P> {
    place: P,
    folders: BTreeMap<String, Rc<Folder>>,
}

impl<P: Place> Twins<P> {
    pub(super) const fn new(place: P) -> Self {
        Self { place, folders: BTreeMap::new() }
    }

    /// Says what a path below a type's folder is taken for; none if it is taken for nothing else.
    pub(super) fn fault(&mut self, path: &str) -> Result<Option<String>, LocateError> {
        match instead_of_item(path) {
            Some(reason) => Ok(Some(reason)),
            None => Ok(self.twin(path)?.map(|twin| taken_for(&twin))),
        }
    }

    /// Tells whether a file, link or submodule is at a path.
    pub(super) fn has(&self, path: &str) -> Result<bool, LocateError> {
        self.place.is_leaf(path)
    }

    /// Returns another path that is this one on some file system.
    fn twin(&mut self, path: &str) -> Result<Option<String>, LocateError> {
        let mut names: Vec<&str> = path.split('/').collect();
        if names.len() < 3 || names.len() > DEEPEST {
            return Ok(None);
        }
        let last = names.split_off(2);
        let mut own = names.join("/");
        let mut others: Vec<String> = Vec::new();
        for (at, name) in last.iter().enumerate() {
            let mut like = Vec::new();
            for folder in others.iter().chain([&own]) {
                let found = self.folder(folder)?;
                let is_other = |found: &&String| *folder != own || found.as_str() != *name;
                like.extend(found.like(name).filter(is_other).map(|found| join(folder, found)));
            }
            own = join(&own, name);
            let is_last = at + 1 == last.len();
            for place in &like {
                if is_last || like.len() > MOST_FOLDERS || self.place.is_leaf(place)? {
                    return Ok(Some(place.clone()));
                }
            }
            others = like;
        }
        Ok(None)
    }

    fn folder(&mut self, path: &str) -> Result<Rc<Folder>, LocateError> {
        if let Some(known) = self.folders.get(path) {
            return Ok(Rc::clone(known));
        }
        let folder = Rc::new(Folder::of(self.place.names(path)?));
        self.folders.insert(path.to_owned(), Rc::clone(&folder));
        Ok(folder)
    }
}

/// Finds the items' files that some file system takes for another one among these, each with what it is taken for.
pub(in super::super) fn twins_among(paths: &[String]) -> Result<Vec<(String, String)>, LocateError> {
    let mut twins = Twins::new(Paths::of(paths.iter().map(String::as_str)));
    let mut found = Vec::new();
    for path in paths {
        found.extend(twins.fault(path)?.map(|reason| (path.clone(), reason)));
    }
    Ok(found)
}

/// Returns the beginning of a name that looks like a short one: `longer` of `longer~1.sh`.
fn short_name(plain: &str) -> Option<&str> {
    let (stem, rest) = plain.split_once('~')?;
    rest.starts_with(|first: char| first.is_ascii_digit()).then_some(stem)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn what_lies_deeper_than_any_item_is_not_looked_at_folder_by_folder() {
        let at = |depth: usize, name: &str| format!(".ai/tools/{}{name}", "a/".repeat(depth));
        let paths = [at(90, "one.txt"), at(90, "ONE.txt"), at(2_000, "one.txt"), at(2_000, "ONE.txt")];
        let mut twins = Twins::new(Paths::of(paths.iter().map(String::as_str)));
        assert_eq!(twins.fault(&paths[2]).unwrap(), None);
        assert!(twins.folders.is_empty());
        assert_eq!(twins.fault(&paths[0]).unwrap(), Some(taken_for(&paths[1])));
    }
}
