//! Names that some file system takes for those where items, trust files and the configuration are: `.AI`, `.ai/Trust`.
//!
//! Here they are nobody's, and elsewhere they take the place of what was verified. So they are findings everywhere.

use std::path::Path;

use super::super::locate::LocateError;
use crate::capability::is_taken_for;
use crate::git::{CommitId, Repository};
use crate::id::{ItemType, SPACE_FOLDER};
use crate::trust::{TrustFile, trust_file_path};

/// Returns the paths of a commit that are taken for others, with what is wrong with them.
pub(super) fn of_commit(repository: &Repository, commit_id: &CommitId) -> Result<Vec<(String, String)>, LocateError> {
    let mut found = Vec::new();
    for folder in ["", SPACE_FOLDER] {
        let names = repository.names_in(commit_id, folder)?;
        found.extend(names.iter().filter_map(|name| lookalike(folder, name)));
    }
    Ok(found)
}

/// Returns those of a work tree. What cannot be listed is told where it is walked through.
pub(super) fn of_work_tree(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for folder in ["", SPACE_FOLDER] {
        let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        found.extend(entries.filter_map(|entry| lookalike(folder, &entry.file_name().to_string_lossy())));
    }
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    found
}

/// Returns those that a commit brings: not each of its parents has them, and not the commit that its range begins after.
pub(super) fn brought(
    repository: &Repository,
    commit_id: &CommitId,
    parents: &[CommitId],
    start: Option<&CommitId>,
) -> Result<Vec<(String, String)>, LocateError> {
    let mut found = of_commit(repository, commit_id)?;
    if found.is_empty() {
        return Ok(found);
    }
    let mut before = Vec::new();
    for parent in parents {
        before.push(of_commit(repository, parent)?);
    }
    let start = start.map(|start| of_commit(repository, start)).transpose()?.unwrap_or_default();
    let has = |known: &[(String, String)], path: &str| known.iter().any(|(known, _)| known == path);
    found.retain(|(path, _)| {
        let having = before.iter().filter(|known| has(known, path)).count();
        having == 0 || having < before.len() && !has(&start, path)
    });
    Ok(found)
}

fn lookalike(folder: &str, name: &str) -> Option<(String, String)> {
    let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
    let places = places().into_iter().filter(|place| place.rsplit_once('/').map_or("", |(above, _)| above) == folder);
    let taken_for = places.into_iter().find(|place| {
        let place = place.rsplit_once('/').map_or(place.as_str(), |(_, name)| name);
        is_taken_for(name, place)
    })?;
    Some((path, format!("some file systems take it for `{taken_for}`")))
}

/// Lists what other names may be taken for.
fn places() -> Vec<String> {
    let folders = ItemType::ALL.map(|item_type| format!("{SPACE_FOLDER}/{}", item_type.folder()));
    let trust = [format!("{SPACE_FOLDER}/trust"), trust_file_path(TrustFile::Config.as_str())];
    [SPACE_FOLDER.to_owned()].into_iter().chain(folders).chain(trust).collect()
}
