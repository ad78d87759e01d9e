//! Pages of items for a client to show: only those that the connection may use and whose signature counts.
//!
//! An unverified item is not shown at all: its title is text of its own, and some clients hand titles to the model.

use std::fmt;
use std::str::FromStr;

use super::access;
use super::error::Failure;
use crate::action::Action;
use crate::capability::Grant;
use crate::execute::Given;
use crate::format::Profile;
use crate::id::{ItemId, ItemType};
use crate::locate::{Checked, Purpose};
use crate::session::Session;
use crate::trust::{Signed, Verified};

/// How many items a page shows at most: some clients read one page only.
const MOST: usize = 100;

/// An item of a list, in the order of the list: by type, then by id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// The type.
    pub(super) item_type: ItemType,
    /// The id.
    pub(super) id: ItemId,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.item_type, self.id)
    }
}

/// A cursor is the place that the page before ended with.
impl FromStr for Place {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (item_type, id) = text.split_once(':').ok_or(())?;
        Ok(Self { item_type: item_type.parse().map_err(drop)?, id: id.parse().map_err(drop)? })
    }
}

/// Some items, and where the next page begins.
#[derive(Debug)]
pub(super) struct Page<T> {
    /// The shown parts of each.
    pub(super) shown: Vec<T>,
    /// The last place looked at, if there are more.
    pub(super) next: Option<String>,
}

/// Lists every item of some types that the connection may execute, sorted.
fn places(session: &Session, grant: &Grant, item_types: &[ItemType]) -> Result<Vec<Place>, Failure> {
    let mut places = Vec::new();
    for &item_type in item_types {
        places.extend(ids(session, grant, item_type)?.into_iter().map(|id| Place { item_type, id }));
    }
    places.sort();
    Ok(places)
}

/// Lists every id of a type that the connection may execute, sorted.
pub(super) fn ids(session: &Session, grant: &Grant, item_type: ItemType) -> Result<Vec<ItemId>, Failure> {
    let mut ids = known(session, item_type)?;
    ids.retain(|id| may_execute(grant, item_type, id));
    Ok(ids)
}

/// Lists every id of a type, sorted, whatever the connection may do with it.
pub(super) fn known(session: &Session, item_type: ItemType) -> Result<Vec<ItemId>, Failure> {
    let listing =
        session.project().workspace().list(Some(item_type), None).map_err(crate::locate::LocateError::from)?;
    let mut ids: Vec<ItemId> = listing.items.into_iter().map(|item| item.id).collect();
    ids.sort();
    ids.dedup();
    Ok(ids)
}

/// Tells whether the connection may execute an item.
pub(super) fn may_execute(grant: &Grant, item_type: ItemType, id: &ItemId) -> bool {
    let action = Action::TakeIn { item_type, id: id.clone(), given: Given::default() };
    access::permit(action, grant).is_ok()
}

/// Shows the verified items of some types that the connection may execute, from behind `after` on.
pub(super) fn of<T>(
    session: &Session,
    grant: &Grant,
    item_types: &[ItemType],
    after: Option<&Place>,
    show: impl Fn(&Signed<Checked, Verified>) -> Option<T>,
) -> Result<Page<T>, Failure> {
    let places = places(session, grant, item_types)?;
    let first = places.partition_point(|place| after.is_some_and(|after| place <= after));
    let mut shown = Vec::new();
    for (index, place) in places.iter().enumerate().skip(first) {
        shown.extend(usable(session, place.item_type, &place.id).as_ref().and_then(&show));
        if shown.len() == MOST && index + 1 < places.len() {
            return Ok(Page { shown, next: Some(place.to_string()) });
        }
    }
    Ok(Page { shown, next: None })
}

/// An unusable item is reported when requested by name; a list leaves it out.
pub(super) fn usable(session: &Session, item_type: ItemType, id: &ItemId) -> Option<Signed<Checked, Verified>> {
    let located = session.project().locate(item_type, id, None, Purpose::Use).ok()?;
    session.project().verified(located, Profile::Reference).ok()
}
