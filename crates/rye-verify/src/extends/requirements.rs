//! What a directive requires: a word that the configuration offers, or an item that is there.
//!
//! A word and an id of one segment look alike. A word of the configuration is first; then the items are searched; any
//! other word is not offered here.

use std::collections::BTreeSet;

use super::error::Error;
pub use super::unmet::Unmet;
use crate::id::{ItemId, ItemType};
use crate::locate::LocateError;

/// The types of item that may be required, in the order in which a name means them.
const ORDER: [ItemType; 3] = [ItemType::Directive, ItemType::Tool, ItemType::Knowledge];

/// Checks one name; `find` looks for an item of a type.
///
/// # Errors
///
/// Fails when it is a word that is not offered, the id of no item, or the last segment of several.
pub fn check(
    item_id: &ItemId,
    name: &ItemId,
    offered: &BTreeSet<ItemId>,
    find: impl Fn(ItemType) -> Result<ItemId, Error>,
) -> Result<(), Error> {
    if offered.contains(name) {
        return Ok(());
    }
    let mut nowhere = None;
    for item_type in ORDER {
        match find(item_type) {
            Err(error) if is_unknown(&error) => nowhere = nowhere.or(Some(error)),
            found => return found.map(drop),
        }
    }
    let unmet = Unmet { item_id: item_id.clone(), word: name.clone(), offered: offered.clone() };
    Err(nowhere.filter(|_| !name.category().is_empty()).unwrap_or(Error::Unmet(unmet)))
}

fn is_unknown(error: &Error) -> bool {
    matches!(error, Error::Part { source, .. } if matches!(**source, LocateError::Unknown { .. }))
}
