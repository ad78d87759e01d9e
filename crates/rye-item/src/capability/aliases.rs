//! Names that tools had before, and the names they have now.
//!
//! One table. A former name counts wherever the new one does: it is replaced in ids and patterns before anything is
//! checked or looked up, so no rule can be avoided by the other spelling.

use crate::id::{ItemId, ItemType};

/// Former names of tools, each with the name it has now.
const TOOLS: [(&str, &str); 3] = [
    ("rye/file-system/fs_read", "rye/file-system/read"),
    ("rye/file-system/fs_write", "rye/file-system/write"),
    ("rye/agent/threads/spawn_thread", "rye/agent/threads/thread_directive"),
];

/// Returns the name that an item of a former name has now; `None` when the name is a current one.
#[must_use]
pub fn current(item_type: ItemType, id: &ItemId) -> Option<ItemId> {
    let (_, new) = of_type(item_type).iter().find(|(old, _)| *old == id.as_str())?;
    new.parse().ok()
}

/// Returns the id with a former name replaced by the current one.
#[must_use]
pub fn resolve(item_type: ItemType, id: ItemId) -> ItemId {
    current(item_type, &id).unwrap_or(id)
}

/// Returns the names that an item had before.
pub fn former(item_type: ItemType, id: &ItemId) -> impl Iterator<Item = &'static str> {
    of_type(item_type).iter().filter(move |(_, new)| *new == id.as_str()).map(|(old, _)| *old)
}

/// Returns the dotted form of a former name as it is now.
pub(super) fn current_dotted(item_type: ItemType, dotted: &str) -> Option<String> {
    let renamed = of_type(item_type).iter().find(|(old, _)| old.replace('/', ".") == dotted);
    renamed.map(|(_, new)| new.replace('/', "."))
}

const fn of_type(item_type: ItemType) -> &'static [(&'static str, &'static str)] {
    match item_type {
        ItemType::Tool => &TOOLS,
        ItemType::Directive | ItemType::Knowledge | ItemType::Skill => &[],
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn a_former_name_leads_to_a_current_one_in_one_step() {
        for (old, new) in TOOLS {
            let (old, new): (ItemId, ItemId) = (old.parse().unwrap(), new.parse().unwrap());
            assert_eq!(current(ItemType::Tool, &old), Some(new.clone()));
            assert_eq!(current(ItemType::Tool, &new), None);
            assert_eq!(current(ItemType::Knowledge, &old), None);
            assert_eq!(former(ItemType::Tool, &new).collect::<Vec<_>>(), [old.as_str()]);
        }
    }
}
