//! The read parts of a registry's files of lines: `STATE/registries/<name>/index/…` has the length and the SHA-256 of
//! each. A file of lines may only grow.
//!
//! A reader of one item does not see all lines, so whoever may sign a checkpoint could show it others about a namespace: here it
//! notices that those it saw before are gone. Commit point: the rename of the flushed new file over the old one.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use super::error::Error;
use super::memory::folder;
use super::registries_toml::replace;
use crate::context::{Context, ContextError, bounded};
use crate::id::Segment;
use crate::trust::ContentHash;

/// The largest of these files, in bytes: two numbers.
const MOST: u64 = 128;

/// How a file of lines began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Beginning {
    length: usize,
    sha256: ContentHash,
}

/// Tells whether a file of lines begins as it was when it was last read. None is a file that is not there.
pub(super) fn continues(ctx: &Context, registry: &Segment, path: &str, bytes: Option<&[u8]>) -> Result<bool, Error> {
    let Some(Beginning { length, sha256 }) = last(ctx, registry, path)? else { return Ok(true) };
    let beginning = bytes.unwrap_or_default().get(..length);
    Ok(beginning.is_some_and(|beginning| ContentHash::of(beginning) == sha256))
}

/// Remembers a file of lines that was proven. The caller holds the lock of the registry.
pub(super) fn remember(ctx: &Context, registry: &Segment, path: &str, bytes: &[u8]) -> Result<(), Error> {
    if last(ctx, registry, path)?.is_some_and(|before| before.length >= bytes.len()) {
        return Ok(());
    }
    let file = file(ctx, registry, path)?;
    if let Some(folder) = file.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|source| Error::Io { action: "write", path: folder.to_path_buf(), source })?;
    }
    replace(&file, format!("{} {}\n", bytes.len(), ContentHash::of(bytes)).as_bytes())
}

fn last(ctx: &Context, registry: &Segment, path: &str) -> Result<Option<Beginning>, Error> {
    let file = file(ctx, registry, path)?;
    let text = match bounded::read_text(&file, MOST) {
        Err(error) if error.is_missing() => return Ok(None),
        text => text.map_err(ContextError::from)?,
    };
    let parsed = text
        .trim_end()
        .split_once(' ')
        .and_then(|(length, sha256)| Some(Beginning { length: length.parse().ok()?, sha256: sha256.parse().ok()? }));
    let malformed = || Error::Known { path: file, reason: "expected a length and a digest".to_owned() };
    parsed.map(Some).ok_or_else(malformed)
}

fn file(ctx: &Context, registry: &Segment, path: &str) -> Result<PathBuf, Error> {
    Ok(folder(ctx, registry)?.join(path))
}
