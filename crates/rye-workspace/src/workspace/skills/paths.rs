//! The folders that skills are looked for in: those that are named, and those of the table of places, found by a walk that follows no
//! link.

use std::collections::BTreeSet;

use rustix::fs::FileType;

use crate::capability::{ProjectPath, leads_to_skills, skill_folders_at};
use crate::id::Space;
use crate::item::{SkillFault, is_git_folder};
use crate::workspace::Workspace;
use crate::workspace::error::Error;
use crate::workspace::folder::{Folder, Name};

/// The most folders that are walked through.
const MOST_FOLDERS: usize = 200_000;

/// The longest path of a folder that is walked through: no commit has a longer one.
const LONGEST_PATH: usize = 4096;

/// The folders that skills are looked for in.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SkillPaths {
    /// Folders of agents, and those that a configuration names: where skills are judged, each of them must be signed.
    pub required: BTreeSet<ProjectPath>,
    /// Folders of skills that are offered to others: an unsigned one is a warning.
    offered: BTreeSet<ProjectPath>,
    /// Folders of agents that no path can name.
    unnameable: BTreeSet<String>,
    /// Submodules, checked out or not: no commit has their files.
    pub submodules: BTreeSet<String>,
}

impl SkillPaths {
    /// Makes those of folders that are named.
    #[must_use]
    pub fn named(paths: impl IntoIterator<Item = ProjectPath>) -> Self {
        Self { required: paths.into_iter().collect(), ..Self::default() }
    }

    /// Adds other folders. One that is required is not offered.
    pub fn extend(&mut self, other: Self) {
        self.required.extend(other.required);
        self.offered.extend(other.offered);
        self.unnameable.extend(other.unnameable);
        self.submodules.extend(other.submodules);
    }

    /// Adds the folders of skills that a folder of the project is, or that a link may lead to.
    pub fn see(&mut self, path: &str, is_link: bool) {
        for folder in skill_folders_at(path, is_link) {
            match (folder.path.parse::<ProjectPath>(), folder.is_offered) {
                (Ok(parsed), is_offered) if parsed.as_str() == folder.path && !folder.path.contains('\u{fffd}') => {
                    if is_offered { &mut self.offered } else { &mut self.required }.insert(parsed);
                }
                (_, false) => drop(self.unnameable.insert(folder.path)),
                (_, true) => {}
            }
        }
    }

    /// Returns the folders that a path can name.
    #[must_use]
    pub fn nameable(&self) -> Self {
        Self { unnameable: BTreeSet::new(), ..self.clone() }
    }

    /// Lists the folders, each with whether its skills are only offered.
    pub fn iter(&self) -> impl Iterator<Item = (&ProjectPath, bool)> {
        let offered = self.offered.difference(&self.required).map(|path| (path, true));
        let required = self.required.iter().map(|path| (path, false));
        required.chain(offered).filter(|(path, _)| !path.as_str().is_empty())
    }

    /// Returns what is wrong with folders that no path can name.
    #[must_use]
    pub fn faults(&self) -> Vec<(String, SkillFault)> {
        let reason = "agents read skills there, and its name cannot be written in a path";
        let fault = |path: &String| (path.clone(), SkillFault::Name { path: String::new(), reason });
        self.unnameable.iter().map(fault).collect()
    }
}

impl Workspace {
    /// Finds the folders of skills that the table of places has, at any depth of a space. Folders that are ignored are not walked
    /// through, but for those of agents, nor are other repositories.
    ///
    /// # Errors
    ///
    /// Fails for a space of more than 200,000 folders, and on what the operating system refuses.
    pub fn find_skill_paths(&self, space: Space, is_ignored: impl Fn(&str) -> bool) -> Result<SkillPaths, Error> {
        let mut found = SkillPaths::default();
        let Some(root) = self.root(space) else { return Ok(found) };
        let top = Folder::open_root(root, root)?;
        let (mut folders, mut count) = (vec![String::new()], 0);
        while let Some(above) = folders.pop() {
            let Some(entries) = entries(&top, &above)? else { continue };
            for (name, kind) in entries {
                let Name::Text(name) = name else { continue };
                let path = if above.is_empty() { name } else { format!("{above}/{name}") };
                match kind {
                    FileType::Symlink => found.see(&path, true),
                    FileType::Directory if path.len() <= LONGEST_PATH => {
                        found.see(&path, false);
                        if leads_to_skills(&path) || !is_ignored(&path) {
                            count += 1;
                            folders.push(path);
                        }
                    }
                    _ => {}
                }
            }
            if count > MOST_FOLDERS {
                return Err(Error::Refused { path: root.to_owned(), reason: "it has more than 200,000 folders" });
            }
        }
        Ok(found)
    }
}

/// Lists a folder below the top; none for another repository, and for what this person, and so an agent, cannot open.
fn entries(top: &Folder, path: &str) -> Result<Option<Vec<(Name, FileType)>>, Error> {
    let listed = top.descend(path.split('/').filter(|part| !part.is_empty())).and_then(|folder| folder.entries());
    let entries = match listed {
        Ok(entries) => entries,
        Err(Error::NotFound { .. } | Error::NotDirectory { .. } | Error::Symlink { .. }) => return Ok(None),
        Err(error) if !path.is_empty() && error.of_one_file().is_some() => return Ok(None),
        Err(error) => return Err(error),
    };
    let is_git = |(name, _): &(Name, FileType)| matches!(name, Name::Text(name) if is_git_folder(name));
    if path.is_empty() {
        return Ok(Some(entries.into_iter().filter(|entry| !is_git(entry)).collect()));
    }
    Ok((!entries.iter().any(is_git)).then_some(entries))
}
