//! What a permission check refuses.

use super::{Exit, Facts, hints};
use crate::capability::{ALWAYS_ASKED, Denial};

pub(super) fn facts(denial: &Denial) -> Facts {
    let facts = Facts::new(Exit::Denied, "denied");
    match denial {
        Denial::Call { needed, .. } | Denial::Caller { needed, .. } => {
            facts.hint_with(hints::PERMIT_CALL, &[("name", needed)])
        }
        Denial::Configured { .. } => facts.hint(hints::CONFIG_DENIES),
        Denial::NotAgreed { .. } => facts.hint(hints::NOT_AGREED),
        Denial::NotAskable { pattern, .. } if pattern.as_str() == ALWAYS_ASKED => facts.hint(hints::CONFIG_UNASKED),
        Denial::NotAskable { .. } | Denial::NotShown { .. } | Denial::TooLong { .. } => facts.hint(hints::CONFIG_ASKS),
        Denial::Elsewhere { .. } | Denial::Path { .. } => facts.hint(hints::OTHER_PATH),
        Denial::CodePlace { path, .. } => facts.hint_with(hints::ASK_TO_WRITE, &[("path", path)]),
        Denial::Following { directive, .. } => facts.hint_with(hints::FOLLOWED, &[("id", directive)]),
    }
}
