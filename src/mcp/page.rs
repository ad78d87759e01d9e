//! Pages of items for a client to show: only those that the connection may use and whose signature counts.
//!
//! An item that nobody verified is not shown at all: its title is text of its own, and some clients hand titles to the
//! model.

use super::access;
use super::error::Failure;
use crate::action::Action;
use crate::capability::Grant;
use crate::format::Profile;
use crate::id::{ItemId, ItemType};
use crate::ops::execute::Given;
use crate::ops::locate::{Checked, Purpose, Session};
use crate::trust::{Signed, Verified};

/// How many items a page shows at most: some clients read one page only.
const MOST: usize = 100;

/// Some items, and where the next page begins.
#[derive(Debug)]
pub(super) struct Page<T> {
    /// What is shown of each.
    pub(super) shown: Vec<T>,
    /// The last id looked at, if there are more.
    pub(super) next: Option<String>,
}

/// Lists every id of a type that the connection may execute, sorted.
///
/// # Errors
///
/// Fails when a space cannot be read.
pub(super) fn ids(session: &Session, grant: &Grant, item_type: ItemType) -> Result<Vec<ItemId>, Failure> {
    let listing = session.workspace().list(Some(item_type), None).map_err(crate::ops::locate::LocateError::from)?;
    let mut ids: Vec<ItemId> = listing.items.into_iter().map(|item| item.id).collect();
    ids.dedup();
    ids.retain(|id| may_execute(grant, item_type, id));
    Ok(ids)
}

/// Tells whether the connection may execute an item.
pub(super) fn may_execute(grant: &Grant, item_type: ItemType, id: &ItemId) -> bool {
    let action = Action::TakeIn { item_type, id: id.clone(), given: Given::default() };
    access::permit(action, grant).is_ok()
}

/// Shows the verified items of `ids`, which are sorted, from behind `after` on.
pub(super) fn of<T>(
    session: &Session,
    item_type: ItemType,
    ids: &[ItemId],
    after: Option<&ItemId>,
    show: impl Fn(&Signed<Checked, Verified>) -> Option<T>,
) -> Page<T> {
    let first = ids.partition_point(|id| after.is_some_and(|after| id <= after));
    let mut shown = Vec::new();
    for (index, id) in ids.iter().enumerate().skip(first) {
        shown.extend(usable(session, item_type, id).as_ref().and_then(&show));
        if shown.len() == MOST && index + 1 < ids.len() {
            return Page { shown, next: Some(id.to_string()) };
        }
    }
    Page { shown, next: None }
}

/// What cannot be used is told to whoever asks for it by name; a list leaves it out.
pub(super) fn usable(session: &Session, item_type: ItemType, id: &ItemId) -> Option<Signed<Checked, Verified>> {
    let located = session.locate(item_type, id, None, Purpose::Use).ok()?;
    session.verified(located, Profile::Reference).ok()
}
