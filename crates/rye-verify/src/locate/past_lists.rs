//! The lists of agent files that the history of a branch had: whoever removes a list does not end the judgement by it.

use super::{AGENT_FILES, LocateError};
use crate::git::{BlobId, CommitId, Repository};
use crate::id::SPACE_FOLDER;

/// The most commits that are looked back, first parents only.
const MOST_PAST_COMMITS: usize = 5_000;

/// Lists the different lists of a commit and of those before it, along first parents, newest first. What came before a shallow clone's
/// edge, or more than 5,000 commits ago, is not known.
///
/// # Errors
///
/// Fails when the first commit cannot be read.
pub fn past_lists(repository: &Repository, start: &CommitId) -> Result<Vec<BlobId>, LocateError> {
    let mut lists: Vec<BlobId> = Vec::new();
    let (mut commit_id, mut folder) = (start.clone(), None);
    for _ in 0..MOST_PAST_COMMITS {
        let found = repository.folder_id_at(&commit_id, SPACE_FOLDER);
        let Ok(found) = (if commit_id == *start { Ok(found?) } else { found }) else { break };
        if found.is_some() && found != folder {
            let entry = repository.entry_at(&commit_id, AGENT_FILES)?;
            lists.extend(entry.map(|entry| entry.blob_id).filter(|blob_id| !lists.contains(blob_id)));
        }
        folder = found;
        let Some(parent) = repository.commit_info(&commit_id)?.parents.into_iter().next() else { break };
        commit_id = parent;
    }
    Ok(lists)
}
