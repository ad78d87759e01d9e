//! What an item names and cannot do without: the one table that publishing, pulling and removing read.
//!
//! A name is an id, an id behind its type, or a last segment. Which item it means depends on the items of an installation;
//! which items it can mean does not. A templated name in a step is unknown, and is left out.

use super::{ContextPosition, Directive, Item};
use crate::capability::aliases;
use crate::id::{ItemId, ItemType};

/// A name of an item in another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The element that holds it.
    pub element: &'static str,
    /// The type; none where an item of any type will do, or a word that an installation offers.
    pub item_type: Option<ItemType>,
    /// The name.
    pub name: ItemId,
}

impl Named {
    /// Tells whether the name can mean an item.
    #[must_use]
    pub fn can_mean(&self, item_type: ItemType, id: &ItemId) -> bool {
        let suits = self.item_type.is_none_or(|own| own == item_type);
        suits && (self.name.as_str() == id.name() || meant(item_type, &self.name).any(|meant| meant == *id))
    }

    /// Tells whether the name can only mean an item that is not built in: one that is published with what names it.
    #[must_use]
    pub fn is_of_a_published_item(&self) -> bool {
        let Some(item_type) = self.item_type else { return false };
        !self.name.category().is_empty() && !meant(item_type, &self.name).any(|id| id.is_reserved())
    }
}

impl Item {
    /// Lists the items that it needs, by the names that it has for them.
    #[must_use]
    pub fn needs(&self) -> Vec<Named> {
        match self {
            Self::Directive(directive) => of_directive(directive),
            Self::Skill(_) => Vec::new(),
            Self::Knowledge(knowledge) => {
                let names = knowledge.extends.iter().filter_map(|name| name.parse().ok());
                names.map(|name| named("extends", Some(ItemType::Knowledge), &name)).collect()
            }
            Self::Tool(tool) => {
                let runtime = tool.executor_id.iter().filter_map(|executor| executor.parse().ok());
                // A word, or a runtime of the program's own, is not an item.
                let is_of_somebody = |id: &ItemId| !id.category().is_empty() && !id.is_reserved();
                runtime.filter(is_of_somebody).map(|id| named("executor_id", Some(ItemType::Tool), &id)).collect()
            }
        }
    }
}

/// Returns the ids that a name can be word for word: itself, and the part behind its type. A former name of a tool is
/// its current one.
pub fn meant(item_type: ItemType, name: &ItemId) -> impl Iterator<Item = ItemId> {
    let behind = name.as_str().strip_prefix(item_type.as_str()).and_then(|rest| rest.strip_prefix('/'));
    let ids = [Some(name.clone()), behind.and_then(|rest| rest.parse().ok())].into_iter().flatten();
    ids.map(move |id| aliases::resolve(item_type, id))
}

fn of_directive(directive: &Directive) -> Vec<Named> {
    let context = &directive.context;
    let base = directive.extends.iter().map(|name| named("extends", Some(ItemType::Directive), name));
    let knowledge = ContextPosition::ALL.into_iter().flat_map(|position| {
        context.items(position).iter().map(move |name| named(position.as_str(), Some(ItemType::Knowledge), name))
    });
    let depends_on = context.depends_on.iter().map(|name| named("depends_on", Some(ItemType::Directive), name));
    let requires = context.requires.iter().map(|name| named("requires", None, name));
    let actions = directive.steps.iter().flat_map(|step| &step.actions);
    let steps = actions.filter_map(|action| {
        let name = action.item_id.as_ref()?.parse().ok()?;
        Some(named("step", Some(action.item_type?), &name))
    });
    let hooks = directive.hooks.iter().map(|hook| named("hooks", Some(hook.action.item_type), &hook.action.item_id));
    base.chain(knowledge).chain(depends_on).chain(requires).chain(steps).chain(hooks).collect()
}

fn named(element: &'static str, item_type: Option<ItemType>, name: &ItemId) -> Named {
    Named { element, item_type, name: name.clone() }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_name_can_mean_an_id_an_id_behind_its_type_and_a_last_segment() {
        let can_mean = |name: &str, id: &str| {
            named("step", Some(ItemType::Tool), &name.parse().unwrap()).can_mean(ItemType::Tool, &id.parse().unwrap())
        };
        assert!(can_mean("team/hello", "team/hello") && can_mean("hello", "team/hello"));
        assert!(can_mean("tool/team/hello", "team/hello"));
        assert!(can_mean("rye/file-system/fs_read", "rye/file-system/read"));
        assert!(!can_mean("team/hello", "eve/hello") && !can_mean("team/hello", "team/hello/x"));
        let anything = named("requires", None, &"team/hello".parse().unwrap());
        assert!(anything.can_mean(ItemType::Knowledge, &"team/hello".parse().unwrap()));
    }

    #[test]
    fn a_name_that_can_be_built_in_or_a_word_may_be_left_out_of_what_is_published() {
        let is_published =
            |item_type, name: &str| named("step", item_type, &name.parse().unwrap()).is_of_a_published_item();
        let tool = Some(ItemType::Tool);
        assert!(is_published(tool, "team/hello") && is_published(tool, "tool/team/hello"));
        assert!(!is_published(tool, "read") && !is_published(tool, "rye/file-system/fs_read"));
        assert!(!is_published(tool, "tool/rye/file-system/read") && !is_published(None, "team/hello"));
    }
}
