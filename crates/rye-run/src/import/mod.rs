//! `mcp import`: the tools of an MCP server, as wrappers of the project that the person signs.
//!
//! Two steps, so that a person can look first: [`plan`] asks the server and works everything out, and writes nothing; [`import`]
//! makes every signature, then writes. A server's text is data: it is shown and stored as text, and a tool that hides
//! characters, or whose definition makes an invalid wrapper, is left out.

mod error;
mod naming;
mod options;
mod outcome;
mod plan;
mod wrapper;

use std::path::Path;

pub use self::error::Error;
pub use self::options::Options;
pub use self::outcome::{Imported, Outcome, Reached, State};
pub use self::plan::Plan;
use self::plan::Write;
use super::sign::sign_bytes;
use crate::id::{ItemType, Space};
use crate::process::CancelFlag;
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signer;
use crate::workspace::{Candidate, Expected, Replacement};

/// Asks a server for its tools, and works out what becomes of the wrappers. Nothing is written.
///
/// # Errors
///
/// Fails outside of a project, when the server cannot be used, and when it does not list a tool that is named.
pub fn plan(session: &Session, options: &Options, cancel: &CancelFlag) -> Result<Plan, Error> {
    plan::plan(session, options, cancel)
}

/// Signs and writes the wrappers that are new or changed.
///
/// # Errors
///
/// Fails with nothing written when the key refuses; else when a file changed since, or cannot be written.
pub fn import(project: &Project, plan: &Plan, signer: &dyn Signer) -> Result<Outcome, Error> {
    let workspace = project.workspace();
    // As pulling does: two programs do not change the items of a space at once.
    let _held = workspace.hold(Space::Project)?;
    let now = project.context().now();
    let mut signed = Vec::new();
    for wrapper in &plan.writes {
        let path = Path::new(&wrapper.path);
        let bytes = sign_bytes(&wrapper.subject, wrapper.bytes.clone(), path, signer, now)?;
        signed.push((wrapper, bytes));
    }
    let root = project.root()?;
    let candidates: Vec<Candidate> = signed.iter().map(|(wrapper, _)| candidate(root, wrapper)).collect();
    let files = signed.iter().zip(&candidates).map(|((wrapper, bytes), candidate)| {
        let expected = wrapper.old.as_deref().map_or(Expected::Absent, Expected::Content);
        Replacement { candidate, expected, bytes }
    });
    // Many at once: a folder is listed and flushed once for all of a batch.
    let written = workspace.replace_items(&files.collect::<Vec<_>>());
    for ((wrapper, _), written) in signed.iter().zip(written) {
        written.map_err(|source| Error::Write { path: wrapper.path.clone(), source })?;
    }
    Ok(plan.outcome(true))
}

fn candidate(root: &Path, wrapper: &Write) -> Candidate {
    Candidate {
        space: Space::Project,
        item_type: ItemType::Tool,
        id: wrapper.subject.item_id.clone(),
        extension: wrapper.subject.extension.clone(),
        path: root.join(&wrapper.path),
    }
}
