//! Which directives are renamed, and what a text that names one of them should say.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::validate;
use crate::id::{ItemId, ItemType};

/// New ids of directives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Renames {
    ids: BTreeMap<String, String>,
    /// Last segments that name a renamed directive and no other.
    names: BTreeMap<String, String>,
    /// Those that name no other item either.
    link_names: BTreeMap<String, String>,
    directives: Known,
    /// Directives under the ids they get, or have.
    after: Known,
    items: Known,
}

/// Ids there are, and how many have each last segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Known {
    ids: BTreeSet<String>,
    names: BTreeMap<String, usize>,
}

impl Known {
    fn of<'i>(ids: impl Iterator<Item = &'i str>) -> Self {
        let ids: BTreeSet<String> = ids.map(str::to_owned).collect();
        let mut names = BTreeMap::new();
        for id in &ids {
            *names.entry(last(id).to_owned()).or_default() += 1;
        }
        Self { ids, names }
    }

    /// Tells whether a text is an id or a last segment of something there is.
    fn has(&self, reference: &str) -> bool {
        self.ids.contains(reference) || self.names.contains_key(reference)
    }

    /// Tells whether a text leads to exactly one.
    fn leads_to_one(&self, reference: &str) -> bool {
        self.ids.contains(reference) || self.names.get(reference) == Some(&1)
    }
}

impl Renames {
    /// Takes the new ids of directives; `items` are all items of all spaces, under their old ids.
    #[must_use]
    pub fn new(renamed: &BTreeMap<ItemId, ItemId>, items: &[(ItemType, ItemId)]) -> Self {
        let ids: BTreeMap<String, String> =
            renamed.iter().map(|(old, new)| (old.to_string(), new.to_string())).collect();
        let directives = || items.iter().filter(|(item_type, _)| *item_type == ItemType::Directive);
        let own = || directives().map(|(_, id)| id.as_str()).chain(ids.keys().map(String::as_str));
        let known = Known::of(own());
        let others = items.iter().filter(|(item_type, _)| *item_type != ItemType::Directive);
        let others = Known::of(others.map(|(_, id)| id.as_str()));
        let after = Known::of(own().map(|id| ids.get(id).map_or(id, String::as_str)));
        let unique = |old: &&String| known.names.get(last(old)) == Some(&1);
        let names = || ids.iter().filter(move |(old, _)| unique(old)).map(|(old, new)| (last(old), last(new)));
        let owned = |(old, new): (&str, &str)| (old.to_owned(), new.to_owned());
        let link_names = names().filter(|(old, _)| !others.has(old)).map(owned).collect();
        let names = names().map(owned).collect();
        let items = Known::of(items.iter().map(|(_, id)| id.as_str()).chain(own()));
        Self { names, link_names, directives: known, after, items, ids }
    }

    /// Tells whether nothing is renamed.
    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Returns the old ids with the new ones.
    pub(super) fn ids(&self) -> impl Iterator<Item = (&str, &str)> {
        self.ids.iter().map(|(old, new)| (old.as_str(), new.as_str()))
    }

    /// Returns the id that a directive gets, or has already.
    pub(in crate::format::migrate) fn id<'a>(&'a self, item_id: &'a ItemId) -> &'a str {
        self.new_id(item_id.as_str()).unwrap_or(item_id.as_str())
    }

    /// Returns the new id of a directive that gets one.
    pub(super) fn new_id(&self, old: &str) -> Option<&str> {
        self.ids.get(old).map(String::as_str)
    }

    /// Returns the new form of a text that names a directive by id or unique last segment.
    pub(super) fn of(&self, reference: &str) -> Option<String> {
        self.ids.get(reference).or_else(|| self.names.get(reference)).cloned()
    }

    /// Returns the new form of a link of knowledge.
    pub(super) fn link(&self, link: &str) -> Option<String> {
        self.ids.get(link).or_else(|| self.link_names.get(link)).cloned()
    }

    /// Returns the new form of a text that names a directive which was renamed before: nothing has the kebab name, and
    /// one directive has it in snake_case.
    pub(super) fn of_gone(&self, reference: &str) -> Option<String> {
        let new = snake_id(&reference.parse().ok()?)?.to_string();
        (!self.directives.has(reference) && self.after.leads_to_one(&new)).then_some(new)
    }

    /// The same for a link of knowledge, which may mean any item.
    pub(super) fn link_of_gone(&self, link: &str) -> Option<String> {
        self.of_gone(link).filter(|_| !self.items.has(link))
    }
}

fn last(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// Returns the id a directive gets whose name is kebab-case; nothing for other names: where the words of `sayHi` part
/// is for people to say.
#[must_use]
pub fn snake_id(item_id: &ItemId) -> Option<ItemId> {
    let name = validate::snake_case(item_id.name());
    if name == item_id.name() || item_id.name().bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let category = item_id.category();
    if category.is_empty() { name.parse().ok() } else { format!("{category}/{name}").parse().ok() }
}
