//! Errors of moving an item to another id.

use super::{Exit, Facts, hints, items, keys, workspace};
use crate::ops::mv::Error;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::SameId { .. } => Facts::invalid("same-id"),
        Error::Reserved { .. } => Facts::new(Exit::Refused, "reserved-namespace").hint(hints::MOVE_ELSEWHERE),
        Error::BuiltIn { item_type, item_id } => {
            Facts::failed("built-in").hint_with(hints::MOVE_BUILT_IN, &[("type", item_type), ("id", item_id)])
        }
        Error::Skill { from, to } => {
            let hint = if from.name() == to.name() { hints::MOVE_SKILL_ID } else { hints::MOVE_SKILL };
            Facts::failed("skill").hint_with(hint, &[("id", from), ("name", to)])
        }
        Error::Pulled { item_id, .. } => Facts::failed("pulled").hint_with(hints::MOVE_PULLED, &[("id", item_id)]),
        Error::Exists { path, .. } => Facts::failed("exists").at(path).hint(hints::MOVE_ELSEWHERE),
        Error::NotYours { item_type, from, to, .. } => Facts::new(Exit::Refused, "not-signed-by-you")
            .hint_with(hints::MOVE_SIGN, &[("type", item_type), ("id", from), ("name", to)]),
        Error::Reference { path, .. } => Facts::failed("reference").at(path).hint(hints::MOVE_REFERENCE),
        Error::Companion { item_id, .. } => {
            Facts::invalid("companion-changed").hint_with(hints::SIGN_AGAIN, &[("type", &"tool"), ("id", item_id)])
        }
        Error::Write { source, .. } => {
            let facts = workspace::facts(source);
            if facts.hints.is_empty() { facts.hint(hints::MOVE_ON) } else { facts }
        }
        Error::Locate(error) => items::locate(error),
        Error::Sign(error) => items::sign(error),
        Error::Keys(error) => keys::facts(error),
    }
}
