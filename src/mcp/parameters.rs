//! What is told of wrong parameters: what the item takes, so that the next call is right.

use super::error::Failure;
use crate::action::Action;
use crate::capability::Primary;
use crate::format;
use crate::format::schema::SchemaFault;
use crate::id::{ItemId, ItemType};
use crate::item::{InputError, Takes};
use crate::ops::execute;
use crate::ops::locate::{LocateError, Purpose, Session};
use crate::workspace::BUILTIN;

/// What is wrong with parameters that are another value.
pub(super) const NOT_AN_OBJECT: &str = "`parameters` must be a JSON object";

/// Lists what a tool of the program takes; of other tools nothing is known here.
pub(super) fn declared(item_id: &ItemId) -> Vec<Takes> {
    let mut files = BUILTIN.iter().filter(|file| file.item_type == ItemType::Tool && file.id == item_id.as_str());
    let item =
        files.find_map(|file| format::parse_bytes(ItemType::Tool, &file.extension.parse().ok()?, file.bytes).item);
    item.as_ref().map_or_else(|| execute::takes_of_program(item_id), Takes::of)
}

/// Makes the error of a tool's parameters.
pub(super) fn wrong(item_id: ItemId, message: String, takes: Vec<Takes>) -> Failure {
    let faults = vec![SchemaFault { path: String::new(), message }];
    execute::Error::Parameters { item_id, faults, takes }.into()
}

/// Makes the error of a call whose parameters are not an object: it says what the item takes.
///
/// # Errors
///
/// Fails when the item cannot be executed.
pub(super) fn misshapen(session: &Session, action: &Action) -> Result<Failure, LocateError> {
    let message = NOT_AN_OBJECT.to_owned();
    let (item_type, id) = match action {
        Action::Tool { id, .. } => (ItemType::Tool, id),
        Action::TakeIn { item_type, id, .. } => (*item_type, id),
        Action::Load { .. } | Action::Search(_) | Action::Sign { .. } => {
            return Ok(Failure::Arguments { primary: Primary::Execute, message });
        }
    };
    let verified = execute::verified(session, session.locate(item_type, id, None, Purpose::Use)?)?;
    let (item_id, takes) = (id.clone(), Takes::of(&verified.content().item));
    Ok(match item_type {
        ItemType::Tool => wrong(item_id, message, takes),
        ItemType::Directive | ItemType::Knowledge | ItemType::Skill => {
            execute::Error::Inputs { item_type, item_id, takes, source: InputError::NotAnObject }.into()
        }
    })
}
