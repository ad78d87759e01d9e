//! What agents write of items: remembered by digest before it is written, and known again when a commit would sign it.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::locate::subject_at;
use super::one::Raw;
use crate::context::Context;
use crate::error::with_causes;
use crate::id::SPACE_FOLDER;
use crate::keys::{AgentWritten, KeysError};
use crate::trust::{Blake3Hash, Signed};

/// Remembers that an agent is about to write `content` to a file of the project, if that lies below some `.ai/`.
///
/// # Errors
///
/// Fails when it cannot be remembered: then it must not be written.
pub fn remember_written(ctx: &Context, path: &str, content: &[u8]) -> Result<(), KeysError> {
    match below_space(path) {
        Some(path) => {
            let written = AgentWritten::new(ctx)?;
            written_digests(&path, content).iter().try_for_each(|digest| written.remember(digest))
        }
        None => Ok(()),
    }
}

/// Notes that a person has reviewed what they sign: from now on, what no agent is known to have written may be theirs.
///
/// # Errors
///
/// Fails when it cannot be noted.
pub fn begin_written(ctx: &Context) -> Result<(), KeysError> {
    AgentWritten::new(ctx)?.begin()
}

/// Reads what agents wrote, if anything is known of it.
///
/// # Errors
///
/// Fails with the reason where it cannot be told.
pub(super) fn known_written(ctx: &Context) -> Result<Option<BTreeSet<String>>, String> {
    AgentWritten::new(ctx).and_then(|written| written.read()).map_err(|error| with_causes(&error))
}

/// Returns the part of a path from its last `.ai` on, in however many capitals it is spelt.
fn below_space(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().rposition(|part| part.eq_ignore_ascii_case(SPACE_FOLDER))?;
    Some(format!("{SPACE_FOLDER}/{}", parts[at + 1..].join("/")))
}

/// A file that is not an item can be moved to where it is one: of such a file each text counts that it would have then.
fn written_digests(path: &str, content: &[u8]) -> Vec<Blake3Hash> {
    match subject_at(path).filter(|_| Path::new(path).extension().is_some()) {
        Some(subject) => vec![digest(&Signed::new(subject, content.to_vec()))],
        None => [Some(content.to_vec()), without_line(content)].into_iter().flatten().map(digest_of).collect(),
    }
}

/// Leaves out the signature line of a text, in whatever style.
fn without_line(content: &[u8]) -> Option<Vec<u8>> {
    let lines: Vec<&[u8]> = content.splitn(3, |byte| *byte == b'\n').collect();
    let at = lines.iter().take(2).position(|line| line.windows(MARK.len()).any(|part| part == MARK))?;
    Some([&lines[..at], &lines[at + 1..]].concat().join(&b'\n'))
}

const MARK: &[u8] = b"rye:signed:";

/// Digests an item without its signature line.
pub(super) fn digest(raw: &Raw) -> Blake3Hash {
    digest_of(raw.split().body())
}

/// Carriage returns do not count: git may take them out between the file and the index.
fn digest_of(mut body: Vec<u8>) -> Blake3Hash {
    body.retain(|byte| *byte != b'\r');
    Blake3Hash::of(&body)
}
