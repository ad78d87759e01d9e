//! The files that instruct agents, against the versions that the signed list of them names by their digests.

use super::outcome::{AgentFileDiff, MOST_COMMITS};
use crate::capability::raw_name;
use crate::format::{AgentFile, bounded_diff};
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
    let mut found = Vec::new();
    for (path, change) in listed.changes {
        let file = listed.list.as_ref().ok().and_then(|signed| signed.list.files.get(&path));
        let before = file.map(|file| signed_bytes(repository, &path, file)).transpose()?.flatten();
        let is_known = before.is_some() || change == AgentFileChange::Unlisted;
        let now = repository.tracked(|other| other == path, MAX_ITEM_BYTES)?.pop();
        let now = now.and_then(|tracked| match tracked.content {
            TrackedContent::Bytes(bytes) => Some(bytes),
            TrackedContent::Unread | TrackedContent::Absent | TrackedContent::LeftOut => None,
        });
        let diff = if is_known { unified(&path, before.as_deref(), now.as_deref()) } else { String::new() };
        found.push(AgentFileDiff { path, change, diff });
    }
    Ok(found)
}

/// Finds the version in history that the list names.
fn signed_bytes(repository: &Repository, path: &str, file: &AgentFile) -> Result<Option<Vec<u8>>, LocateError> {
    let Some(start) = repository.head()?.commit_id().cloned() else { return Ok(None) };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut bytes = None;
    repository.find_in_history(&start, folder, MOST_COMMITS, |entry| {
        if entry.path != path {
            return false;
        }
        let content = repository.committed(entry.mode, &entry.blob_id, MAX_ITEM_BYTES);
        if let Ok(TrackedContent::Bytes(read)) = content
            && file.digest == Some(ContentHash::of(&read))
        {
            bytes = Some(read);
        }
        bytes.is_some()
    })?;
    Ok(bytes)
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
