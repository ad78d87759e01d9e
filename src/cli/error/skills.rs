//! Errors of skills that are pulled, updated and compared with the lock.

use super::{Exit, Facts, git, hints, items, keys, process, pull, quoted, registry};
use crate::cli::hints::Hint;
use crate::ops::pull::upstream::Error;
use crate::registry::{Unreached, UpstreamError};
use crate::trust::SignError;

pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Signature { .. } | Error::NoKey { .. } => {
            Facts::new(Exit::Refused, "skill-signature").hint(hints::SKILL_AUTHOR)
        }
        Error::SignerChanged { to, .. } => {
            Facts::new(Exit::Refused, "signer-changed").hint_with(hints::SKILL_SIGNER, &[("name", to)])
        }
        Error::SignatureGone { id, .. } => {
            Facts::new(Exit::Refused, "signer-changed").hint_with(hints::SKILL_REMOVE, &[("id", id)])
        }
        Error::OtherSigner { .. } => Facts::new(Exit::Refused, "other-signer").hint(hints::SKILL_ASK_SIGNER),
        Error::OtherSource { id, .. } => {
            Facts::new(Exit::Refused, "other-source").hint_with(hints::SKILL_REMOVE, &[("id", id)])
        }
        Error::Rollback { .. } => Facts::new(Exit::Refused, "rollback").hint(hints::SKILL_ROLLBACK),
        Error::Gone { id, .. } => {
            Facts::new(Exit::Refused, "commit-gone").hint_with(hints::SKILL_UPDATE, &[("id", id)])
        }
        Error::Mismatch { .. } => Facts::new(Exit::Refused, "lock-mismatch").hint(hints::SKILL_LOCK),
        Error::NotFetched { .. } => Facts::failed("not-fetched").hint(hints::REGISTRY_ONLINE),
        Error::NotLocked { .. } => Facts::failed("not-pulled").hint(hints::SKILL_SYNC),
        Error::Source(_) => Facts::invalid("git-source").hint(hints::SKILL_SOURCE),
        Error::Upstream(error) => upstream(error),
        Error::Pull(error) => pull::facts(error),
        Error::Registry(error) => registry::pull(error),
        Error::Locate(error) => items::locate(error),
        Error::Sign(SignError::Signer(error)) => keys::signer(error),
        Error::Sign(SignError::Unsignable(_)) => Facts::invalid("unsignable"),
        Error::Process(error) => process::facts(error),
    }
}

fn upstream(error: &UpstreamError) -> Facts {
    match error {
        UpstreamError::Unreached { url, why } => {
            Facts::new(Exit::Provider, "source-unreachable").hint_with(unreached(*why), &[("path", &quoted(url))])
        }
        UpstreamError::Fetch { url, .. } => {
            Facts::new(Exit::Provider, "source-unreachable").hint_with(hints::REGISTRY_REACH, &[("path", &quoted(url))])
        }
        UpstreamError::NoRepository { .. } | UpstreamError::Empty { .. } => {
            Facts::failed("no-repository").hint(hints::SKILL_SOURCE)
        }
        UpstreamError::Source(_) => Facts::invalid("git-source").hint(hints::SKILL_SOURCE),
        UpstreamError::UnknownRevision { url, .. } | UpstreamError::Ambiguous { url, .. } => {
            Facts::failed("unknown-revision").hint_with(hints::SKILL_REV, &[("path", &quoted(url))])
        }
        UpstreamError::NoFolder { url, skills, .. } => no_folder(url, skills),
        UpstreamError::NoSkill { url, skills, .. } => no_folder(url, skills),
        UpstreamError::Refused { .. } => Facts::new(Exit::Refused, "skill-refused").hint(hints::SKILL_AUTHOR),
        UpstreamError::Git(error) => git::facts(error),
        UpstreamError::Registry(error) => registry::facts(error),
    }
}

/// The most skills of a repository that a hint names.
const MOST_NAMED: usize = 12;

/// A folder that is missing in a repository, with the skills that are there.
fn no_folder(url: &str, skills: &[String]) -> Facts {
    let facts = Facts::failed("no-folder");
    if skills.is_empty() {
        return facts.hint(hints::SKILL_SOURCE);
    }
    let named: Vec<String> = skills.iter().take(MOST_NAMED).map(|path| format!("`{path}`")).collect();
    let more = skills.len().saturating_sub(MOST_NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let paths = format!("{}{more}", named.join(", "));
    let (address, all) = (quoted(&format!("git+{url}//{}", skills[0])), quoted(&format!("git+{url}//")));
    facts.hint_with(hints::SKILLS_THERE, &[("paths", &paths), ("address", &address), ("all", &all)])
}

/// Returns the hint about a source that is not reached: no list of registries has its URL.
const fn unreached(why: Unreached) -> Hint {
    match why {
        Unreached::Host => hints::SOURCE_HOST,
        Unreached::Repository => hints::SOURCE_REPOSITORY,
        Unreached::Server | Unreached::Access | Unreached::HostKey | Unreached::Certificate => registry::unreached(why),
    }
}
