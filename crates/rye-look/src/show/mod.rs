//! `show`: one item for people: what it is, takes, returns and may do, who signed it, and which versions there are.
//!
//! An item that is in a space is shown as it lies there, with the versions that registries had when they were last fetched. Another
//! one, or a version that is named, is looked up in the registries. Nothing is run or written.

mod card;
mod error;
mod options;
mod shelf;

pub use self::card::{Card, Place, Signer, Value, VersionInfo};
pub use self::error::Error;
pub use self::options::Options;
use self::shelf::Shelf;
use super::locate::{LocateError, Purpose, shown_path};
use crate::id::ItemType;
use crate::project::Project;
use crate::session::Session;

/// Finds an item and tells what there is to know of it.
///
/// # Errors
///
/// Fails when it is nowhere, when several items or registries are meant, and when a registry cannot be fetched or fails a check.
pub fn show(session: &Session, options: &Options) -> Result<Card, Error> {
    let is_elsewhere = options.requirement.is_some() || options.registry.is_some();
    let here = if is_elsewhere { None } else { here(session.project(), options)? };
    let is_offline = options.is_offline || here.is_some();
    let shelf = Shelf::open(session, options, is_offline)?;
    match here {
        Some(card) => {
            let versions = shelf.versions(card.item_type, &card.item_id);
            Ok(Card { versions, deprecated: shelf.deprecated(card.item_type, &card.item_id), ..card })
        }
        None => shelf.card(session.project(), options),
    }
}

/// Finds an item in the spaces.
fn here(project: &Project, options: &Options) -> Result<Option<Card>, Error> {
    let mut found = Vec::new();
    let types = options.item_type.map_or_else(|| ItemType::ALL.to_vec(), |item_type| vec![item_type]);
    for item_type in types {
        match project.locate(item_type, &options.item_id, None, Purpose::Use) {
            Ok(located) => found.push(located),
            Err(LocateError::Unknown { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match found.as_slice() {
        [] => Ok(None),
        [located] => {
            let place = Place::Space { space: located.candidate.space, path: shown_path(&located.candidate) };
            Ok(Some(Card::of(project, &located.signed, place)))
        }
        several => Err(Error::SeveralTypes {
            item_id: options.item_id.clone(),
            types: several.iter().map(|located| located.candidate.item_type).collect(),
        }),
    }
}
