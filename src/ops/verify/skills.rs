//! Skills under verification: which there are, the folders that have the name of each, and the manifests that are signed for it.
//!
//! They are judged once one of them is signed, or the project names folders of skills; the trust root counts as well, so that
//! removing the signatures does not help. Then a folder without a manifest is a finding.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{LocateError, Session};
use super::base::Base;
use super::content::{Content, Folder, MANIFESTS, Skill, Source};
use super::files::{self, File};
use super::project_config;
use super::skills_in_commit::{self, InCommit};
use crate::capability::ProjectPath;
use crate::context::ProjectConfig;
use crate::git::{CommitId, Mode, RangeCommit, Repository};
use crate::id::{ItemType, SPACE_FOLDER};
use crate::item::{AttributesFile, MOST_ATTRIBUTE_BYTES, SkillAttributes, SkillFault, SkillFolder};
use crate::trust::Subject;
use crate::workspace::{SkillPlace, SkillPlaces};

/// Reads the folder of a skill.
pub(super) fn read(session: &Session, repository: &Repository, folder: &Folder) -> Result<SkillFolder, LocateError> {
    match folder {
        Folder::Here(place) => Ok(session.workspace().skill_folder(files::space(session), place)?),
        Folder::Commit(place, entries) => skills_in_commit::folder(repository, place, entries),
    }
}

/// Returns the skills of the work tree, given its other files.
pub(super) fn of_work_tree(session: &Session, base: Option<&Base>, files: &[File]) -> Result<Vec<File>, LocateError> {
    let space = files::space(session);
    let configs = match project_config::here(session)? {
        Ok(_) => Ok(session.project_configs()?),
        Err(fault) => Err(fault),
    };
    let own = demands(&configs);
    let added = configs.into_iter().flatten().filter_map(|config| config.skills.paths).flatten();
    let of_base = of_base(session, base)?;
    let paths = paths(session, &of_base, added);
    let demanded = own || of_base.is_demanded || was_demanded(session, None)?;
    if !demanded && manifests(files).is_empty() {
        return Ok(Vec::new());
    }
    let mut found = session.workspace().skill_places(space, &paths)?;
    let read = |path: &str| Ok::<_, LocateError>(session.workspace().attributes(space, path));
    found.faults.extend(attributes(&found.places, read)?);
    Ok(joined(found, manifests(files), Folder::Here, |path, content| File {
        path,
        content,
        commit_id: None,
        is_last: true,
        is_brought: true,
    }))
}

/// Returns the skills of a commit, given its other files; of a commit on the way only those that it changes.
pub(super) fn of_commit(
    session: &Session,
    base: Option<&Base>,
    commit_id: &CommitId,
    files: &[File],
    changed: Option<&BTreeSet<String>>,
) -> Result<Vec<File>, LocateError> {
    let repository = files::repository(session)?;
    let config = project_config::at(&repository, commit_id)?;
    let own = demands(&config);
    let of_base = of_base(session, base)?;
    let paths = paths(session, &of_base, added(config));
    let demanded = own || of_base.is_demanded || was_demanded(session, Some(commit_id))?;
    if !demanded && manifests(files).is_empty() {
        return Ok(Vec::new());
    }
    let (mut found, mut entries) = InCommit { repository: &repository, commit_id }.places(&paths)?;
    let mut manifests = manifests(files);
    if let Some(changed) = changed {
        let is_changed = |path: &str| changed.iter().any(|name| path.rsplit('/').next() == Some(name));
        found.places.retain(|place| changed.contains(&place.name));
        found.faults.retain(|(path, _)| is_changed(path));
        manifests.retain(|(subject, _)| changed.contains(subject.item_id.name()));
    }
    let read = |path: &str| {
        let Some(entry) = repository.entry_at(commit_id, path)? else {
            return Ok::<_, LocateError>(AttributesFile::Missing);
        };
        match entry.mode {
            Mode::File | Mode::Executable => {
                let bytes = repository.blob_within(&entry.blob_id, MOST_ATTRIBUTE_BYTES)?;
                Ok(bytes.map_or(AttributesFile::Unclear, |bytes| AttributesFile::of(&bytes)))
            }
            // Git takes the target of a link for the text.
            Mode::Symlink | Mode::Submodule | Mode::Tree => Ok(AttributesFile::Unclear),
        }
    };
    found.faults.extend(attributes(&found.places, read)?);
    let is_last = changed.is_none();
    let folder = |place: SkillPlace| {
        let entries = entries.remove(&place.path).unwrap_or_default();
        Folder::Commit(place, entries)
    };
    Ok(joined(found, manifests, folder, |path, content| File {
        path,
        content,
        commit_id: Some(commit_id.clone()),
        is_last,
        is_brought: true,
    }))
}

/// Returns the skills that commits on the way of a range change, as each of them leaves them.
pub(super) fn on_the_way(
    session: &Session,
    base: Option<&Base>,
    commits: &[RangeCommit],
    last: &CommitId,
) -> Result<Vec<File>, LocateError> {
    let repository = files::repository(session)?;
    let of_base = of_base(session, base)?;
    let mut found = Vec::new();
    for commit in commits.iter().filter(|commit| commit.commit_id != *last) {
        let config = project_config::at(&repository, &commit.commit_id)?;
        let paths = paths(session, &of_base, added(config));
        let mut changed = BTreeSet::new();
        for path in paths.iter().map(ProjectPath::as_str).filter(|path| !path.is_empty()).chain([MANIFESTS]) {
            let parents = &commit.info.parents;
            for change in repository.changes_below(parents, &commit.commit_id, path, files::MAX_ENTRIES)? {
                let below = change.path.strip_prefix(path).unwrap_or(&change.path).trim_start_matches('/');
                let name = match path {
                    MANIFESTS => below.rsplit('/').next().and_then(|name| name.strip_suffix(".sig")),
                    _ => below.split('/').next(),
                };
                changed.extend(name.map(str::to_owned));
            }
        }
        if !changed.is_empty() {
            let files = files::revision(&repository, &commit.commit_id)?;
            found.extend(of_commit(session, base, &commit.commit_id, &files, Some(&changed))?);
        }
    }
    Ok(found)
}

