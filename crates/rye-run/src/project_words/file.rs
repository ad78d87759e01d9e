//! The file in which a project instructs agents, as a commit has it.

use crate::execute::holds_private_key;
use crate::git::{CommitId, Mode, Repository};
use crate::locate::LocateError;

/// The names, in the order in which one takes the place of the one before where that is missing.
const NAMES: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// The greatest size of a file that is told, in bytes.
const MOST_BYTES: u64 = 32 * 1024;

/// Something that a commit has under one of the names.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: &'static str,
    /// The digits of its object; none of a folder.
    pub(super) blob_id: Option<String>,
    /// How many bytes it has; none of what is not a file.
    pub(super) bytes: Option<u64>,
    /// Its text; why it cannot be told.
    pub(super) text: Result<String, String>,
}

/// Finds the first file of these names at the top of a commit, with what has one of the names before it and is not a file.
pub(super) fn find(repository: &Repository, commit_id: &CommitId) -> Result<Vec<Found>, LocateError> {
    let mut found = Vec::new();
    for path in NAMES {
        let Some(one) = at(repository, commit_id, path)? else { continue };
        let is_file = one.bytes.is_some();
        found.push(one);
        if is_file {
            break;
        }
    }
    Ok(found)
}

fn at(repository: &Repository, commit_id: &CommitId, path: &'static str) -> Result<Option<Found>, LocateError> {
    let other = |blob_id, what: &str| Found { path, blob_id, bytes: None, text: Err(what.to_owned()) };
    let Some(entry) = repository.entry_at(commit_id, path)? else {
        let is_folder = repository.has_at(commit_id, path)?;
        return Ok(is_folder.then(|| other(None, "it is a folder")));
    };
    let blob_id = Some(entry.blob_id.to_string());
    Ok(Some(match entry.mode {
        Mode::Symlink => other(blob_id, "it is a link, which is not followed"),
        Mode::Submodule => other(blob_id, "it is a submodule"),
        Mode::Tree => other(blob_id, "it is a folder"),
        Mode::File | Mode::Executable => {
            let content = repository.blob_within(&entry.blob_id, MOST_BYTES)?;
            let bytes = match &content {
                Some(content) => content.len() as u64,
                None => repository.size_of(&entry.blob_id)?,
            };
            Found { path, blob_id, bytes: Some(bytes), text: text(content, bytes) }
        }
    }))
}

fn text(content: Option<Vec<u8>>, bytes: u64) -> Result<String, String> {
    let Some(content) = content else {
        return Err(format!("it has {bytes} bytes, and at most {MOST_BYTES} are read"));
    };
    if holds_private_key(&content) {
        return Err("it holds a private key".to_owned());
    }
    let text = String::from_utf8(content).map_err(|_| "it is not UTF-8".to_owned())?;
    if text.trim().is_empty() { Err("it is empty".to_owned()) } else { Ok(text) }
}
