//! What demands that skills are signed, and where they are looked for: the project's configuration and manifests, those of the trust
//! root, and those of the state before.

use std::collections::BTreeSet;

use super::super::locate::{LocateError, expanded_at};
use super::base::Base;
use super::content::MANIFESTS;
use super::files;
use super::project_config;
use crate::capability::ProjectPath;
use crate::context::ProjectConfig;
use crate::git::{CommitId, Repository};
use crate::project::Project;
use crate::workspace::{SkillPaths, SkillPlaces};

/// Whether skills must be signed, and the folders that are named for them.
#[derive(Debug, Clone, Default)]
pub(super) struct Demand {
    pub(super) paths: BTreeSet<ProjectPath>,
    /// Folders that only the state before named: skills in them that are not signed are found.
    left: BTreeSet<ProjectPath>,
    pub(super) is_demanded: bool,
}

impl Demand {
    /// Reads that of the work tree.
    pub(super) fn here(project: &Project, base: Option<&Base>) -> Result<Self, LocateError> {
        let configs = match project_config::here(project)? {
            Ok(_) => Ok(project.configs()?),
            Err(fault) => Err(fault),
        };
        let is_demanded = demands(&configs);
        let paths = configs.into_iter().flatten().filter_map(|config| config.skills.paths).flatten().collect();
        let own = Self { paths, left: BTreeSet::new(), is_demanded };
        let before = match project.repository() {
            Some(repository) => {
                let head = repository.head()?.commit_id().cloned();
                Self::before(&repository, head.as_slice())
            }
            None => Self::default(),
        };
        let mut joined = own.with(project, base, before)?;
        // What `*` stands for in the work tree.
        joined.paths.extend(project.named_skill_paths(files::space(project)));
        Ok(joined)
    }

    /// Reads that of a commit.
    pub(super) fn of_commit(project: &Project, base: Option<&Base>, commit_id: &CommitId) -> Result<Self, LocateError> {
        let repository = files::repository(project)?;
        let own = Self::at(&repository, commit_id)?;
        let before = Self::before(&repository, &repository.commit_info(commit_id)?.parents);
        let joined = own.with(project, base, before)?;
        let paths = expanded_at(&repository, commit_id, joined.paths)?;
        let left = expanded_at(&repository, commit_id, joined.left)?;
        Ok(Self { left: left.difference(&paths).cloned().collect(), paths, ..joined })
    }

    /// Takes the folders out that only the state before named and whose skills are signed: they are looked for elsewhere.
    pub(super) fn leave(&self, found: &mut SkillPlaces, is_signed: impl Fn(&str) -> bool) {
        found.places.retain(|place| {
            let above = place.path.rsplit_once('/').map_or("", |(above, _)| above);
            !self.left.iter().any(|left| left.as_str() == above) || !is_signed(&place.name)
        });
    }

    /// Returns every folder that is looked into, with those of the table of places that were found.
    pub(super) fn all_paths(&self, found: SkillPaths) -> SkillPaths {
        let mut paths = SkillPaths::named(self.paths.union(&self.left).cloned());
        paths.extend(found);
        paths
    }

    /// Adds the person's folders, what the trust root demands, and what came before: whoever removes the last manifest or the setting
    /// does not end the judgement by it.
    fn with(mut self, project: &Project, base: Option<&Base>, before: Self) -> Result<Self, LocateError> {
        self.paths.extend(project.context().config().skills.paths.iter().cloned());
        // What a person's own configuration leaves out is read by clients all the same.
        self.paths.extend(crate::context::Skills::default().paths);
        if let Some(base) = base {
            let of_base = Self::at(&files::repository(project)?, &base.commit_id)?;
            self.paths.extend(of_base.paths);
            self.is_demanded |= of_base.is_demanded;
        }
        self.is_demanded |= before.is_demanded;
        self.left = before.paths.difference(&self.paths).cloned().collect();
        Ok(self)
    }

    /// Reads what one commit says by itself.
    fn at(repository: &Repository, commit_id: &CommitId) -> Result<Self, LocateError> {
        let config = project_config::at(repository, commit_id)?;
        let has_manifest = !repository.names_in(commit_id, MANIFESTS)?.is_empty();
        let is_demanded = has_manifest || demands(&config);
        // A configuration that cannot be used adds no folders: it is a finding by itself.
        let paths = config.ok().flatten().and_then(|config| config.skills.paths).unwrap_or_default();
        Ok(Self { paths: paths.into_iter().collect(), left: BTreeSet::new(), is_demanded })
    }

    /// Joins what some commits say. Where history is cut off, nothing came before that is known.
    fn before(repository: &Repository, commits: &[CommitId]) -> Self {
        let mut joined = Self::default();
        for before in commits.iter().filter_map(|commit_id| Self::at(repository, commit_id).ok()) {
            joined.paths.extend(before.paths);
            joined.is_demanded |= before.is_demanded;
        }
        joined
    }
}

/// Tells whether configurations ask for signed skills. One that cannot be used could have asked.
fn demands<'c, C, E>(configs: &'c Result<C, E>) -> bool
where
    &'c C: IntoIterator<Item = &'c ProjectConfig>,
{
    configs.as_ref().map_or(true, |configs| configs.into_iter().any(|config| config.skills.paths.is_some()))
}
