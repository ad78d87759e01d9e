//! What agents write of items: remembered by digest before it is written, and known again when a commit would sign it.

use std::path::Path;

use super::super::locate::subject_at;
use super::one::Raw;
use crate::context::Context;
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
        Some(path) => AgentWritten::new(ctx)?.remember(&written_digest(&path, content)),
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

/// Returns the part of a path from its last `.ai` on, in however many capitals it is spelt.
fn below_space(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts.iter().rposition(|part| part.eq_ignore_ascii_case(SPACE_FOLDER))?;
    Some(format!("{SPACE_FOLDER}/{}", parts[at + 1..].join("/")))
}

fn written_digest(path: &str, content: &[u8]) -> Blake3Hash {
    match subject_at(path).filter(|_| Path::new(path).extension().is_some()) {
        Some(subject) => digest(&Signed::new(subject, content.to_vec())),
        None => digest_of(content.to_vec()),
    }
}

/// Digests an item without its signature line.
pub(super) fn digest(raw: &Raw) -> Blake3Hash {
    digest_of(raw.split().body())
}

/// Carriage returns do not count: git may take them out between the file and the index.
fn digest_of(mut body: Vec<u8>) -> Blake3Hash {
    body.retain(|byte| *byte != b'\r');
    Blake3Hash::of(&body)
}
