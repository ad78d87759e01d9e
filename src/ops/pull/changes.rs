//! What a pulled item changes of the one in its place: what it may do first, then its text.

use std::collections::BTreeSet;

use super::outcome::{Plan, PlannedItem};
use super::target::Status;
use crate::capability::PathRules;
use crate::format;
use crate::id::{ItemId, ItemType, Version};
use crate::item::{Directive, Item};
use crate::registry::Release;

/// How an item changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemChange {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version that is there, as the lock says; none for an item that is new.
    pub before: Option<Version>,
    /// The version that comes.
    pub after: Version,
    /// What it may do and could not before, or calls and did not.
    pub gained: Vec<String>,
    /// What it can no longer do, or no longer calls.
    pub lost: Vec<String>,
    /// The change of its text; empty for an item that is new.
    pub diff: String,
}

impl Plan {
    /// Returns how each item changes that does.
    #[must_use]
    pub fn changes(&self) -> Vec<ItemChange> {
        let changed = self.items.iter().filter(|item| item.target.status != Status::Unchanged);
        changed.map(|item| self.change(item)).collect()
    }

    fn change(&self, item: &PlannedItem) -> ItemChange {
        let Release { item_type, id, version, .. } = item.version.release.clone();
        let before = item.target.before.as_deref();
        let (old, new) =
            (before.map(|bytes| powers(item, bytes)).unwrap_or_default(), powers(item, item.package.item()));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        ItemChange {
            item_type,
            before: self.lock.find(item_type, &id).map(|entry| entry.version).filter(|_| before.is_some()),
            after: version,
            gained: new.difference(&old).cloned().collect(),
            lost: old.difference(&new).cloned().collect(),
            diff: before
                .map(|before| format::bounded_diff(&text(before), &text(item.package.item())))
                .unwrap_or_default(),
            item_id: id,
        }
    }
}

/// Returns the permissions that an item gains over the one in its place; none for an item that is new.
pub(super) fn more_powers(item: &PlannedItem) -> Vec<String> {
    let Some(before) = &item.target.before else { return Vec::new() };
    powers(item, item.package.item()).difference(&powers(item, before)).cloned().collect()
}

/// Lists what an item may do and what it calls.
fn powers(item: &PlannedItem, bytes: &[u8]) -> BTreeSet<String> {
    let release = &item.version.release;
    match format::parse_bytes(release.item_type, &release.extension, bytes).item {
        Some(Item::Directive(directive)) => of_directive(&directive),
        Some(Item::Tool(tool)) => {
            let runs = tool.executor_id.iter().map(|executor| format!("executor {executor}"));
            let env = tool.env.keys().map(|name| format!("environment {name}"));
            let companions = tool.companions.iter().map(|companion| format!("companion {}", companion.path));
            runs.chain(env).chain(companions).collect()
        }
        Some(Item::Knowledge(_)) | None => BTreeSet::new(),
    }
}

fn of_directive(directive: &Directive) -> BTreeSet<String> {
    let permissions = directive.permissions.iter();
    let calls = permissions.clone().flat_map(|all| all.calls.iter().map(|call| format!("permission {call}")));
    let paths = permissions.flat_map(|all| {
        let PathRules { read, write } = &all.paths;
        let read = read.iter().map(|path| format!("read {path}"));
        read.chain(write.iter().map(|path| format!("write {path}"))).collect::<Vec<_>>()
    });
    let actions = directive.steps.iter().flat_map(|step| &step.actions);
    let named = actions.filter_map(|action| Some(format!("{} {}", action.item_type?, action.item_id.as_ref()?)));
    calls.chain(paths).chain(named).collect()
}
