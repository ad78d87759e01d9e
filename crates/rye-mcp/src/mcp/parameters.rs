//! What is told of wrong parameters: what the item takes, so that the next call is right.

use super::access::{self, Connection};
use super::error::Failure;
use crate::capability::{Authority as _, Call, Consent, Primary};
use crate::execute::{self, takes_of_builtin};
use crate::format::schema::SchemaFault;
use crate::id::{ItemId, ItemType};
use crate::item::{InputError, Takes};
use crate::locate::{LocateError, Purpose};
use crate::session::Session;

/// Parameters that do not fit the item that a call executes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrongParameters {
    /// The item's type.
    pub(super) item_type: ItemType,
    /// The item, as it was called.
    pub(super) item_id: ItemId,
    /// The fault; none for another value than an object.
    pub(super) message: Option<String>,
}

impl WrongParameters {
    /// Makes the failure, which says what the item takes: to a connection that may execute it.
    ///
    /// # Errors
    ///
    /// Fails when the connection may not execute the item, and when it cannot be executed.
    pub(super) fn told(self, session: &Session, connection: &Connection<'_>) -> Result<Failure, Failure> {
        let Self { item_type, item_id, message } = self;
        let call = Call::on(Primary::Execute, item_type, item_id.clone());
        match access::grant(session, connection)?.judge(&call)? {
            // What has to be asked about may be executed after a yes.
            Consent::Given | Consent::Needed { .. } => {}
        }
        let takes = takes(session, item_type, &item_id)?;
        Ok(match (item_type, message) {
            (ItemType::Tool, message) => {
                let message = message.unwrap_or_else(|| "`parameters` must be a JSON object".to_owned());
                let faults = vec![SchemaFault { path: String::new(), message }];
                execute::Error::Parameters { item_id, faults, takes }.into()
            }
            (ItemType::Directive | ItemType::Knowledge | ItemType::Skill, Some(message)) => {
                Failure::Arguments { primary: Primary::Execute, message }
            }
            (ItemType::Directive | ItemType::Knowledge | ItemType::Skill, None) => {
                execute::Error::Inputs { item_type, item_id, takes, source: InputError::NotAnObject }.into()
            }
        })
    }
}

/// Lists what an item takes: a built-in tool whatever the project has, any other item if it is verified.
fn takes(session: &Session, item_type: ItemType, item_id: &ItemId) -> Result<Vec<Takes>, LocateError> {
    if item_type == ItemType::Tool {
        let known = takes_of_builtin(item_id);
        if !known.is_empty() {
            return Ok(known);
        }
    }
    let verified =
        execute::verified(session.project(), session.project().locate(item_type, item_id, None, Purpose::Use)?)?;
    Ok(Takes::of(&verified.content().item))
}
