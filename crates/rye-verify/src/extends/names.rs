//! Which item a name means: an id, an id behind its type, or a last segment that only one id has; ids of the program's own count
//! where no other has it.

use std::collections::BTreeMap;

use super::error::{Error, part};
use crate::capability::shell;
use crate::id::{ItemId, ItemType, nearest};
use crate::item::meant;
use crate::locate::LocateError;
use crate::project::Project;

/// The ids there are, by type and last segment: what many names are resolved by.
#[derive(Debug, Default)]
pub struct Names {
    ids: BTreeMap<(ItemType, String), Vec<ItemId>>,
}

/// Resolves one name.
///
/// # Errors
///
/// Fails when nothing or more than one item fits.
pub fn find(
    project: &Project,
    by: &ItemId,
    element: &'static str,
    item_type: ItemType,
    name: &ItemId,
) -> Result<ItemId, Error> {
    if item_type == ItemType::Tool && shell::is_program(name) {
        return Ok(name.clone());
    }
    let failed = |error: LocateError| part(by, element, name, error);
    for id in meant(item_type, name) {
        let found = project.workspace().candidates(item_type, &id).map_err(|error| failed(error.into()))?;
        if !found.is_empty() {
            return Ok(id);
        }
    }
    Names::read(project, Some(item_type)).map_err(failed)?.find(by, element, item_type, name)
}

impl Names {
    /// Reads the ids of one type, or of all.
    pub fn read(project: &Project, item_type: Option<ItemType>) -> Result<Self, LocateError> {
        let mut names = Self::default();
        for item in project.workspace().list(item_type, None)?.items {
            let same = names.ids.entry((item.item_type, item.id.name().to_owned())).or_default();
            // The list groups the spaces of one id.
            if same.last() != Some(&item.id) {
                same.push(item.id);
            }
        }
        Ok(names)
    }

    /// Resolves a name that the element of a directive holds.
    ///
    /// # Errors
    ///
    /// Fails when nothing or more than one item fits.
    pub fn find(
        &self,
        by: &ItemId,
        element: &'static str,
        item_type: ItemType,
        name: &ItemId,
    ) -> Result<ItemId, Error> {
        if item_type == ItemType::Tool && shell::is_program(name) {
            return Ok(name.clone());
        }
        if let Some(id) = meant(item_type, name).find(|id| self.named(item_type, id.name()).contains(id)) {
            return Ok(id);
        }
        let ids = self.named(item_type, name.as_str());
        // Built-in items do not take names away from the items of people.
        let own: Vec<&ItemId> = ids.iter().filter(|id| !id.is_reserved()).collect();
        match (ids, own.as_slice()) {
            ([id], _) => Ok(id.clone()),
            (_, [id]) => Ok((*id).clone()),
            ([], _) => Err(part(by, element, name, self.unknown(by, item_type, name))),
            (ids, own) => {
                let ids = if own.is_empty() { ids.to_vec() } else { own.iter().copied().cloned().collect() };
                Err(Error::Ambiguous { item_id: by.clone(), element, name: name.clone(), ids })
            }
        }
    }

    fn named(&self, item_type: ItemType, last: &str) -> &[ItemId] {
        self.ids.get(&(item_type, last.to_owned())).map_or(&[], Vec::as_slice)
    }

    /// Suggests a name that is near, and not the one that asks.
    fn unknown(&self, by: &ItemId, item_type: ItemType, name: &ItemId) -> LocateError {
        let of_type = self.ids.iter().filter(|((of, _), _)| *of == item_type);
        let ids = || of_type.clone().flat_map(|(_, ids)| ids).filter(|id| *id != by);
        let near = nearest(name.as_str(), ids().map(ItemId::as_str));
        let suggestion = near.and_then(|near| ids().find(|id| id.as_str() == near)).cloned();
        LocateError::Unknown { item_type, item_id: name.clone(), space: None, suggestion, instead: None }
    }
}
