//! What an item needs, and so what is published with it: what a directive extends, its context, what it requires and depends
//! on, and the items that its steps and hooks name; what knowledge extends. Companions are part of their tool.
//!
//! Built-in items are everywhere and are not published. What a step names by a template is not known, and is left out.

use std::collections::BTreeSet;

use super::error::Error;
use crate::format::Profile;
use crate::id::{ItemId, ItemType, Space};
use crate::item::{ContextPosition, Directive, Item};
use crate::ops::extends;
use crate::ops::locate::{Located, Purpose, Session, checked};

/// The most items that are published at once.
const MOST: usize = 64;

/// An item that is to be published, found and valid.
pub(super) struct Wanted {
    pub(super) located: Located,
    pub(super) item: Item,
    /// What it needs, by type and id.
    pub(super) needs: BTreeSet<(ItemType, ItemId)>,
}

/// Finds an item and all that it needs, transitively; what is needed comes before what needs it.
///
/// # Errors
///
/// Fails when something is not there, not valid, or too much.
pub(super) fn closure(session: &Session, item_type: ItemType, item_id: &ItemId) -> Result<Vec<Wanted>, Error> {
    let mut found: Vec<Wanted> = Vec::new();
    let mut open = vec![(item_type, item_id.clone())];
    let mut seen: BTreeSet<(ItemType, ItemId)> = open.iter().cloned().collect();
    while let Some((of, id)) = open.pop() {
        let wanted = wanted(session, of, &id)?;
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

fn wanted(session: &Session, item_type: ItemType, item_id: &ItemId) -> Result<Wanted, Error> {
    let located = session.locate(item_type, item_id, None, Purpose::Use)?;
    let (subject, bytes) = (located.signed.subject(), located.signed.content());
    let (item, _) = checked(subject, bytes, Profile::Reference, &located.candidate.path)?;
    let needs = needs(session, item_id, &item)?;
    Ok(Wanted { located, item, needs })
}

fn needs(session: &Session, by: &ItemId, item: &Item) -> Result<BTreeSet<(ItemType, ItemId)>, Error> {
    let mut needs = BTreeSet::new();
    match item {
        Item::Directive(directive) => of_directive(session, by, directive, &mut needs)?,
        Item::Knowledge(knowledge) => {
            for name in knowledge.extends.iter().filter_map(|name| name.parse().ok()) {
                needs.insert((ItemType::Knowledge, extends::find(session, by, "extends", ItemType::Knowledge, &name)?));
            }
        }
        Item::Tool(_) => {}
    }
    needs.remove(&(item.item_type(), by.clone()));
    Ok(needs)
}

fn of_directive(
    session: &Session,
    by: &ItemId,
    directive: &Directive,
    needs: &mut BTreeSet<(ItemType, ItemId)>,
) -> Result<(), Error> {
    let mut add = |element, item_type, name: &ItemId| -> Result<(), Error> {
        needs.insert((item_type, extends::find(session, by, element, item_type, name)?));
        Ok(())
    };
    if let Some(base) = &directive.extends {
        add("extends", ItemType::Directive, base)?;
    }
    for position in ContextPosition::ALL {
        for name in directive.context.items(position) {
            add(position.as_str(), ItemType::Knowledge, name)?;
        }
    }
    for name in &directive.context.depends_on {
        add("depends_on", ItemType::Directive, name)?;
    }
    let offered = &session.context().config().capabilities.offered;
    // A word may be met by an installation alone; the id of an item is one that is there.
    for name in directive.context.requires.iter().filter(|name| !offered.contains(*name)) {
        let found = ItemType::ALL.into_iter().find(|of| has(session, *of, name));
        if let Some(item_type) = found {
            add("requires", item_type, name)?;
        }
    }
    for action in directive.steps.iter().flat_map(|step| &step.actions) {
        if let (Some(item_type), Some(id)) = (action.item_type, &action.item_id)
            && let Ok(name) = id.parse()
        {
            add("step", item_type, &name)?;
        }
    }
    for hook in &directive.hooks {
        add("hooks", hook.action.item_type, &hook.action.item_id)?;
    }
    Ok(())
}

fn has(session: &Session, item_type: ItemType, name: &ItemId) -> bool {
    session.workspace().candidates(item_type, name).is_ok_and(|found| !found.is_empty())
}
