//! Skills in the commits on the way of a range: what each of them changes, and what it brings into the place of skills.
//!
//! What a commit brought and a later one removed is judged all the same: somebody may check that commit out.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{CommitTree, LocateError, SkillsInTree, changed_skill_paths};
use super::base::Base;
use super::content::MANIFESTS;
use super::demand::Demand;
use super::files::{self, File};
use super::skills::{Way, of_commit};
use crate::git::{CommitId, Mode, RangeCommit, Repository};
use crate::item::{ATTRIBUTES, SkillFault};
use crate::project::Project;
use crate::workspace::{SkillPaths, is_alike};

/// Returns the skills that commits on the way of a range change, as each of them leaves them.
pub(super) fn on_the_way(
    project: &Project,
    base: Option<&Base>,
    commits: &[RangeCommit],
    last: &CommitId,
) -> Result<Vec<File>, LocateError> {
    let repository = files::repository(project)?;
    let mut known = Known { project, base, repository: &repository, faults: BTreeMap::new() };
    let mut found = Vec::new();
    for commit in commits.iter().filter(|commit| commit.commit_id != *last) {
        let (commit_id, parents) = (&commit.commit_id, &commit.info.parents);
        let demand = Demand::of_commit(project, base, commit_id)?;
        if !demand.is_demanded {
            continue;
        }
        let (table, changes) = changed_skill_paths(&repository, commit)?;
        let paths = demand.all_paths(table.clone());
        let changed = changed(&changes, &paths);
        if changed.is_empty() && table.faults().is_empty() && !brings(&repository, commit, &paths)? {
            continue;
        }
        let mut of_parents = Vec::new();
        for parent in parents {
            of_parents.extend(known.faults(parent, &paths)?);
        }
        let files = files::revision(&repository, commit_id)?;
        let way = Way { changed, paths: table, known: of_parents };
        found.extend(of_commit(project, base, commit_id, &files, Some(&way))?);
    }
    Ok(found)
}

/// Returns the names of the skills that a commit changes, given the paths that it changes.
fn changed(changes: &[String], paths: &SkillPaths) -> BTreeSet<String> {
    let mut changed = BTreeSet::new();
    let below = |change: &str, path: &str| Some(change.strip_prefix(path)?.strip_prefix('/')?.to_owned());
    for change in changes {
        let manifest = below(change, MANIFESTS);
        changed.extend(manifest.and_then(|file| Some(file.rsplit('/').next()?.strip_suffix(".sig")?.to_owned())));
        let skills = paths.iter().filter_map(|(path, _)| below(change, path.as_str()));
        changed.extend(skills.filter_map(|file| file.split('/').next().map(str::to_owned)));
    }
    changed
}

/// Tells whether a commit brings something into the place of skills that none of its parents has.
fn brings(repository: &Repository, commit: &RangeCommit, paths: &SkillPaths) -> Result<bool, LocateError> {
    let own = ways(repository, &commit.commit_id, paths)?;
    for parent in &commit.info.parents {
        if ways(repository, parent, paths)? == own {
            return Ok(false);
        }
    }
    Ok(!own.is_empty())
}

/// What a folder of a commit has, by name.
type Objects = BTreeMap<String, (Mode, String)>;

/// What a commit has at one path: its kind, and its object unless it is a folder on the way to others.
type OnWay = (String, Mode, Option<String>);

/// Lists what a commit has on the way to folders of skills: what some file system takes for a part of it, and files of attributes.
fn ways(repository: &Repository, commit_id: &CommitId, paths: &SkillPaths) -> Result<BTreeSet<OnWay>, LocateError> {
    let (mut found, mut folders) = (BTreeSet::new(), BTreeMap::new());
    for path in paths.iter().map(|(path, _)| path.as_str()) {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        let mut above = "";
        for end in ends {
            let (here, is_whole) = (&path[..end], end == path.len());
            let part = here[above.len()..].trim_start_matches('/');
            if !folders.contains_key(above) {
                let (outer, name) = above.rsplit_once('/').unwrap_or(("", above));
                let is_missing = folders.get(outer).is_some_and(|names: &Objects| !names.contains_key(name));
                let names = if is_missing { Objects::new() } else { repository.objects_in(commit_id, above)? };
                folders.insert(above, names);
            }
            for (name, (mode, object)) in folders.get(above).into_iter().flatten() {
                let is_way = *mode == Mode::Tree && name == part && !is_whole;
                if [part, ATTRIBUTES].iter().any(|known| name == known || is_alike(name, known)) {
                    found.insert((format!("{above}/{name}"), *mode, (!is_way).then(|| object.clone())));
                }
            }
            above = here;
        }
    }
    Ok(found)
}

/// What is wrong in the place of skills, with the paths.
type Faults = Vec<(String, SkillFault)>;

/// What is wrong in the place of skills in commits that were looked at.
struct Known<'a> {
    project: &'a Project,
    base: Option<&'a Base>,
    repository: &'a Repository,
    faults: BTreeMap<(CommitId, SkillPaths), Faults>,
}

impl Known<'_> {
    /// Returns what is wrong in a commit; nothing where it is not judged.
    fn faults(&mut self, commit_id: &CommitId, paths: &SkillPaths) -> Result<Faults, LocateError> {
        let key = (commit_id.clone(), paths.clone());
        if let Some(known) = self.faults.get(&key) {
            return Ok(known.clone());
        }
        let tree = CommitTree { repository: self.repository, commit_id };
        let faults = if Demand::of_commit(self.project, self.base, commit_id)?.is_demanded {
            SkillsInTree::read(&tree, &paths.nameable(), |_| false)?.faults().collect()
        } else {
            Vec::new()
        };
        self.faults.insert(key, faults.clone());
        Ok(faults)
    }
}
