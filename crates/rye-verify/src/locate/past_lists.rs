//! The lists of agent files that the history of a branch had: whoever removes a list does not end the judgement by it.
//!
//! The history is read once: what a commit had before it stays as it is, so that a later run goes back to a commit that it knows.

use super::{AGENT_FILES, LocateError};
use crate::git::{self, BlobId, CommitId, Repository};
use crate::id::SPACE_FOLDER;
use crate::keys::VerdictStore;
use crate::project::Project;

/// The most commits that are looked back, first parents only.
const MOST_PAST_COMMITS: usize = 5_000;

/// The most commits whose lists are remembered.
const MOST_KNOWN: usize = 16;

/// Fewer steps than this cost less than it does to write what they found.
const FEW_STEPS: usize = 100;

/// What a remembered line is, for its seal. Changes with the form of the line.
const PURPOSE: &str = "rye-past-lists-1";

/// Lists the different lists of a commit and of those before it, along first parents, newest first. What came before a shallow clone's
/// edge, or more than 5,000 commits ago, is not known. `store` has what earlier runs found, if it is to be used.
///
/// # Errors
///
/// Fails when the first commit cannot be read.
pub fn past_lists(
    repository: &Repository,
    start: &CommitId,
    store: Option<VerdictStore>,
) -> Result<Vec<BlobId>, LocateError> {
    // Where history is cut off, it may be whole the next time.
    let store = store.filter(|_| !repository.is_shallow());
    let known = store.as_ref().map(known).unwrap_or_default();
    let mut walk = Walk { repository, lists: Vec::new(), folder: None };
    let (mut commit_id, mut steps, mut is_whole) = (start.clone(), 0, true);
    while steps < MOST_PAST_COMMITS {
        if let Some(known) = known.iter().find(|known| known.start == commit_id) {
            known.lists.iter().for_each(|(blob_id, at)| walk.take(blob_id, steps + at));
            break;
        }
        match walk.step(&commit_id, steps) {
            Ok(Some(parent)) => commit_id = parent,
            Ok(None) => break,
            Err(error) if steps == 0 => return Err(error.into()),
            Err(_) => {
                is_whole = false;
                break;
            }
        }
        steps += 1;
    }
    if let Some(store) = store.filter(|_| is_whole && steps >= FEW_STEPS) {
        let newest = Known { start: start.clone(), lists: walk.lists.clone() };
        let lines = [newest].into_iter().chain(known).take(MOST_KNOWN).map(|known| known.line(&store));
        let _only_slower = store.write(lines.collect::<String>().as_bytes());
    }
    Ok(walk.lists.into_iter().map(|(blob_id, _)| blob_id).collect())
}

/// A walk along first parents.
struct Walk<'r> {
    repository: &'r Repository,
    /// The lists, each with how many commits before the first one it was there last.
    lists: Vec<(BlobId, usize)>,
    /// The tree of `.ai` in the last commit.
    folder: Option<git::TreeId>,
}

impl Walk<'_> {
    /// Looks at a commit, and returns the one before it.
    fn step(&mut self, commit_id: &CommitId, at: usize) -> Result<Option<CommitId>, git::Error> {
        let info = self.repository.commit_info(commit_id)?;
        let found = self.repository.folder_id_in(&info.tree_id, SPACE_FOLDER)?;
        if found.is_some()
            && found != self.folder
            && let Some(entry) = self.repository.entry_at(commit_id, AGENT_FILES)?
        {
            self.take(&entry.blob_id, at);
        }
        self.folder = found;
        Ok(info.parents.into_iter().next())
    }

    fn take(&mut self, blob_id: &BlobId, at: usize) {
        if at < MOST_PAST_COMMITS && !self.lists.iter().any(|(known, _)| known == blob_id) {
            self.lists.push((blob_id.clone(), at));
        }
    }
}

/// The lists that an earlier run found before a commit.
struct Known {
    start: CommitId,
    lists: Vec<(BlobId, usize)>,
}

impl Known {
    /// Writes them as a line that only this person's programs can write.
    fn line(&self, store: &VerdictStore) -> String {
        let lists: Vec<String> = self.lists.iter().map(|(blob_id, at)| format!(" {blob_id}:{at}")).collect();
        let text = format!("{}{}", self.start, lists.concat());
        format!("{} {text}\n", store.secret().seal(PURPOSE, &text))
    }

    /// Reads such a line; none for any other one.
    fn read(line: &str, store: &VerdictStore) -> Option<Self> {
        let (seal, text) = line.split_once(' ')?;
        if store.secret().seal(PURPOSE, text) != seal {
            return None;
        }
        let mut words = text.split(' ');
        let start = words.next()?.parse().ok()?;
        let list = |word: &str| {
            let (blob_id, at) = word.split_once(':')?;
            Some((blob_id.parse().ok()?, at.parse().ok()?))
        };
        Some(Self { start, lists: words.map(list).collect::<Option<_>>()? })
    }
}

/// Opens what earlier runs found in the history of the project; none without a secret of the person's own.
#[must_use]
pub fn history_store(project: &Project, repository: &Repository) -> Option<VerdictStore> {
    VerdictStore::of_history(project.context(), repository.work_dir().unwrap_or(repository.git_dir()))
}

fn known(store: &VerdictStore) -> Vec<Known> {
    let text = String::from_utf8(store.read()).unwrap_or_default();
    text.lines().filter_map(|line| Known::read(line, store)).collect()
}
