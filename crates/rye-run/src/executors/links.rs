//! The items of a chain, as the project has them.

use super::{Link, Script, check};
use crate::error::with_causes;
use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Tool};
use crate::locate::{LocateError, Located, Purpose, subject};
use crate::project::Project;
use crate::session::Session;
use crate::trust::{Signed, Verdict};
use crate::workspace::Candidate;

/// Reads a verified link.
///
/// # Errors
///
/// Says why it cannot be used.
pub fn verified_link(project: &Project, id: &ItemId, space: Space) -> Result<Link, String> {
    let told = |error: LocateError| with_causes(&error);
    let located = located(project, id, space).map_err(told)?;
    let verified = project.verified(located, Profile::Reference).map_err(told)?;
    let checked = verified.content();
    link(Some(&checked.item), checked.space)
}

/// Makes sure that something can run a tool as its file has it, whatever the signature: of neither the tool nor a link.
///
/// # Errors
///
/// Says why nothing can.
pub fn check_unsigned(session: &Session, candidate: &Candidate, tool: &Tool, bytes: &[u8]) -> Result<(), String> {
    let script = Script { item_id: &candidate.id, extension: &candidate.extension, tool, bytes };
    let read = |id: &ItemId, space| parsed_link(session.project(), id, space);
    // An item with a reserved id is not the program's own, unless its bytes are the same.
    let signed = Signed::new(subject(candidate), bytes.to_vec()).in_space(candidate.space);
    let verdict = match signed.verify(&session.project().keys()) {
        Ok(verified) if verified.verdict() == Verdict::Builtin => Verdict::Builtin,
        Ok(_) | Err(_) => Verdict::Unsigned,
    };
    check(session, script, candidate.space, verdict, read)
}

/// Reads a link whose signature does not matter.
fn parsed_link(project: &Project, id: &ItemId, space: Space) -> Result<Link, String> {
    let located = located(project, id, space).map_err(|error| with_causes(&error))?;
    let parsed = format::parse_bytes(ItemType::Tool, &located.candidate.extension, located.signed.content());
    link(parsed.item.as_ref(), located.candidate.space)
}

fn link(item: Option<&Item>, space: Space) -> Result<Link, String> {
    match item {
        Some(Item::Tool(tool)) => Ok(Link { tool: (**tool).clone(), space }),
        Some(_) | None => Err("it is not a tool".to_owned()),
    }
}

/// Finds an item in a space, or in those further out.
fn located(project: &Project, id: &ItemId, space: Space) -> Result<Located, LocateError> {
    let locate = |space| project.locate(ItemType::Tool, id, space, Purpose::Use);
    match space {
        Space::Project => locate(None),
        Space::User => locate(Some(Space::User)).or_else(|_| locate(Some(Space::System))),
        Space::System => locate(Some(Space::System)),
    }
}
