//! The only configured provider: it serves every tier, so that one variable of the environment is a whole set-up.
//!
//! Set up is what its person did something for: its secret is there, a variable names its address, or they wrote the document.
//! A document of the program that needs nothing, such as Ollama's, is always set up, and is used only if named.

use super::document::{Found, SPACES, access, in_space, price, served};
use crate::id::{ItemId, Space};
use crate::item::Model;
use crate::session::Session;
use crate::thread::error::Error;

/// Finds the provider on the network that serves for want of any other: the only one of its space that is set up, else the only
/// one of these that has tiers. The user's space comes first.
pub(super) fn sole(session: &Session, model: Option<&str>, declared: Option<&Model>) -> Result<Option<Found>, Error> {
    for space in SPACES {
        let mut set_up = in_space(session, space)?;
        set_up.retain(|found| is_set_up(session, found));
        if set_up.len() > 1 {
            set_up.retain(|found| !found.document.tiers.is_empty());
        }
        if set_up.len() == 1
            && let Some(found) = set_up.pop()
        {
            let model = served(&found.document, model, declared);
            let has_model = model.is_some_and(|model| price(&found.document, &model).is_some());
            return Ok(has_model.then_some(found));
        }
        if !set_up.is_empty() {
            return Ok(None);
        }
    }
    Ok(None)
}

/// Returns the only provider on the network that is set up.
pub(super) fn set_up(session: &Session, found: &[Found]) -> Option<ItemId> {
    let mut set_up = found.iter().filter(|found| is_set_up(session, found));
    let has_tiers = |found: &&Found| !found.document.tiers.is_empty();
    match (set_up.next(), set_up.next()) {
        (Some(only), None) => Some(only.id.clone()),
        (Some(_), Some(_)) => {
            let mut with_tiers = found.iter().filter(|found| is_set_up(session, found)).filter(has_tiers);
            with_tiers.next().filter(|_| with_tiers.next().is_none()).map(|found| found.id.clone())
        }
        (None, _) => None,
    }
}

fn is_set_up(session: &Session, found: &Found) -> bool {
    let is_persons = found.space == Space::User;
    match access(session, found) {
        Ok(Some(access)) => is_persons || access.authentication.is_some() || access.variable.is_some(),
        Ok(None) | Err(_) => false,
    }
}
