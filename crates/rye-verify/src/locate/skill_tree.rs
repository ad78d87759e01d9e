//! The folders of skills in a git tree: that of a commit, or that which a commit would make.

use std::collections::{BTreeMap, BTreeSet};

use super::LocateError;
use crate::capability::{ProjectPath, folded};
use crate::git::{CommitId, Mode, Repository, TreeEntry};
use crate::item::{
    AttributesFile, MOST_ATTRIBUTE_BYTES, SKILL_FILE, SkillAttributes, SkillFault, is_skill_name,
    is_taken_for_attributes, resolve_link,
};
use crate::workspace::{DEEPEST_SKILL_FILE, SkillPaths, SkillPlace, SkillPlaces, is_alike, is_other_path, link_fault};

/// The most files that a folder of skills may hold in a commit.
const MAX_ENTRIES: usize = 200_000;

/// The longest target of a link that is read.
const MOST_TARGET: u64 = 4096;

/// A git tree in which skills are looked for.
pub trait SkillTree {
    /// Lists the names in a folder (`""`: the top); none if there is no such folder.
    fn names_in(&self, folder: &str) -> Result<Vec<String>, LocateError>;

    /// Returns what is at a path, unless it is nothing or a folder.
    ///
    /// # Errors
    ///
    /// As [`SkillTree::names_in`].
    fn entry_at(&self, path: &str) -> Result<Option<TreeEntry>, LocateError>;

    /// Lists all files below a folder.
    ///
    /// # Errors
    ///
    /// As [`SkillTree::names_in`], and when there are too many.
    fn entries_below(&self, folder: &str) -> Result<Vec<TreeEntry>, LocateError>;

    /// Reads a file, or the target of a link; none if it is larger than `most`.
    ///
    /// # Errors
    ///
    /// As [`SkillTree::names_in`].
    fn bytes(&self, entry: &TreeEntry, most: u64) -> Result<Option<Vec<u8>>, LocateError>;
}

/// The tree of a commit.
#[derive(Debug, Clone, Copy)]
pub struct CommitTree<'r> {
    /// The repository.
    pub repository: &'r Repository,
    /// The commit.
    pub commit_id: &'r CommitId,
}

impl SkillTree for CommitTree<'_> {
    fn names_in(&self, folder: &str) -> Result<Vec<String>, LocateError> {
        Ok(self.repository.names_in(self.commit_id, folder)?)
    }

    fn entry_at(&self, path: &str) -> Result<Option<TreeEntry>, LocateError> {
        Ok(self.repository.entry_at(self.commit_id, path)?)
    }

    fn entries_below(&self, folder: &str) -> Result<Vec<TreeEntry>, LocateError> {
        Ok(self.repository.entries_below(self.commit_id, folder, MAX_ENTRIES)?)
    }

    fn bytes(&self, entry: &TreeEntry, most: u64) -> Result<Option<Vec<u8>>, LocateError> {
        Ok(self.repository.blob_within(&entry.blob_id, most)?)
    }
}

/// What a tree has of skills.
#[derive(Debug, Default)]
pub struct SkillsInTree {
    /// The folders, and what is wrong in their place.
    pub found: SkillPlaces,
    /// The files of attributes by which git checks out other bytes of skills, each with the names of these.
    pub attributes: BTreeMap<String, BTreeSet<String>>,
    /// What lies in each folder, by its path.
    pub entries: BTreeMap<String, Vec<TreeEntry>>,
}

impl SkillsInTree {
    /// Finds the skills of a tree in the folders of `paths`, as the work tree's are found. Attributes count for skills that are only
    /// offered if they are signed.
    ///
    /// # Errors
    ///
    /// As [`SkillTree::entries_below`].
    pub fn read(
        tree: &impl SkillTree,
        paths: &SkillPaths,
        is_signed: impl Fn(&str) -> bool,
    ) -> Result<Self, LocateError> {
        let mut read = Self::default();
        read.found.faults = paths.faults();
        for (path, is_offered) in paths.iter() {
            let mut here = Self::default();
            if here.is_folder(tree, path, &paths.required)? {
                here.enter(tree, path, &paths.required)?;
            }
            read.found.take_in(here.found, is_offered);
            read.entries.extend(here.entries);
        }
        read.found.settle();
        let judged = read.found.places.iter().filter(|place| !place.is_offered || is_signed(&place.name)).cloned();
        read.attributes = changing_attributes(&Vec::from_iter(judged), |path| attributes_at(tree, path))?;
        Ok(read)
    }

    /// Returns what is wrong in the place of skills, with the file or folder that it is about.
    pub fn faults(&self) -> impl Iterator<Item = (String, SkillFault)> {
        let attributes =
            self.attributes.keys().map(|path| (path.clone(), SkillFault::Attributes { path: String::new() }));
        self.found.faults.iter().cloned().chain(attributes)
    }

