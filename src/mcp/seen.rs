//! The items of a project by their names and stamps, to tell whether any changed.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};

use crate::id::ItemType;
use crate::session::Session;
use crate::workspace::{Candidate, FileStamp, Sighting};

/// What there was when somebody looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// The directives, which are prompts.
    pub(super) directives: u64,
    /// The knowledge, which are resources.
    pub(super) knowledge: u64,
}

impl Seen {
    /// Looks at a project. Nothing where that cannot be done.
    pub(super) fn of(session: &Session) -> Option<Self> {
        let items = session.workspace().survey().ok()?.items;
        let of = |item_type: ItemType| {
            let mut hasher = DefaultHasher::new();
            for Sighting { candidate, stamp } in items.iter().filter(|seen| seen.candidate.item_type == item_type) {
                let Candidate { space, id, extension, .. } = candidate;
                let FileStamp { size, inode, modified_ns, changed_ns } = stamp;
                (space.as_str(), id.as_str(), extension.to_string()).hash(&mut hasher);
                (size, inode, modified_ns, changed_ns).hash(&mut hasher);
            }
            hasher.finish()
        };
        Some(Self { directives: of(ItemType::Directive), knowledge: of(ItemType::Knowledge) })
    }
}
