//! Errors of what is put into its place or removed, wherever it comes from.

use super::{Exit, Facts, hints, items, keys};
use crate::id::ItemId;
use crate::item::SkillFault;
use crate::ops::pull::Error;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Name { .. } => Facts::invalid("skill-name").hint(hints::SKILL_NAME),
        Error::Faulty { faults, .. } => {
            let rule = faults.first().map(SkillFault::rule);
            Facts { rule, ..Facts::new(Exit::Refused, "skill-refused").hint(hints::SKILL_AUTHOR) }
        }
        Error::FolderTaken { .. } => Facts::failed("folder-taken").hint(hints::SKILL_TO),
        Error::OtherFolder { id, .. } => Facts::failed("other-folder").hint_with(hints::SKILL_MOVE, &[("id", id)]),
        Error::OtherCopy { .. } => Facts::failed("other-copy").hint(hints::SKILL_OTHER_COPY),
        Error::NotSkillFolder { .. } => Facts::invalid("not-skill-folder").hint(hints::SKILL_PATHS),
        Error::Flag { .. } => Facts::invalid("usage"),
        Error::LocalChange { item_id, .. } => {
            Facts::failed("local-change").hint_with(hints::PULL_FORCE, &[("id", item_id)])
        }
        Error::LocalFolder { .. } | Error::LocalSignature { .. } => {
            Facts::failed("local-change").hint(hints::SKILL_FORCE)
        }
        Error::Refused { fault, .. } => {
            Facts { rule: Some(fault.rule()), ..Facts::new(Exit::Refused, fault.verdict().as_str()) }
        }
        Error::Lock { path, reason } if reason.contains("newer format") => {
            Facts::failed("lock-file").at(path).hint(hints::UPDATE)
        }
        Error::Lock { path, .. } => Facts::failed("lock-file").at(path).hint(hints::LOCK_FILE),
        Error::LockMoved { .. } => Facts::failed("lock-moved").hint(hints::RETRY),
        Error::NotPulled { .. } => Facts::failed("not-pulled").hint(hints::PULLED_LIST),
        Error::SeveralTypes { item_id, types } => which_type(item_id, types),
        Error::Needed { item_id, .. } => Facts::failed("needed").hint_with(hints::REMOVE_NEEDED, &[("id", item_id)]),
        Error::Locate(error) => items::locate(error),
        Error::Keys(error) => keys::facts(error),
    }
}

/// Says how to name one of several types.
pub(super) fn which_type(item_id: &ItemId, types: &[&'static str]) -> Facts {
    let first = types.first().copied().unwrap_or_default();
    Facts::invalid("which-type").hint_with(hints::PULL_TYPE, &[("id", item_id), ("type", &first)])
}
