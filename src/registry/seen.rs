//! The last checkpoint that a person saw of each registry: `STATE/registries/<name>/checkpoint`.
//!
//! It is never made from anything else: whoever loses it no longer notices that a registry went back. It only grows.
//! Commit point: the rename of the flushed new file over the old one.

use std::fs;
use std::path::PathBuf;

use super::checkpoint::{Checkpoint, MAX_CHECKPOINT_BYTES, SignedCheckpoint};
use super::error::Error;
use super::known::replace;
use crate::context::{Context, ContextError, bounded};
use crate::id::Segment;

/// Returns the folder of what is remembered of a registry.
pub(super) fn folder(ctx: &Context, registry: &Segment) -> Result<PathBuf, Error> {
    Ok(ctx.state_dir()?.join("registries").join(registry.as_str()))
}

/// Returns the folder of a registry's mirror.
pub(super) fn mirror_folder(ctx: &Context, registry: &Segment) -> Result<PathBuf, Error> {
    Ok(ctx.cache_dir()?.join("registries").join(registry.as_str()))
}

/// Reads the last checkpoint.
pub(super) fn last(ctx: &Context, registry: &Segment) -> Result<Option<Checkpoint>, Error> {
    let path = folder(ctx, registry)?.join("checkpoint");
    let bytes = match bounded::read(&path, MAX_CHECKPOINT_BYTES as u64) {
        Err(error) if error.is_missing() => return Ok(None),
        bytes => bytes.map_err(ContextError::from)?,
    };
    let parsed = SignedCheckpoint::parse(&bytes);
    let parsed = parsed.map_err(|reason| Error::Known { path, reason: reason.to_owned() })?;
    Ok(Some(parsed.checkpoint))
}

/// Remembers a checkpoint that was checked. Whoever calls this holds the folder's lock.
pub(super) fn remember(ctx: &Context, registry: &Segment, checkpoint: &SignedCheckpoint) -> Result<(), Error> {
    if last(ctx, registry)?.is_some_and(|seen| seen.size >= checkpoint.checkpoint.size) {
        return Ok(());
    }
    replace(&folder(ctx, registry)?.join("checkpoint"), checkpoint.to_string().as_bytes())
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
