//! Skills: what their `SKILL.md` says, what lies in their folders, and what of it nothing mentions.

use std::collections::BTreeMap;

use super::super::locate::{KnownSkill, LocateError};
use crate::format::{self, Finding, SkillDocument, fault_finding, rules};
use crate::id::Space;
use crate::item::{SKILL_FILE, SkillContent, SkillFault, SkillFile, SkillFolder, is_script_name};
use crate::project::Project;
use crate::redact::Redactor;

/// Files of a skill whose text is searched for secrets and mentions are at most this large, in bytes.
const MOST_TEXT: usize = 1024 * 1024;

/// The findings in the folders of a skill.
#[derive(Default)]
pub(super) struct Looked {
    /// Each with the file it is about.
    pub(super) findings: Vec<(String, Finding)>,
    /// The texts of the files, by their paths.
    pub(super) texts: BTreeMap<String, String>,
}

/// Looks a skill over.
pub(super) fn look_at(project: &Project, skill: &KnownSkill) -> Result<Looked, LocateError> {
    let space = skill.candidate.space;
    let mut looked = Looked::default();
    let mut put = |path: String, finding: Finding| looked.findings.push((path, finding));
    let mut first: Option<SkillFolder> = None;
    for place in &skill.places {
        let content = project.skill_content(space, place)?;
        let folder = &content.folder;
        if let Some(first) = &first {
            let Some(rival) = folder.rival(first) else { continue };
            put(place.path.clone(), fault_finding(&rival));
        }
        folder.faults().iter().for_each(|fault| put(place.path.clone(), fault_finding(fault)));
        format::ignored_finding(folder).into_iter().for_each(|finding| put(place.path.clone(), finding));
        first.get_or_insert_with(|| folder.clone());
        if !folder.has_skill_file() {
            continue;
        }
        let bytes = content.bytes.get(SKILL_FILE).map_or(&[][..], Vec::as_slice);
        let (document, findings) = format::skill_document(&place.name, bytes);
        let path = format!("{}/{SKILL_FILE}", place.path);
        findings.into_iter().for_each(|finding| put(path.clone(), finding));
        let texts = texts(&content);
        for (file, finding) in about_files(&document.unwrap_or_default(), folder, &texts) {
            put(format!("{}/{file}", place.path), finding);
        }
        looked.texts.insert(path, String::from_utf8_lossy(bytes).into_owned());
        looked.texts.extend(texts.into_iter().map(|(file, text)| (format!("{}/{file}", place.path), text)));
    }
    Ok(looked)
}

/// Returns what some client takes for a skill in a space and cannot be one, with its path.
pub(super) fn no_skills(project: &Project, space: Space) -> Result<Vec<(String, SkillFault)>, LocateError> {
    Ok(project.skill_places(space)?.faults)
}

/// Returns the files of a skill that are text.
fn texts(content: &SkillContent) -> BTreeMap<String, String> {
    let small = content.bytes.iter().filter(|(_, bytes)| bytes.len() <= MOST_TEXT && !bytes.contains(&0));
    let text = |(path, bytes): (&String, &Vec<u8>)| Some((path.clone(), std::str::from_utf8(bytes).ok()?.to_owned()));
    small.filter_map(text).collect()
}

/// Finds scripts that nothing mentions, secrets, and hidden characters in other files than `SKILL.md`.
fn about_files(
    document: &SkillDocument,
    folder: &SkillFolder,
    texts: &BTreeMap<String, String>,
) -> Vec<(String, Finding)> {
    let mut found = Vec::new();
    let all: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    for file in folder.files().iter().filter(|file| is_script(file)) {
        let name = file.path.rsplit('/').next().unwrap_or(&file.path);
        let stem = name.split('.').next().unwrap_or(name);
        // Scripts name each other without their endings.
        let mentions = |(path, text): &(&str, &str)| {
            *path != file.path && (text.contains(name) || *path != SKILL_FILE && text.contains(stem))
        };
        if !document.body.contains(name) && !all.iter().any(mentions) {
            let hint = "name it where the instructions use it, or remove it";
            found.push((
                file.path.clone(),
                Finding::whole(&rules::SKILL_UNMENTIONED, "no text of the skill mentions this script", hint),
            ));
        }
    }
    let redactor = Redactor::new([]);
    for (path, text) in texts {
        if redactor.text(text) != *text {
            let hint = "remove it, and revoke it: everyone who pulls the skill gets it";
            found.push((
                path.clone(),
                Finding::whole(&rules::SKILL_SECRET, "this file looks as if it held a secret", hint),
            ));
        }
        if path != SKILL_FILE && format::reveal(text) != *text {
            let hint = "remove it, or review what it changes: a reader and a model see different texts";
            found.push((
                path.clone(),
                Finding::whole(&rules::HIDDEN, "this file contains an invisible character", hint),
            ));
        }
    }
    found
}

fn is_script(file: &SkillFile) -> bool {
    file.executable || is_script_name(&file.path)
}
