//! `registry checkpoint`: what one person sees of a registry, signed, for another one to compare.
//!
//! The host of a registry could show each client a different history, each of them valid. Two people who compare their
//! checkpoints notice.

use std::path::Path;

use super::choose;
use super::error::Error;
use super::outcome::CheckpointOutcome;
use crate::context::bounded;
use crate::format::registry_files::KnownRegistry;
use crate::git::Terminal;
use crate::id::Segment;
use crate::project::Project;
use crate::registry::{self, Registry, SignedCheckpoint, Sparse, is_static};
use crate::session::Session;

/// The largest file of a checkpoint, in bytes.
const MAX_BYTES: u64 = 4096;

/// Fetches a registry and returns its checkpoint; compares it with that of a file, if one is named.
///
/// # Errors
///
/// Fails when the registry cannot be fetched or fails a check, and when it does not continue the other checkpoint.
pub fn checkpoint(
    session: &Session,
    name: Option<&Segment>,
    other: Option<&Path>,
    terminal: Terminal,
) -> Result<CheckpointOutcome, Error> {
    let project = session.project();
    let other = other.map(|path| read(project, path)).transpose()?;
    let known = choose(project, name)?;
    if is_static(&known.url) {
        return of_static_files(project, known, other.as_ref());
    }
    let mut registry = Registry::open(session.context(), &session.transport(terminal)?, &known)?;
    let snapshot = registry.refresh()?;
    if let Some(other) = &other {
        let continues = snapshot.log.continues(&other.checkpoint);
        continues.map_err(|fault| registry::Error::Fault { registry: known.name.clone(), fault })?;
    }
    Ok(outcome(known.name, snapshot.log.checkpoint(), other.map(|other| other.checkpoint.size)))
}

/// Does the same with the checkpoint of static files, by proofs.
fn of_static_files(
    project: &Project,
    known: KnownRegistry,
    other: Option<&SignedCheckpoint>,
) -> Result<CheckpointOutcome, Error> {
    let not_needed = || Err(registry::Error::Static { registry: known.name.clone() });
    let sparse = Sparse::fetch(project.context(), &known, not_needed)?;
    if let Some(other) = other {
        sparse.check_continues(&other.checkpoint)?;
    }
    sparse.accept()?;
    let compared = other.map(|other| other.checkpoint.size);
    Ok(outcome(known.name.clone(), sparse.checkpoint(), compared))
}

fn outcome(registry: Segment, signed: &SignedCheckpoint, compared: Option<u64>) -> CheckpointOutcome {
    CheckpointOutcome {
        registry,
        size: signed.checkpoint.size,
        root: signed.checkpoint.root,
        compared,
        note: signed.to_string(),
    }
}

/// Reads a checkpoint from another client. Its signature proves nothing here: its content is compared.
fn read(project: &Project, path: &Path) -> Result<SignedCheckpoint, Error> {
    let text = bounded::read_text(&project.context().current_dir().join(path), MAX_BYTES)?;
    let parsed = SignedCheckpoint::parse(text.as_bytes());
    parsed.map_err(|reason| Error::NoCheckpoint { path: path.to_path_buf(), reason })
}
