//! The items of a chain, as the session finds them.

use super::Link;
use crate::error::with_causes;
use crate::format::{self, Profile};
use crate::id::{ItemId, ItemType, Space};
use crate::item::Item;
use crate::ops::locate::{LocateError, Located, Purpose, Session};

/// Reads a verified link.
///
/// # Errors
///
/// Says why it cannot be used.
pub fn verified_link(session: &Session, id: &ItemId, space: Space) -> Result<Link, String> {
    let told = |error: LocateError| with_causes(&error);
    let located = located(session, id, space).map_err(told)?;
    let verified = session.verified(located, Profile::Reference).map_err(told)?;
    let checked = verified.content();
    link(Some(&checked.item), checked.space)
}

/// Reads a link whose signature does not matter, as where items are only looked over.
///
/// # Errors
///
/// As [`verified_link`].
pub fn parsed_link(session: &Session, id: &ItemId, space: Space) -> Result<Link, String> {
    let located = located(session, id, space).map_err(|error| with_causes(&error))?;
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
fn located(session: &Session, id: &ItemId, space: Space) -> Result<Located, LocateError> {
    let locate = |space| session.locate(ItemType::Tool, id, space, Purpose::Use);
    match space {
        Space::Project => locate(None),
        Space::User => locate(Some(Space::User)).or_else(|_| locate(Some(Space::System))),
        Space::System => locate(Some(Space::System)),
    }
}
