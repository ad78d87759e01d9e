//! `mv`: give an item another id, and name it so wherever the person's items name it.
//!
//! Two steps, so that a person can agree to the signatures: [`plan`] reads and works everything out, and writes
//! nothing; [`mv`] makes every signature, then writes. The item is written under its new id first, then the references
//! change one by one, last the old file is removed: the commit point. Until then both ids lead to the item, so no
//! reference is ever broken, and the same command goes on from there: the files under the new id are the ones that it
//! would write.

mod companions;
mod error;
mod naming;
mod options;
mod outcome;
mod plan;

pub use self::companions::MovedFile;
pub use self::error::Error;
pub use self::options::Options;
pub use self::outcome::{Changed, Mention, Outcome, Plan, Status};
use super::sign::{remember_written, sign_bytes};
use crate::project::Project;
use crate::trust::{PublicKey, Signed, Signer};
use crate::workspace::{Candidate, Expected};
use outcome::Change;

/// Works out what moving an item changes; `key` is the person's. Nothing is written.
///
/// # Errors
///
/// Fails when the item is unknown, the new id exists, an item is not valid afterwards, and when a file that changes
/// does not carry the person's own signature, unless they are to sign it.
pub fn plan(project: &Project, options: &Options, key: &PublicKey) -> Result<Plan, Error> {
    plan::plan(project, options, key)
}

/// Moves an item as planned.
///
/// # Errors
///
/// Fails with nothing written when the key refuses; else when a file changed since, or cannot be written.
pub fn mv(project: &Project, plan: &Plan, signer: &dyn Signer) -> Result<Outcome, Error> {
    let (workspace, Candidate { space, item_type, id, extension, .. }) = (project.workspace(), &plan.moved.candidate);
    // As pulling does: two programs do not change the items of a space at once.
    let _held = workspace.hold(*space)?;
    let moved = match &plan.there {
        Some(there) => there.clone(),
        None => signed(project, &plan.moved, signer)?,
    };
    let references: Vec<Vec<u8>> =
        plan.references.iter().map(|change| signed(project, change, signer)).collect::<Result<_, _>>()?;
    for companion in plan.companions.iter().filter(|companion| !companion.is_there) {
        let written =
            workspace.write_beside(*space, *item_type, &plan.to, &companion.path, &companion.bytes, Expected::Absent);
        written.map_err(|source| Error::Write { path: companion.shown.new_path.clone(), source })?;
    }
    if plan.there.is_none() {
        remember(project, &plan.moved, &moved)?;
        let written = workspace.write_item(*space, *item_type, &plan.to, extension, &moved, Expected::Absent);
        written.map_err(|source| Error::Write { path: plan.moved.new_path.clone(), source })?;
    }
    for (change, bytes) in plan.references.iter().zip(&references) {
        remember(project, change, bytes)?;
        let Candidate { space, item_type, id, extension, .. } = &change.candidate;
        let written = workspace.write_item(*space, *item_type, id, extension, bytes, Expected::Content(&change.old));
        written.map_err(|source| Error::Write { path: change.path.clone(), source })?;
    }
    for companion in plan.companions.iter().filter(|companion| companion.is_here && !companion.shown.stays) {
        let removed = workspace.remove_beside(*space, *item_type, id, &companion.path, &companion.bytes);
        removed.map_err(|source| Error::Write { path: companion.shown.path.clone(), source })?;
    }
    let removed = workspace.remove_item(&plan.moved.candidate, &plan.moved.old);
    removed.map_err(|source| Error::Write { path: plan.moved.path.clone(), source })?;
    Ok(plan.outcome(Status::Moved))
}

/// Returns the new bytes of a file, with the person's signature or without any.
fn signed(project: &Project, change: &Change, signer: &dyn Signer) -> Result<Vec<u8>, Error> {
    let path = std::path::Path::new(&change.new_path);
    if change.is_signed {
        return Ok(sign_bytes(&change.subject, change.new.clone(), path, signer, project.context().now())?);
    }
    Ok(Signed::new(change.subject.clone(), change.new.clone()).split().body())
}

/// An agent's text stays known as that, under its new id and with its new references.
fn remember(project: &Project, change: &Change, bytes: &[u8]) -> Result<(), Error> {
    if change.is_by_agent && !change.is_signed {
        remember_written(project.context(), &change.new_path, bytes)?;
    }
    Ok(())
}
