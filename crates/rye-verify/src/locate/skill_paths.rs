//! The folders that skills are looked for in: those that configurations name, and those of the table of places (`capability`) that a
//! work tree, a commit or the index has.

use std::collections::BTreeSet;
use std::path::Path;

use super::LocateError;
use super::path_patterns::{expanded, names_here};
use crate::capability::{ProjectPath, skill_folders_at};
use crate::context::Skills;
use crate::git::{CommitId, KnownFolder, RangeCommit, Repository};
use crate::id::Space;
use crate::project::Project;
use crate::workspace::SkillPaths;

impl Project {
    /// Returns the folders of skills that are named for a space, with those that a `*` stands for. Those of a project are the usual ones, the person's, and those
    /// that the project adds; where its configuration cannot be used, which is told elsewhere, it adds none.
    #[must_use]
    pub fn named_skill_paths(&self, space: Space) -> BTreeSet<ProjectPath> {
        let mut paths: BTreeSet<ProjectPath> = self.context().config().skills.paths.iter().cloned().collect();
        if space == Space::Project {
            // Clients read skills that a person's configuration leaves out, and `verify` judges them all the same.
            paths.extend(Skills::default().paths);
            let configs = self.configs().unwrap_or_default();
            paths.extend(configs.into_iter().filter_map(|config| config.skills.paths).flatten());
        }
        if paths.iter().any(|path| path.as_str().contains('*')) {
            return expanded(paths, names_here(self.workspace().root(space)));
        }
        paths
    }

    /// Returns the folders in which clients look for the skills of a space: those that are named, and in a project those of packages
    /// and those that are offered.
    ///
    /// # Errors
    ///
    /// As [`Project::found_skill_paths`].
    pub fn skill_paths(&self, space: Space) -> Result<SkillPaths, LocateError> {
        let mut paths = SkillPaths::named(self.named_skill_paths(space));
        paths.extend(self.found_skill_paths(space)?);
        Ok(paths)
    }

    /// Finds the folders of skills that the table of places has in the work tree: in the folders of the index, and in those that git
    /// does not ignore. In a thread's tree, those that it shares with its person are ignored. The home folder of a person is not
    /// walked through.
    ///
    /// # Errors
    ///
    /// Fails when index or folders cannot be read, and for too many folders.
    pub fn found_skill_paths(&self, space: Space) -> Result<SkillPaths, LocateError> {
        if space != Space::Project || self.workspace().root(space).is_none() {
            return Ok(SkillPaths::default());
        }
        let walk = |is_ignored: &dyn Fn(&str) -> bool| self.workspace().find_skill_paths(space, is_ignored);
        let Some(repository) = self.repository() else { return Ok(walk(&|_| false)?) };
        if self.is_in_tree() {
            // Copies of the person's ignored folders lie here, which no commit gets. Nothing else is passed over: the rules of
            // the tree are the thread's to write.
            let shared = self.shared_folders();
            let is_shared = |path: &str| shared.iter().any(|folder| folder.path.as_str() == path);
            return Ok(repository.with_ignored(|is_ignored| walk(&|path| is_shared(path) && is_ignored(path, true)))??);
        }
        let mut found = repository.with_ignored(|is_ignored| walk(&|path| is_ignored(path, true)))??;
        found.extend(seen(&repository.indexed_folders(None)?));
        found.submodules.extend(repository.submodules_at("")?.into_iter().map(|entry| entry.path));
        Ok(found)
    }

    /// Tells whether a folder is one of those in which clients look for skills, whether it exists or not.
    #[must_use]
    pub fn is_skill_path(&self, space: Space, path: &ProjectPath) -> bool {
        let is_of_table = || {
            let folders = skill_folders_at(path.as_str(), false);
            space == Space::Project && folders.iter().any(|folder| !folder.is_offered && folder.path == path.as_str())
        };
        self.named_skill_paths(space).contains(path) || is_of_table()
    }
}

/// Finds the folders of skills that the table of places has in a commit.
///
/// # Errors
///
/// Fails when objects cannot be read, and for too many folders.
pub fn skill_paths_in(repository: &Repository, commit_id: &CommitId) -> Result<SkillPaths, LocateError> {
    Ok(seen(&repository.folders(commit_id)?))
}

/// Finds the folders of skills that the table of places has in an index.
///
/// # Errors
///
/// As [`skill_paths_in`].
pub fn staged_skill_paths(repository: &Repository, index_file: Option<&Path>) -> Result<SkillPaths, LocateError> {
    Ok(seen(&repository.indexed_folders(index_file)?))
}

/// Finds the folders of skills that the table of places has where a commit changes something, with the changed paths.
///
/// # Errors
///
/// As [`skill_paths_in`].
pub fn changed_skill_paths(
    repository: &Repository,
    commit: &RangeCommit,
) -> Result<(SkillPaths, Vec<String>), LocateError> {
    let changed = repository.changed_paths(&commit.info.parents, &commit.commit_id)?;
    let paths = seen(&KnownFolder::around(&changed));
    Ok((paths, changed.into_iter().map(|known| known.path).collect()))
}

fn seen(folders: &[KnownFolder]) -> SkillPaths {
    let mut paths = SkillPaths::default();
    folders.iter().for_each(|folder| paths.see(&folder.path, folder.is_link));
    paths
}
