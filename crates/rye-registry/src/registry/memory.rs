//! The last checkpoint that a person saw of each registry, `STATE/registries/<name>/checkpoint`, and the last one whose lines were all
//! checked, `STATE/registries/<name>/checked`.
//!
//! It is never made from anything else: without it a registry that went back is not noticed. It only grows. Commit
//! point: the rename of the flushed new file over the old one.

use std::fs;
use std::path::PathBuf;

use super::checkpoint::{Checkpoint, MAX_CHECKPOINT_BYTES, SignedCheckpoint};
use super::error::Error;
use super::registries_toml::replace;
use crate::context::{Context, ContextError, bounded};
use crate::id::Segment;

/// Returns the folder of a registry's recorded state.
pub(super) fn folder(ctx: &Context, registry: &Segment) -> Result<PathBuf, Error> {
    Ok(ctx.state_dir()?.join("registries").join(registry.as_str()))
}

/// Returns the folder of a registry's mirror.
pub(super) fn mirror_folder(ctx: &Context, registry: &Segment) -> Result<PathBuf, Error> {
    Ok(ctx.cache_dir()?.join("registries").join(registry.as_str()))
}

/// The recorded state of a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    /// The last checkpoint that was seen, whatever was read.
    Seen,
    /// The last one whose lines were all checked: a reader of one item does not see the signatures of the others.
    Checked,
}

impl Kept {
    const fn file(self) -> &'static str {
        match self {
            Self::Seen => "checkpoint",
            Self::Checked => "checked",
        }
    }
}

/// Reads a checkpoint that is remembered.
pub(super) fn last(ctx: &Context, registry: &Segment, kept: Kept) -> Result<Option<Checkpoint>, Error> {
    let path = folder(ctx, registry)?.join(kept.file());
    let bytes = match bounded::read(&path, MAX_CHECKPOINT_BYTES as u64) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes.map_err(ContextError::from)?,
    };
    let parsed = SignedCheckpoint::parse(&bytes);
    let parsed = parsed.map_err(|reason| Error::Known { path, reason: reason.to_owned() })?;
    Ok(Some(parsed.checkpoint))
}

/// Remembers a checkpoint that was checked. The caller holds the folder's lock.
pub(super) fn remember(ctx: &Context, registry: &Segment, kept: Kept, signed: &SignedCheckpoint) -> Result<(), Error> {
    if last(ctx, registry, kept)?.is_some_and(|seen| seen.size >= signed.checkpoint.size) {
        return Ok(());
    }
    replace(&folder(ctx, registry)?.join(kept.file()), signed.to_string().as_bytes())
}

/// Forgets a registry: the checkpoint last, so that a mirror is never left without one.
///
/// # Errors
///
/// Fails when something cannot be removed.
pub fn forget(ctx: &Context, registry: &Segment) -> Result<(), Error> {
    for path in [mirror_folder(ctx, registry)?, folder(ctx, registry)?] {
        match fs::remove_dir_all(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Io { action: "remove", path, source });
            }
            _ => {}
        }
    }
    Ok(())
}
