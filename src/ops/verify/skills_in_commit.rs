//! The folders of skills in a commit, read from its objects.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::LocateError;
use super::files::MAX_ENTRIES;
use crate::capability::{ProjectPath, folded};
use crate::git::{CommitId, Mode, Repository, TreeEntry};
use crate::item::{
    EntryKind, MOST_DEPTH, MOST_FILE_BYTES, MOST_FILES, SKILL_FILE, SkillEntry, SkillFault, SkillFolder, is_skill_name,
    resolve_link,
};
use crate::workspace::{SkillPlace, SkillPlaces, is_alike};

/// The longest target of a link that is read.
const MOST_TARGET: u64 = 4096;

/// A commit whose skills are looked for.
pub(super) struct InCommit<'r> {
    pub(super) repository: &'r Repository,
    pub(super) commit_id: &'r CommitId,
}

impl InCommit<'_> {
    /// Finds the skills in the folders of `paths`, as the work tree's are found.
    pub(super) fn places(&self, paths: &BTreeSet<ProjectPath>) -> Result<(SkillPlaces, Entries), LocateError> {
        let (mut found, mut entries) = (SkillPlaces::default(), Entries::new());
        for path in paths.iter().filter(|path| !path.as_str().is_empty()) {
            if self.is_folder(path, paths, &mut found)? {
                self.enter(path, paths, (&mut found, &mut entries))?;
            }
        }
        found.places.sort();
        found.faults.sort_by(|a, b| a.0.cmp(&b.0));
        found.faults.dedup();
        Ok((found, entries))
    }

    /// Tells whether a path leads to a folder. A link on the way that leads elsewhere than to another path is a fault.
    fn is_folder(
        &self,
        path: &ProjectPath,
        paths: &BTreeSet<ProjectPath>,
        found: &mut SkillPlaces,
    ) -> Result<bool, LocateError> {
        let ends = path.as_str().match_indices('/').map(|(at, _)| at).chain([path.as_str().len()]);
        for end in ends {
            let (here, rest) = (&path.as_str()[..end], path.as_str()[end..].trim_start_matches('/'));
            let (above, part) = here.rsplit_once('/').unwrap_or(("", here));
            for name in self.repository.names_in(self.commit_id, above)? {
                if name != part && is_alike(&name, part) {
                    let alike = if above.is_empty() { name } else { format!("{above}/{name}") };
                    let fault = SkillFault::Collides { path: String::new(), other: part.to_owned() };
                    found.faults.push((alike, fault));
                }
            }
            let Some(entry) = self.repository.entry_at(self.commit_id, here)? else { continue };
            let above = here.rsplit_once('/').map_or("", |(above, _)| above);
            match entry.mode {
                Mode::Symlink => {
                    let target = resolve_link(above, &self.target(&entry)?);
                    let target = target.map(|target| if rest.is_empty() { target } else { format!("{target}/{rest}") });
                    let is_known = target
                        .and_then(|target| target.parse::<ProjectPath>().ok())
                        .is_some_and(|target| target != *path && paths.contains(&target));
                    if !is_known {
                        found.faults.push((here.to_owned(), SkillFault::Link { path: String::new() }));
                    }
                }
                Mode::Submodule => {
                    found.faults.push((here.to_owned(), SkillFault::Repository { path: String::new() }));
                }
                Mode::File | Mode::Executable | Mode::Tree => {}
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn enter(
        &self,
        path: &ProjectPath,
        paths: &BTreeSet<ProjectPath>,
        (found, entries): (&mut SkillPlaces, &mut Entries),
    ) -> Result<(), LocateError> {
        let mut skills: BTreeMap<String, bool> = BTreeMap::new();
        let mut nested: BTreeSet<String> = BTreeSet::new();
        for entry in self.repository.entries_below(self.commit_id, path.as_str(), MAX_ENTRIES)? {
            let below = entry.path[path.as_str().len()..].trim_start_matches('/');
            let (name, rest) = below.split_once('/').unwrap_or((below, ""));
            let here = format!("{path}/{name}");
            if here.parse().is_ok_and(|other: ProjectPath| paths.contains(&other)) {
                continue;
            }
            match (rest, entry.mode) {
                ("", Mode::Symlink) => {
                    let target = resolve_link(path.as_str(), &self.target(&entry)?);
                    let is_known = target.is_some_and(|target| {
                        let (above, last) = target.rsplit_once('/').unwrap_or(("", &target));
                        let is_path = |above: ProjectPath| above != *path && paths.contains(&above);
                        last == name && above.parse().is_ok_and(is_path)
                    });
                    if !is_known {
                        found.faults.push((here, SkillFault::Link { path: String::new() }));
                    }
                }
                ("", Mode::Submodule) => {
                    found.faults.push((here, SkillFault::Repository { path: String::new() }));
                }
                ("", _) if folded(name) == folded(SKILL_FILE) => found.faults.push((here, SkillFault::Nested)),
                ("", _) => {}
                (rest, _) => {
                    let last = rest.rsplit('/').next().unwrap_or(rest);
                    if folded(last) == folded(SKILL_FILE) && rest != last {
                        nested.insert(name.to_owned());
                    }
                    *skills.entry(name.to_owned()).or_default() |= folded(rest) == folded(SKILL_FILE);
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
                found.places.push(SkillPlace { name, path: here });
            } else {
                found.faults.push((here, SkillFault::FolderName { name }));
            }
        }
        Ok(())
    }

    fn target(&self, entry: &TreeEntry) -> Result<String, LocateError> {
        let bytes = self.repository.blob_within(&entry.blob_id, MOST_TARGET)?.unwrap_or_default();
        Ok(String::from_utf8(bytes).unwrap_or_default())
    }
}

/// What lies in each folder, by its path.
pub(super) type Entries = BTreeMap<String, Vec<TreeEntry>>;

/// Reads the folder of a skill, of which it is known what lies in it.
pub(super) fn folder(
    repository: &Repository,
    place: &SkillPlace,
    all: &[TreeEntry],
) -> Result<SkillFolder, LocateError> {
    let is_cut = all.len() > MOST_FILES;
    let mut entries = Vec::new();
    for entry in all.iter().take(MOST_FILES) {
        let path = entry.path[place.path.len()..].trim_start_matches('/').to_owned();
        let kind = match entry.mode {
            _ if path.split('/').count() > MOST_DEPTH => {
                EntryKind::Unreadable { reason: "it lies too deep".to_owned() }
            }
            Mode::Symlink => EntryKind::Link,
            Mode::Submodule | Mode::Tree => EntryKind::Repository,
            Mode::File | Mode::Executable => match repository.blob_within(&entry.blob_id, MOST_FILE_BYTES)? {
                Some(bytes) => EntryKind::file(entry.mode == Mode::Executable, &bytes),
                None => EntryKind::Large { size: repository.size_of(&entry.blob_id)? },
            },
        };
        entries.push(SkillEntry { path, kind });
    }
    entries.sort_by(|a, b| a.path.as_bytes().cmp(b.path.as_bytes()));
    Ok(SkillFolder { path: place.path.clone(), entries, is_cut })
}
