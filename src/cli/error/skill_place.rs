//! Errors of skills that cannot be put into a folder.

use super::{Exit, Facts, hints, items};
use crate::ops::pull::skills::PlaceError;

pub(super) fn facts(error: &PlaceError) -> Facts {
    match error {
        PlaceError::Name { .. } => Facts::invalid("skill-name").hint(hints::SKILL_NAME),
        PlaceError::Faulty { faults, .. } => {
            let rule = faults.first().map(crate::item::SkillFault::rule);
            Facts { rule, ..Facts::new(Exit::Refused, "skill-refused").hint(hints::SKILL_AUTHOR) }
        }
        PlaceError::FolderTaken { .. } => Facts::failed("folder-taken").hint(hints::SKILL_TO),
        PlaceError::OtherFolder { id, .. } => Facts::failed("other-folder").hint_with(hints::SKILL_MOVE, &[("id", id)]),
        PlaceError::OtherCopy { .. } => Facts::failed("other-copy").hint(hints::SKILL_OTHER_COPY),
        PlaceError::NotSkillFolder { .. } => Facts::invalid("not-skill-folder").hint(hints::SKILL_PATHS),
        PlaceError::Flag { .. } => Facts::invalid("usage"),
        PlaceError::Locate(error) => items::locate(error),
    }
}