/// Returns the manifests among files.
fn manifests(files: &[File]) -> Vec<(Subject, Source)> {
    let manifest = |file: &File| match &file.content {
        Content::Item(subject, source) if subject.item_type == ItemType::Skill && file.is_last => {
            Some((subject.clone(), source.clone()))
        }
        Content::Item(..) | Content::Stray { .. } | Content::Skill(_) => None,
    };
    files.iter().filter_map(manifest).collect()
}

/// Finds the files of attributes by which git checks out other bytes of some skill, each once.
fn attributes<E>(
    places: &[SkillPlace],
    read: impl Fn(&str) -> Result<AttributesFile, E>,
) -> Result<BTreeMap<String, SkillFault>, E> {
    let attributes = SkillAttributes::read(places.iter().map(|place| place.path.as_str()), read)?;
    Ok(places.iter().flat_map(|place| attributes.faults(&place.path)).collect())
}

/// Joins folders and manifests by the names of the skills.
fn joined(
    found: SkillPlaces,
    manifests: Vec<(Subject, Source)>,
    mut folder: impl FnMut(SkillPlace) -> Folder,
    file: impl Fn(String, Content) -> File,
) -> Vec<File> {
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let empty = |name: &str| Skill { name: name.to_owned(), folders: Vec::new(), manifests: Vec::new(), fault: None };
    for place in found.places {
        let name = place.name.clone();
        skills.entry(name.clone()).or_insert_with(|| empty(&name)).folders.push(folder(place));
    }
    for (subject, source) in manifests {
        let name = subject.item_id.name().to_owned();
        skills.entry(name.clone()).or_insert_with(|| empty(&name)).manifests.push((subject, source));
    }
    let mut files: Vec<File> = Vec::new();
    for skill in skills.into_values() {
        let path = match (skill.folders.first(), skill.manifests.first()) {
            (Some(folder), _) => folder.path().to_owned(),
            (None, Some((subject, _))) => {
                format!("{SPACE_FOLDER}/{}/{}.sig", ItemType::Skill.folder(), subject.item_id)
            }
            (None, None) => continue,
        };
        files.push(file(path, Content::Skill(Box::new(skill))));
    }
    for (path, fault) in found.faults {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let skill = Skill { fault: Some(fault), ..empty(&name) };
        files.push(file(path, Content::Skill(Box::new(skill))));
    }
    files
}

/// What the trust root says of skills.
#[derive(Default)]
struct OfBase {
    paths: BTreeSet<ProjectPath>,
    is_demanded: bool,
}

fn of_base(session: &Session, base: Option<&Base>) -> Result<OfBase, LocateError> {
    let Some(base) = base else { return Ok(OfBase::default()) };
    let repository = files::repository(session)?;
    let config = project_config::at(&repository, &base.commit_id)?;
    let has_manifest = !repository.names_in(&base.commit_id, MANIFESTS)?.is_empty();
    let is_demanded = has_manifest || demands(&config);
    Ok(OfBase { paths: added(config).into_iter().collect(), is_demanded })
}

/// Tells whether what came before had signed skills: the parents of a commit, or `HEAD` before the work tree. Removing
/// the last manifest does not end the judgement by it.
fn was_demanded(session: &Session, commit_id: Option<&CommitId>) -> Result<bool, LocateError> {
    let Some(repository) = session.repository() else { return Ok(false) };
    let before = match commit_id {
        Some(commit_id) => repository.commit_info(commit_id)?.parents,
        None => repository.head()?.commit_id().cloned().into_iter().collect(),
    };
    for commit_id in &before {
        // Where history is cut off, nothing came before that is known.
        if repository.names_in(commit_id, MANIFESTS).is_ok_and(|names| !names.is_empty()) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns every folder of skills that counts: the person's, those of the trust root, and those that the verified
/// content adds.
fn paths(session: &Session, of_base: &OfBase, added: impl IntoIterator<Item = ProjectPath>) -> BTreeSet<ProjectPath> {
    let mut paths: BTreeSet<ProjectPath> = session.context().config().skills.paths.iter().cloned().collect();
    // Clients read skills that a person's configuration leaves out all the same.
    paths.extend(crate::context::Skills::default().paths);
    paths.extend(of_base.paths.iter().cloned());
    paths.extend(added);
    paths
}

/// Returns the folders that a configuration adds. One that cannot be used adds none: it is a finding by itself.
fn added(config: project_config::Read) -> Vec<ProjectPath> {
    config.ok().flatten().and_then(|config| config.skills.paths).unwrap_or_default()
}

/// Tells whether configurations ask for signed skills. One that cannot be used could have asked.
fn demands<'c, C, E>(configs: &'c Result<C, E>) -> bool
where
    &'c C: IntoIterator<Item = &'c ProjectConfig>,
{
    configs.as_ref().map_or(true, |configs| configs.into_iter().any(|config| config.skills.paths.is_some()))
}