    /// Tells whether a path leads to a folder. A link on the way that leads elsewhere than to another path is a fault.
    fn is_folder(
        &mut self,
        tree: &impl SkillTree,
        path: &ProjectPath,
        paths: &BTreeSet<ProjectPath>,
    ) -> Result<bool, LocateError> {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at).chain([path.as_str().len()]);
        for end in ends {
            let (here, rest) = (&path.as_str()[..end], path.as_str()[end..].trim_start_matches('/'));
            let (above, part) = here.rsplit_once('/').unwrap_or(("", here));
            for name in tree.names_in(above)? {
                self.attributes_alike(above, &name);
                if name != part && is_alike(&name, part) {
                    let alike = if above.is_empty() { name } else { format!("{above}/{name}") };
                    let fault = SkillFault::Collides { path: String::new(), other: part.to_owned() };
                    self.found.faults.push((alike, fault));
                }
            }
            let Some(entry) = tree.entry_at(here)? else { continue };
            match entry.mode {
                Mode::Symlink => {
                    let target = resolve_link(above, &target(tree, &entry)?);
                    let target = target.map(|target| if rest.is_empty() { target } else { format!("{target}/{rest}") });
                    if !target.is_some_and(|target| is_other_path(paths, path, &target)) {
                        self.found.faults.push((here.to_owned(), SkillFault::Link { path: String::new() }));
                    }
                }
                Mode::Submodule => {
                    self.found.faults.push((here.to_owned(), SkillFault::Repository { path: String::new() }));
                }
                Mode::File | Mode::Executable | Mode::Tree => {}
            }
            return Ok(false);
        }
        Ok(true)
    }

    /// Takes in a file that some file system takes for one with attributes, whatever it holds.
    fn attributes_alike(&mut self, above: &str, name: &str) {
        if is_taken_for_attributes(name) {
            let path = if above.is_empty() { name.to_owned() } else { format!("{above}/{name}") };
            self.found.faults.push((path, SkillFault::Attributes { path: String::new() }));
        }
    }

    fn enter(
        &mut self,
        tree: &impl SkillTree,
        path: &ProjectPath,
        paths: &BTreeSet<ProjectPath>,
    ) -> Result<(), LocateError> {
        for name in tree.names_in(path.as_str())? {
            self.attributes_alike(path.as_str(), &name);
        }
        let Self { found, entries, .. } = self;
        let mut skills: BTreeMap<String, bool> = BTreeMap::new();
        let mut nested: BTreeSet<String> = BTreeSet::new();
        for entry in tree.entries_below(path.as_str())? {
            let below = entry.path[path.as_str().len()..].trim_start_matches('/');
            let (name, rest) = below.split_once('/').unwrap_or((below, ""));
            let here = format!("{path}/{name}");
            if here.parse().is_ok_and(|other: ProjectPath| paths.contains(&other)) {
                continue;
            }
            match (rest, entry.mode) {
                ("", Mode::Symlink) => {
                    let target = resolve_link(path.as_str(), &target(tree, &entry)?);
                    found.faults.extend(link_fault(|other| paths.contains(other), here, target));
                }
                ("", Mode::Submodule) => {
                    found.faults.push((here, SkillFault::Repository { path: String::new() }));
                }
                ("", _) if folded(name) == folded(SKILL_FILE) => found.faults.push((here, SkillFault::Nested)),
                ("", _) => {}
                (rest, _) => {
                    let mut parts = rest.split('/').take(DEEPEST_SKILL_FILE + 1).map(folded);
                    let is_skill = parts.next() == Some(folded(SKILL_FILE));
                    if parts.any(|part| part == folded(SKILL_FILE)) {
                        nested.insert(name.to_owned());
                    }
                    *skills.entry(name.to_owned()).or_default() |= is_skill;
                    entries.entry(here).or_default().push(entry);
                }
            }
        }
        for (name, _) in skills.iter().filter(|(name, is_skill)| !**is_skill && nested.contains(*name)) {
            found.faults.push((format!("{path}/{name}"), SkillFault::Nested));
        }
        for (name, _) in skills.into_iter().filter(|(_, is_skill)| *is_skill) {
            let here = format!("{path}/{name}");
            if is_skill_name(&name) {
                found.places.push(SkillPlace::of(&here));
            } else {
                found.faults.push((here, SkillFault::FolderName { name }));
            }
        }
        Ok(())
    }
}

fn target(tree: &impl SkillTree, entry: &TreeEntry) -> Result<String, LocateError> {
    let bytes = tree.bytes(entry, MOST_TARGET)?.unwrap_or_default();
    Ok(String::from_utf8(bytes).unwrap_or_default())
}

/// Reads a file of attributes of a tree.
pub(crate) fn attributes_at(tree: &impl SkillTree, path: &str) -> Result<AttributesFile, LocateError> {
    let Some(entry) = tree.entry_at(path)? else { return Ok(AttributesFile::Missing) };
    match entry.mode {
        Mode::File | Mode::Executable => {
            let bytes = tree.bytes(&entry, MOST_ATTRIBUTE_BYTES)?;
            Ok(bytes.map_or(AttributesFile::Unclear, |bytes| AttributesFile::of(&bytes)))
        }
        // Git takes the target of a link for the text.
        Mode::Symlink | Mode::Submodule | Mode::Tree => Ok(AttributesFile::Unclear),
    }
}

/// Finds the files of attributes above skills by which git checks out other bytes of them, each with the names of these.
///
/// # Errors
///
/// Passes on the error of `read`.
pub fn changing_attributes<E>(
    places: &[SkillPlace],
    read: impl Fn(&str) -> Result<AttributesFile, E>,
) -> Result<BTreeMap<String, BTreeSet<String>>, E> {
    let attributes = SkillAttributes::read(places.iter().map(|place| place.path.as_str()), read)?;
    let mut changing: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for place in places {
        for (path, _) in attributes.faults(&place.path) {
            changing.entry(path).or_default().insert(place.name.clone());
        }
    }
    Ok(changing)
}
