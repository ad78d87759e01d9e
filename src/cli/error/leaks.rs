//! Errors about secrets that would go out.

use super::{Exit, Facts, hints};
use crate::redact::Leaks;

/// Of a command that has the flag to let one through.
pub(super) fn facts(leaks: &Leaks) -> Facts {
    let first = match leaks {
        Leaks::Found { leaks } => leaks.first().map(|leak| super::quoted(&leak.name())),
        Leaks::Unmatched { .. } => None,
    };
    let facts = of_hook(leaks);
    first.into_iter().fold(facts, |facts, name| facts.hint_with(hints::ALLOW_SECRET, &[("name", &name)]))
}

/// Of a hook, or of what has no flag.
pub(super) fn of_hook(leaks: &Leaks) -> Facts {
    match leaks {
        Leaks::Found { leaks } => {
            let mut facts = Facts::new(Exit::Refused, "secret-found").hint(hints::REMOVE_SECRET);
            if let Some(sha256) = leaks.iter().find_map(|leak| leak.sha256.as_ref()) {
                facts = facts.hint_with(hints::TEST_SECRET, &[("name", sha256)]);
            }
            facts.secrets.clone_from(leaks);
            facts
        }
        Leaks::Unmatched { .. } => Facts::invalid("no-such-secret").hint(hints::SECRET_NAME),
    }
}
