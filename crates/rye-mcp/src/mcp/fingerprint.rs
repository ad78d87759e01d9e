//! The items of a project by their names and stamps, and whose signatures count, to tell whether either changed.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::fmt::{self, Write as _};
use std::hash::{Hash as _, Hasher as _};

use crate::id::{ItemType, Space};
use crate::session::Session;
use crate::workspace::{Candidate, FileStamp, Sighting};

/// The state at the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Seen {
    /// The directives, which are prompts.
    pub(super) directives: u64,
    /// The knowledge, which are resources.
    pub(super) knowledge: u64,
    /// The skills, which are both, with the files in their folders.
    pub(super) skills: u64,
}

impl Seen {
    /// Looks at a project. Nothing where that cannot be done.
    pub(super) fn of(session: &Session) -> Option<Self> {
        let items = session.project().workspace().survey().ok()?.items;
        let mut trust = Hashed(DefaultHasher::new());
        // All its maps are ordered. Writing to a hasher cannot fail.
        let _ = write!(trust, "{:?}", session.project().keys());
        let of = |item_type: ItemType| {
            let mut hasher = trust.0.clone();
            for Sighting { candidate, stamp } in items.iter().filter(|seen| seen.candidate.item_type == item_type) {
                let Candidate { space, id, extension, .. } = candidate;
                (space.as_str(), id.as_str(), extension.to_string()).hash(&mut hasher);
                put(stamp, &mut hasher);
            }
            hasher
        };
        let mut skills = of(ItemType::Skill);
        put_folders(session, &items, &mut skills);
        Some(Self {
            directives: of(ItemType::Directive).finish(),
            knowledge: of(ItemType::Knowledge).finish(),
            skills: skills.finish(),
        })
    }
}

/// Hashes what is written.
struct Hashed(DefaultHasher);

impl fmt::Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// Adds the files of the skills that have a manifest. A folder that cannot be looked at has none.
fn put_folders(session: &Session, items: &[Sighting], hasher: &mut DefaultHasher) {
    for space in [Space::Project, Space::User] {
        let of_space = items
            .iter()
            .map(|seen| &seen.candidate)
            .filter(|item| (item.item_type, item.space) == (ItemType::Skill, space));
        let names: BTreeSet<&str> = of_space.map(|item| item.id.name()).collect();
        if names.is_empty() {
            continue;
        }
        let places = session.project().skill_places(space).map(|found| found.places).unwrap_or_default();
        for place in places.iter().filter(|place| names.contains(place.name.as_str())) {
            place.path.hash(hasher);
            for (path, stamp) in session.project().workspace().skill_stamps(space, place).unwrap_or_default() {
                path.hash(hasher);
                if let Some(stamp) = stamp {
                    put(&stamp, hasher);
                }
            }
        }
    }
}

fn put(stamp: &FileStamp, hasher: &mut DefaultHasher) {
    let FileStamp { size, inode, modified_ns, changed_ns } = stamp;
    (size, inode, modified_ns, changed_ns).hash(hasher);
}
