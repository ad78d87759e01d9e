//! `registry verify`: every check of a pull, for all that a registry holds, and that it holds nothing else.

use std::collections::BTreeSet;

use super::choose;
use super::error::Error;
use super::outcome::VerifyOutcome;
use crate::git::Terminal;
use crate::id::Segment;
use crate::registry::{self, Fault, Registry};
use crate::session::Session;

/// Checks all of a registry.
///
/// # Errors
///
/// Fails when it cannot be fetched, and with the first check that fails.
pub fn verify(session: &Session, name: Option<&Segment>, terminal: Terminal) -> Result<VerifyOutcome, Error> {
    let known = choose(session.project(), name)?;
    let mut registry = Registry::open(session.context(), &session.transport(terminal)?, &known)?;
    let snapshot = registry.refresh_in_time()?;
    let (mut versions, mut objects) = (0, BTreeSet::new());
    for (_, _, published) in snapshot.log.state().items() {
        for version in published.versions.values() {
            let package = registry.package(&snapshot, version)?;
            objects.extend(package.objects().into_iter().map(|(path, _)| path));
            versions += 1;
        }
    }
    if let Some(path) = registry.object_paths(&snapshot)?.into_iter().find(|path| !objects.contains(path)) {
        return Err(registry::Error::Fault { registry: known.name, fault: Fault::Unexpected { path } }.into());
    }
    let checkpoint = &snapshot.log.checkpoint().checkpoint;
    let (size, root) = (checkpoint.size, checkpoint.root);
    Ok(VerifyOutcome { registry: known.name, size, root, versions, commit_id: snapshot.commit_id })
}
