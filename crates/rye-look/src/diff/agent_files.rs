//! The files that instruct agents, against the versions that the signed list of them names by their digests.

use std::collections::{BTreeMap, BTreeSet};

use super::outcome::{AgentFileDiff, MOST_COMMITS};
use crate::capability::raw_name;
use crate::format::bounded_diff;
use crate::git::{Repository, TrackedContent};
use crate::locate::{AgentFileChange, ListedAgentFiles, LocateError};
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::MAX_ITEM_BYTES;

/// Compares the files that differ from the list; none without one.
pub(super) fn compared(project: &Project, repository: Option<&Repository>) -> Result<Vec<AgentFileDiff>, LocateError> {
    let (Some(listed), Some(repository)) = (ListedAgentFiles::here(project)?, repository) else {
        return Ok(Vec::new());
    };
    let files = listed.list.as_ref().map(|signed| &signed.list.files);
    let is_listed = |path: &&String| files.is_ok_and(|files| files.contains_key(*path));
    let wanted = listed.changes.iter().map(|(path, _)| path).filter(is_listed);
    let wanted = wanted.filter_map(|path| Some((path.as_str(), files.ok()?.get(path)?.digest?))).collect();
    let mut before = signed_bytes(repository, wanted)?;
    let changed: BTreeSet<&str> = listed.changes.iter().map(|(path, _)| path.as_str()).collect();
    let mut now = BTreeMap::new();
    for tracked in repository.tracked(|path, _| changed.contains(path), MAX_ITEM_BYTES)? {
        if let TrackedContent::Bytes(bytes) = tracked.content {
            now.insert(tracked.path, bytes);
        }
    }
    let mut found = Vec::new();
    for (path, change) in listed.changes {
        let (before, now) = (before.remove(&path), now.remove(&path));
        let is_known = before.is_some() || change == AgentFileChange::Unlisted;
        let diff = if is_known { unified(&path, before.as_deref(), now.as_deref()) } else { String::new() };
        found.push(AgentFileDiff { path, change, diff });
    }
    Ok(found)
}

/// Finds the versions in history that the list names, in one walk through it.
fn signed_bytes(
    repository: &Repository,
    mut wanted: BTreeMap<&str, ContentHash>,
) -> Result<BTreeMap<String, Vec<u8>>, LocateError> {
    let mut found = BTreeMap::new();
    let (Some(start), Some(folder)) = (repository.head()?.commit_id().cloned(), common_folder(wanted.keys())) else {
        return Ok(found);
    };
    repository.find_in_history(&start, &folder, MOST_COMMITS, |entry| {
        let Some(digest) = wanted.get(entry.path.as_str()).copied() else { return false };
        let content = repository.committed(entry.mode, &entry.blob_id, MAX_ITEM_BYTES);
        if let Ok(TrackedContent::Bytes(read)) = content
            && digest == ContentHash::of(&read)
        {
            wanted.remove(entry.path.as_str());
            found.insert(entry.path.clone(), read);
        }
        wanted.is_empty()
    })?;
    Ok(found)
}

/// Returns the deepest folder that all paths lie in; none without a path.
fn common_folder<'a>(paths: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    paths.map(|path| folder(path)).reduce(|one, other| {
        let same = one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other);
        same.map(|(name, _)| name).collect::<Vec<_>>().join("/")
    })
}

fn unified(path: &str, before: Option<&[u8]>, now: Option<&[u8]>) -> String {
    let shown = String::from_utf8_lossy(&raw_name::as_bytes(path)).into_owned();
    let name = |side: &str, bytes: Option<&[u8]>| match bytes {
        Some(_) => format!("{side}/{shown}"),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = (before.unwrap_or_default(), now.unwrap_or_default());
    let diff = bounded_diff(&String::from_utf8_lossy(old), &String::from_utf8_lossy(new));
    format!("--- {}\n+++ {}\n{diff}", name("a", before), name("b", now))
}
