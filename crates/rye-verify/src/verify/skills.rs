//! Skills under verification: which there are, the folders that have the name of each, and the manifests that are signed for it.
//!
//! They are judged once one of them is signed, or the project names folders of skills; the trust root and the state before count as
//! well, so that removing the signatures does not end the judgement. Then a folder without a manifest is a finding.

use std::collections::{BTreeMap, BTreeSet};

use super::super::locate::{
    CommitTree, KnownSkill, LocateError, SkillsInTree, changing_attributes, item_at, skill_paths_in,
};
use super::base::Base;
use super::content::{Content, Folder, Skill, Source};
use super::demand::Demand;
use super::files::{self, File};
use crate::format::Severity;
use crate::git::{CommitId, IgnoreRules, Repository, TreeFiles};
use crate::id::{ItemId, ItemType, SPACE_FOLDER};
use crate::item::{SKILL_FILE, SkillFault, SkillFolder};
use crate::project::Project;
use crate::trust::Subject;
use crate::workspace::{SkillPaths, SkillPlace, SkillPlaces};

/// Reads the folder of a skill.
pub(super) fn read(
    project: &Project,
    (repository, rules): (&Repository, Option<&IgnoreRules<'_>>),
    folder: &Folder,
) -> Result<SkillFolder, LocateError> {
    match folder {
        Folder::Here(place) => project.skill_folder_by(rules, files::space(project), place),
        Folder::Commit(place, entries) => {
            let files = TreeFiles::new(repository, &place.path, entries.iter().cloned());
            Ok(SkillFolder::read(&place.path, &files)?)
        }
    }
}

/// Returns the skills of the work tree, given its other files.
pub(super) fn of_work_tree(project: &Project, base: Option<&Base>, files: &[File]) -> Result<Vec<File>, LocateError> {
    let space = files::space(project);
    let demand = Demand::here(project, base)?;
    let mut manifests = manifests(files);
    if !demand.is_demanded && manifests.is_empty() {
        return Ok(Vec::new());
    }
    let paths = demand.all_paths(project.found_skill_paths(space)?);
    let mut found = project.workspace().skill_places(space, &paths)?;
    let left_out = left_out(project, &paths, &found, &mut manifests)?;
    demand.leave(&mut found, |name| is_signed(&manifests, name));
    let read = |path: &str| Ok::<_, LocateError>(project.workspace().attributes(space, path));
    let judged = found.places.iter().filter(|place| !place.is_offered || is_signed(&manifests, &place.name)).cloned();
    let attributes = changing_attributes(&Vec::from_iter(judged), read)?;
    let mut wrong = wrong(&found, attributes, &manifests);
    wrong.extend(left_out);
    Ok(joined((found.places, found.set_aside), wrong, manifests, Folder::Here, |path, content| File {
        path,
        content,
        commit_id: None,
        is_last: true,
        is_brought: true,
    }))
}

/// Takes the manifests out whose folders a sparse checkout leaves out: they are told, and judged only in a commit.
fn left_out(
    project: &Project,
    paths: &SkillPaths,
    found: &SkillPlaces,
    manifests: &mut Manifests,
) -> Result<Vec<Wrong>, LocateError> {
    let has_folder = |name: &str| found.places.iter().chain(&found.set_aside).any(|place| place.name == name);
    let names = manifests.iter().map(|(subject, _)| subject.item_id.name().to_owned());
    let missing: BTreeSet<String> = names.filter(|name| !has_folder(name)).collect();
    let (Some(repository), false) = (project.repository(), missing.is_empty()) else { return Ok(Vec::new()) };
    let texts =
        paths.iter().flat_map(|(path, _)| missing.iter().map(move |name| format!("{path}/{name}/{SKILL_FILE}")));
    let texts: Vec<String> = texts.collect();
    let indexed = repository.indexed(&texts.iter().map(String::as_str).collect::<Vec<_>>())?;
    let mut told = Vec::new();
    for (text, _) in indexed.into_iter().filter(|(_, entry)| entry.is_left_out) {
        let path = text.trim_end_matches(SKILL_FILE).trim_end_matches('/').to_owned();
        let name = path.rsplit('/').next().unwrap_or(&path);
        manifests.retain(|(subject, _)| subject.item_id.name() != name);
        told.push(Wrong { path, fault: SkillFault::LeftOut, concerns: BTreeSet::new(), is_offered: true });
    }
    Ok(told)
}

/// Returns the skill of the work tree that a name or path means, if it has no manifest: it is not among the files where nothing demands
/// that skills are signed.
pub(super) fn unsigned(project: &Project, name: &str) -> Result<Option<ItemId>, LocateError> {
    let at_path = item_at(project, name)?.filter(|(item_type, _)| *item_type == ItemType::Skill);
    let is_named = |skill: &KnownSkill| {
        let id = &skill.candidate.id;
        id.as_str() == name || at_path.as_ref().is_some_and(|(_, found)| found == id)
    };
    let mut known = project.known_skills(files::space(project))?.into_iter();
    Ok(known.find(|skill| !skill.has_manifest && is_named(skill)).map(|skill| skill.candidate.id))
}

/// What a commit on the way of a range changes.
pub(super) struct Way {
    /// The names of the skills that it changes.
    pub(super) changed: BTreeSet<String>,
    /// The folders of skills that the table of places has where it changes something.
    pub(super) paths: SkillPaths,
    /// What is wrong in the place of skills in one of its parents as well.
    pub(super) known: Vec<(String, SkillFault)>,
}

/// Returns the skills of a commit, given its other files; of a commit on the way only those that it changes.
pub(super) fn of_commit(
    project: &Project,
    base: Option<&Base>,
    commit_id: &CommitId,
    files: &[File],
    way: Option<&Way>,
) -> Result<Vec<File>, LocateError> {
    let repository = files::repository(project)?;
    let demand = Demand::of_commit(project, base, commit_id)?;
    let mut manifests = manifests(files);
    if !demand.is_demanded && manifests.is_empty() {
        return Ok(Vec::new());
    }
    let tree = CommitTree { repository: &repository, commit_id };
    let paths = match way {
        Some(way) => way.paths.clone(),
        None => skill_paths_in(&repository, commit_id)?,
    };
    let read = SkillsInTree::read(&tree, &demand.all_paths(paths), |name| is_signed(&manifests, name))?;
    let SkillsInTree { mut found, attributes, entries } = read;
    demand.leave(&mut found, |name| is_signed(&manifests, name));
    let mut wrong = wrong(&found, attributes, &manifests);
    if let Some(Way { changed, known, .. }) = way {
        found.places.retain(|place| changed.contains(&place.name));
        found.set_aside.retain(|place| changed.contains(&place.name));
        manifests.retain(|(subject, _)| changed.contains(subject.item_id.name()));
        wrong.retain(|wrong| !known.iter().any(|(path, fault)| (path, fault) == (&wrong.path, &wrong.fault)));
    }
    let is_last = way.is_none();
    let folder = |place: SkillPlace| {
        let entries = entries.get(&place.path).cloned().unwrap_or_default();
        Folder::Commit(place, entries)
    };
    Ok(joined((found.places, found.set_aside), wrong, manifests, folder, |path, content| File {
        path,
        content,
        commit_id: Some(commit_id.clone()),
        is_last,
        is_brought: true,
    }))
}

/// Takes files of skills out of those that are not items: `skills.paths` may name `.ai/skills` itself.
pub(super) fn leave_their_files(files: &mut Vec<File>) {
    let folders = files.iter().filter_map(|file| match &file.content {
        Content::Skill(skill) => Some(skill.folders.iter().map(|folder| format!("{}/", folder.path()))),
        Content::Item(..) | Content::Stray { .. } => None,
    });
    let folders: Vec<String> = folders.flatten().filter(|folder| folder.starts_with(SPACE_FOLDER)).collect();
    let is_of_skill = |file: &File| {
        matches!(&file.content, Content::Stray { severity: Severity::Warning, .. })
            && folders.iter().any(|folder| file.path.starts_with(folder))
    };
    files.retain(|file| !is_of_skill(file));
}

/// The manifests that are signed.
type Manifests = Vec<(Subject, Source)>;

/// Returns the manifests among files.
fn manifests(files: &[File]) -> Manifests {
    let manifest = |file: &File| match &file.content {
        Content::Item(subject, source) if subject.item_type == ItemType::Skill && file.is_last => {
            Some((subject.clone(), source.clone()))
        }
        Content::Item(..) | Content::Stray { .. } | Content::Skill(_) => None,
    };
    files.iter().filter_map(manifest).collect()
}

fn is_signed(manifests: &Manifests, name: &str) -> bool {
    manifests.iter().any(|(subject, _)| subject.item_id.name() == name)
}

/// What is wrong in the place of skills.
struct Wrong {
    path: String,
    fault: SkillFault,
    /// The skills that it concerns.
    concerns: BTreeSet<String>,
    is_offered: bool,
}

/// Gathers what is wrong in the place of skills, with the names of the skills that it keeps from being used.
fn wrong(found: &SkillPlaces, attributes: BTreeMap<String, BTreeSet<String>>, manifests: &Manifests) -> Vec<Wrong> {
    let wrong = |(path, fault): &(String, SkillFault), is_offered| Wrong {
        path: path.clone(),
        fault: fault.clone(),
        concerns: BTreeSet::new(),
        is_offered,
    };
    let mut all: Vec<Wrong> = found.faults.iter().map(|fault| wrong(fault, false)).collect();
    if !all.is_empty() {
        let of_manifests = manifests.iter().map(|(subject, _)| subject.item_id.name());
        let names: BTreeSet<&str> = found.places.iter().map(|place| place.name.as_str()).chain(of_manifests).collect();
        for name in names {
            for (path, fault) in found.faults_of(name) {
                let same = all.iter_mut().filter(|wrong| (&wrong.path, &wrong.fault) == (&path, &fault));
                same.for_each(|wrong| wrong.concerns.extend([name.to_owned()]));
            }
        }
    }
    all.extend(attributes.into_iter().map(|(path, concerns)| {
        let fault = SkillFault::Attributes { path: String::new() };
        Wrong { path, fault, concerns, is_offered: false }
    }));
    all.extend(found.offered_faults.iter().map(|fault| wrong(fault, true)));
    all
}

/// Joins folders and manifests by the names of the skills. An offered folder is a skill by itself where no manifest has its name, and
/// where another folder has it as well.
fn joined(
    (places, set_aside): (Vec<SkillPlace>, Vec<SkillPlace>),
    wrong: Vec<Wrong>,
    manifests: Manifests,
    mut folder: impl FnMut(SkillPlace) -> Folder,
    file: impl Fn(String, Content) -> File,
) -> Vec<File> {
    let mut skills: BTreeMap<String, Skill> = BTreeMap::new();
    let empty = |name: &str| Skill {
        name: name.to_owned(),
        folders: Vec::new(),
        manifests: Vec::new(),
        fault: None,
        is_offered: false,
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    places.iter().for_each(|place| *counts.entry(place.name.clone()).or_default() += 1);
    let is_alone = |place: &SkillPlace| counts.get(&place.name) == Some(&1) && is_signed(&manifests, &place.name);
    let offered = places.iter().filter(|place| place.is_offered && !is_alone(place)).chain(&set_aside).cloned();
    let offered: Vec<SkillPlace> = offered.collect();
    let is_counted = |place: &SkillPlace| !place.is_offered || is_signed(&manifests, &place.name);
    for place in places.into_iter().filter(is_counted) {
        let name = place.name.clone();
        skills.entry(name.clone()).or_insert_with(|| empty(&name)).folders.push(folder(place));
    }
    let mut files: Vec<File> = Vec::new();
    for place in offered {
        let of_name = manifests.iter().filter(|(subject, _)| subject.item_id.name() == place.name).cloned();
        let (path, name) = (place.path.clone(), place.name.clone());
        let skill =
            Skill { manifests: of_name.collect(), folders: vec![folder(place)], is_offered: true, ..empty(&name) };
        files.push(file(path, Content::Skill(Box::new(skill))));
    }
    for (subject, source) in manifests {
        let name = subject.item_id.name().to_owned();
        skills.entry(name.clone()).or_insert_with(|| empty(&name)).manifests.push((subject, source));
    }
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
    for Wrong { path, fault, concerns, is_offered } in wrong {
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        let skill = Skill { fault: Some((fault, concerns)), is_offered, ..empty(&name) };
        files.push(file(path, Content::Skill(Box::new(skill))));
    }
    files
}
