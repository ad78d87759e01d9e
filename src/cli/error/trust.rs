//! Errors of decisions of trust.

use std::path::Path;

use super::{Exit, Facts, git, hints, items, keys, shell, workspace};
use crate::keys::KeyName;
use crate::ops::decisions::{Error, Naming};
use crate::trust::ManifestFault;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Read(_) => Facts::invalid("unreadable").hint(hints::PUBLIC_KEY),
        Error::NoKey { .. } => Facts::failed("no-public-key").hint(hints::PUBLIC_KEY),
        Error::Private { is_openpgp: true, .. } => Facts::failed("private-key").hint(hints::PUBLIC_OPENPGP),
        Error::Private { origin, is_openpgp: false } => {
            let public = Path::new(origin).with_added_extension("pub");
            Facts::failed("private-key").hint_with(hints::PUBLIC_HALF, &[("path", &shell(&public))])
        }
        Error::AgentNamed { key_id, .. } => {
            Facts::failed("agent-key").hint_with(hints::REMOVE_AGENT, &[("id", key_id)])
        }
        Error::OtherUses { .. } => Facts::invalid("other-uses").hint(hints::TRUST_USES),
        Error::AuthorIsRoot { .. } => Facts::invalid("author-is-root").hint(hints::PROPOSE_AS_ROOT),
        Error::Agent { .. } => Facts::failed("agent-key").hint(hints::REVIEW_AGENT),
        Error::Revoked { list, .. } => {
            Facts::failed("revoked-key").hint_with(hints::TRUST_REVOKED, &[("path", &list.display())])
        }
        Error::Unnamed { origin, .. } => {
            let path = if origin == "stdin" { "-".to_owned() } else { shell(Path::new(origin)) };
            Facts::invalid("unnamed-key").hint_with(hints::TRUST_UNNAMED, &[("path", &path)]).hint(hints::TRUST_COMMENT)
        }
        Error::UnnamedProposed { origin, naming, .. } => {
            let (facts, path) = (Facts::invalid("unnamed-key"), shell(Path::new(origin)));
            let named = |hint| facts.hint_with(hint, &[("path", &path)]).hint(hints::PROPOSE_COMMENT);
            match naming {
                Naming::Root => Facts::invalid("unnamed-key").hint(hints::PROPOSE_ROOT),
                Naming::Author => named(hints::PROPOSE_UNNAMED),
                Naming::First => named(hints::PROPOSE_FIRST),
            }
        }
        Error::Principal { .. } => Facts::invalid("principal").hint(hints::PRINCIPAL),
        Error::Reason => Facts::invalid("reason").hint(hints::REASON),
        Error::Unknown { nearest: None, .. } => Facts::failed("unknown-key").hint(hints::TRUST_LIST),
        Error::Unknown { nearest: Some(nearest), .. } => {
            Facts::failed("unknown-key").hint_with(hints::MEANT, &[("id", nearest)]).hint(hints::TRUST_LIST)
        }
        Error::Ambiguous { .. } => Facts::failed("ambiguous-key").hint(hints::TRUST_KEY_ID),
        Error::Own { key_id, name } => {
            let replace = if *name == KeyName::Agent.as_str() { hints::AGENT_REPLACE } else { hints::KEY_REPLACE };
            Facts::failed("own-key").hint_with(hints::REVOKE_OWN, &[("id", key_id)]).hint(replace)
        }
        Error::NoLine { .. } => Facts::failed("no-line").hint(hints::TRUST_LIST),
        Error::NoProposal => Facts::failed("no-proposal").hint(hints::TRUST_FIRST),
        Error::Unusable { fault } => refused("proposal", fault),
        Error::NoSuccessor { fault, .. } => refused("proposal-successor", fault).hint(hints::TRUST_STAYS),
        Error::NothingAccepted => Facts::failed("nothing-accepted").hint(hints::TRUST_LIST),
        Error::NoCommit => Facts::failed("no-commit").hint(hints::COMMIT_FIRST),
        Error::NotRoot { .. } => Facts::failed("not-root").hint(hints::TRUST_ROOT),
        Error::NoPrincipal => Facts::failed("no-principal").hint(hints::TRUST_PRINCIPAL),
        Error::Signer(error) => keys::signer(error),
        Error::Keys(error) | Error::InForce { source: error, .. } => keys::facts(error),
        Error::Line(error) => keys::line(error),
        Error::RevokedList(error) => keys::revoked(error),
        Error::Locate(error) => items::locate(error),
        Error::Git(error) => git::facts(error),
        Error::Workspace(error) => workspace::facts(error),
    }
}

/// A proposal is refused like an item is, by a rule.
fn refused(code: &'static str, fault: &ManifestFault) -> Facts {
    let facts = Facts { rule: Some(fault.rule()), ..Facts::new(Exit::Refused, code) };
    match fault {
        ManifestFault::Unsigned
        | ManifestFault::Digest { .. }
        | ManifestFault::TooFewRoots { .. }
        | ManifestFault::Unannounced => facts.hint(hints::TRUST_PROPOSE),
        _ => facts,
    }
}
