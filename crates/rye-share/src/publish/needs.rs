//! The needs of an item, which are published with it. Companions are part of their tool.
//!
//! Built-in items are everywhere and are not published.

use std::collections::BTreeSet;

use super::error::Error;
use super::options::Options;
use crate::extends;
use crate::format::Profile;
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, Named};
use crate::locate::{Located, Purpose, checked, manifest_candidate, subject};
use crate::project::Project;
use crate::sign::SignedSkill;
use crate::trust::Signed;

/// The most items that are published at once.
const MOST: usize = 64;

/// An item that is to be published, found and valid.
pub(super) struct Wanted {
    pub(super) located: Located,
    pub(super) item: Item,
    /// What it needs, by type and id.
    pub(super) needs: BTreeSet<(ItemType, ItemId)>,
}

/// Finds an item and all that it needs, transitively; needed items come first.
///
/// # Errors
///
/// Fails when something is not there, not valid, or too much.
pub(super) fn closure(project: &Project, options: &Options) -> Result<Vec<Wanted>, Error> {
    let Options { item_type, item_id, .. } = options;
    let item_type = *item_type;
    let mut found: Vec<Wanted> = Vec::new();
    let mut open = vec![(item_type, item_id.clone())];
    let mut seen: BTreeSet<(ItemType, ItemId)> = open.iter().cloned().collect();
    while let Some((of, id)) = open.pop() {
        let is_main = of == item_type && id == *item_id;
        let wanted = wanted(project, of, &id, options.skill.as_ref().filter(|_| is_main))?;
        if wanted.located.candidate.space == Space::System && !found.is_empty() {
            continue;
        }
        open.extend(wanted.needs.iter().filter(|need| seen.insert((*need).clone())).cloned());
        found.push(wanted);
        if found.len() > MOST {
            return Err(Error::TooMany { item_type, item_id: item_id.clone(), most: MOST });
        }
    }
    let systems: BTreeSet<(ItemType, ItemId)> =
        seen.iter().filter(|need| !found.iter().any(|known| known.is(need))).cloned().collect();
    for wanted in &mut found {
        wanted.needs.retain(|need| !systems.contains(need));
    }
    found.reverse();
    Ok(found)
}

impl Wanted {
    fn is(&self, (item_type, id): &(ItemType, ItemId)) -> bool {
        self.located.candidate.item_type == *item_type && self.located.candidate.id == *id
    }
}

fn wanted(
    project: &Project,
    item_type: ItemType,
    item_id: &ItemId,
    skill: Option<&SignedSkill>,
) -> Result<Wanted, Error> {
    let located = match (skill, project.workspace().root(Space::Project)) {
        (Some(skill), Some(root)) => {
            let candidate = manifest_candidate(root, Space::Project, item_id);
            let signed = Signed::new(subject(&candidate), skill.bytes.clone()).in_space(Space::Project);
            Located { candidate, signed, shadows: Vec::new(), passed_over: Vec::new() }
        }
        _ => project.locate(item_type, item_id, None, Purpose::Use)?,
    };
    let (subject, bytes) = (located.signed.subject(), located.signed.content());
    let (item, _) = checked(subject, bytes, Profile::Reference, &located.candidate.path)?;
    let needs = needs(project, item_id, &item)?;
    Ok(Wanted { located, item, needs })
}

fn needs(project: &Project, by: &ItemId, item: &Item) -> Result<BTreeSet<(ItemType, ItemId)>, Error> {
    let offered = &project.context().config().capabilities.offered;
    let mut needs = BTreeSet::new();
    for Named { element, item_type, name } in item.needs() {
        // A word may be met by an installation alone; the id of an item is one that is there.
        let of = item_type.or_else(|| {
            let types = || ItemType::ALL.into_iter().find(|of| has(project, *of, &name));
            (!offered.contains(&name)).then(types).flatten()
        });
        if let Some(of) = of {
            needs.insert((of, extends::find(project, by, element, of, &name)?));
        }
    }
    needs.remove(&(item.item_type(), by.clone()));
    Ok(needs)
}

fn has(project: &Project, item_type: ItemType, name: &ItemId) -> bool {
    project.workspace().candidates(item_type, name).is_ok_and(|found| !found.is_empty())
}
