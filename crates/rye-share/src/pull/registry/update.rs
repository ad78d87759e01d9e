//! What an update is about: items of the lock, at any version that is newer.

use super::super::error::Error;
use super::super::lock;
use super::options::Wanted;
use crate::format::registry_files::LockEntry;
use crate::id::{Requirement, Space};
use crate::project::Project;

/// Returns what an update is about: one item of the lock, or all that were asked for.
///
/// # Errors
///
/// Fails when the lock cannot be read, or does not have the item.
pub fn updatable(project: &Project, space: Space, only: Option<Wanted>) -> Result<Vec<Wanted>, Error> {
    let lock = lock::read(project, space)?;
    if let Some(wanted) = only {
        let is_it = |entry: &LockEntry| entry.id == wanted.item_id;
        let is_there = lock.entries().iter().any(is_it);
        return if is_there { Ok(vec![wanted]) } else { Err(Error::NotPulled { item_id: wanted.item_id }) };
    }
    let asked_for = lock.entries().iter().filter(|entry| !entry.needed);
    let wanted = asked_for.map(|entry| Wanted {
        item_id: entry.id.clone(),
        item_type: Some(entry.item_type),
        requirement: Requirement::ANY,
    });
    Ok(wanted.collect())
}
