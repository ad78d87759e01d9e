//! Skills: the files of their folders against those that their manifests name.
//!
//! A manifest has digests and no texts. The text of a file as it was signed is the one in the history of `HEAD` that has the digest;
//! where none has it, the diff says only that the file differs.

use std::fmt::Write as _;

use super::outcome::{ItemDiff, MOST_COMMITS, SignedVersion, State};
use crate::format::{self, bounded_diff};
use crate::git::{self, Repository};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{SkillFault, SkillManifest};
use crate::locate::{KnownSkill, LocateError, shown_path, subject};
use crate::project::Project;
use crate::trust::{ContentHash, LineState, Signed};
use crate::workspace::SkillPlace;

/// Compares the skills of the project, or the one that is named. Those that are as they were signed are left out, but for that one.
pub(super) fn compared(
    project: &Project,
    repository: Option<&Repository>,
    only: Option<&ItemId>,
) -> Result<Vec<ItemDiff>, LocateError> {
    let mut items = Vec::new();
    let skills = project.known_skills(Space::Project)?;
    let is_judged = skills.iter().any(|skill| skill.has_manifest);
    for skill in skills {
        if only.is_some_and(|only| *only != skill.candidate.id) || only.is_none() && !is_judged {
            continue;
        }
        let found = one(project, repository, &skill)?;
        if only.is_some() || found.state != State::Unchanged {
            items.push(found);
        }
    }
    Ok(items)
}

fn one(project: &Project, repository: Option<&Repository>, skill: &KnownSkill) -> Result<ItemDiff, LocateError> {
    let found = |state, signed, place: Option<&SkillPlace>, diff| -> Result<ItemDiff, LocateError> {
        Ok(ItemDiff {
            item_type: ItemType::Skill,
            item_id: skill.candidate.id.clone(),
            path: place.map_or_else(|| shown_path(&skill.candidate), |place| place.path.clone()),
            verdict: project.skill_verdict(skill)?,
            state,
            signed,
            line_ends: None,
            diff,
        })
    };
    let first = skill.places.first();
    let Some(bytes) = skill.has_manifest.then(|| project.workspace().read(&skill.candidate)).transpose()? else {
        return found(State::NeverSigned, None, first, String::new());
    };
    let signed = Signed::new(subject(&skill.candidate), bytes.clone()).in_space(Space::Project);
    let version = match signed.split().line {
        LineState::Present(line) => Some(SignedVersion {
            principals: project.keys().principals(&line.key_id),
            key_id: line.key_id,
            signed_at: line.timestamp,
            commit_id: None,
        }),
        LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => None,
    };
    let Some(manifest) = format::skill_manifest(&bytes) else {
        return found(State::NeverSigned, version, first, String::new());
    };
    if skill.places.is_empty() {
        return found(State::NoFolder, version, None, String::new());
    }
    let (mut differing, mut diff) = (None, String::new());
    for place in &skill.places {
        let faults = project.skill_folder(Space::Project, place)?.compare(&manifest);
        for fault in &faults {
            diff.push_str(&file(project, repository, place, &manifest, fault)?);
        }
        differing = differing.or(Some(place).filter(|_| !faults.is_empty()));
    }
    match differing {
        Some(place) => found(State::Changed, version, Some(place), diff),
        None => found(State::Unchanged, version, first, diff),
    }
}

/// Writes what differs in one file.
fn file(
    project: &Project,
    repository: Option<&Repository>,
    place: &SkillPlace,
    manifest: &SkillManifest,
    fault: &SkillFault,
) -> Result<String, LocateError> {
    let path = fault.path().unwrap_or_default();
    let shown = format!("{}/{path}", place.path);
    let signed = || manifest.files.iter().find(|file| file.path == path).map(|file| file.sha256);
    let now = || project.workspace().skill_file(Space::Project, place, path);
    let (old, new) = match fault {
        SkillFault::Added { .. } => (Some(Vec::new()), Some(now()?)),
        SkillFault::Removed { .. } => (signed_bytes(repository, &shown, signed())?, Some(Vec::new())),
        SkillFault::Changed { .. } => (signed_bytes(repository, &shown, signed())?, Some(now()?)),
        SkillFault::Mode { executable, .. } => {
            let (old, new) = if *executable { ("100644", "100755") } else { ("100755", "100644") };
            return Ok(format!("diff --git a/{shown} b/{shown}\nold mode {old}\nnew mode {new}\n"));
        }
        other => return Ok(format!("# {shown}: {other}\n")),
    };
    let (from, to) = match fault {
        SkillFault::Added { .. } => ("/dev/null".to_owned(), format!("b/{shown}")),
        SkillFault::Removed { .. } => (format!("a/{shown}"), "/dev/null".to_owned()),
        _ => (format!("a/{shown}"), format!("b/{shown}")),
    };
    let texts = old.zip(new).and_then(|(old, new)| Some((String::from_utf8(old).ok()?, String::from_utf8(new).ok()?)));
    let mut diff = String::new();
    // Writing to a text cannot fail.
    let _ = match texts {
        Some((old, new)) => write!(diff, "--- {from}\n+++ {to}\n{}", bounded_diff(&old, &new)),
        None => writeln!(diff, "Files {from} and {to} differ"),
    };
    Ok(diff)
}

/// Finds the bytes of a file that have the digest, in the history of `HEAD`.
fn signed_bytes(
    repository: Option<&Repository>,
    path: &str,
    digest: Option<ContentHash>,
) -> Result<Option<Vec<u8>>, git::Error> {
    let (Some(repository), Some(digest)) = (repository, digest) else { return Ok(None) };
    let Some(start) = repository.head()?.commit_id().cloned() else { return Ok(None) };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let read = |blob_id: &git::BlobId| repository.blob_within(blob_id, crate::item::MOST_FILE_BYTES).ok().flatten();
    let has_digest = |blob_id: &git::BlobId| read(blob_id).is_some_and(|bytes| ContentHash::of(&bytes) == digest);
    let past = repository
        .find_in_history(&start, folder, MOST_COMMITS, |entry| entry.path == path && has_digest(&entry.blob_id))?;
    Ok(past.and_then(|past| read(&past.entry.blob_id)))
}
