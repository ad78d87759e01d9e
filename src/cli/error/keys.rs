//! Errors of keys and of the files that say whom to trust.

use std::path::Path;

use super::{Exit, Facts, context, hints, shell};
use crate::keys::{KeysError, SIGNING_KEY};
use crate::trust::{KeyError, NoPassphrase, RevocationError, SignerError, SkippedLine};

pub(super) fn facts(error: &KeysError) -> Facts {
    match error {
        KeysError::Io { action: "read", path, .. } => {
            Facts::failed("key-file").hint_with(hints::KEY_UNREADABLE, &[("path", &shell(path))])
        }
        KeysError::Io { .. } => Facts::failed("key-file").hint(hints::UNWRITABLE),
        KeysError::Unreadable(_) => Facts::invalid("unreadable"),
        KeysError::KeyUnreadable { source, .. } if source.is_irregular() => {
            Facts::invalid("no-key-file").hint(hints::KEY_FILE)
        }
        KeysError::KeyUnreadable { path, .. } => {
            Facts::failed("key-file").hint_with(hints::KEY_UNREADABLE, &[("path", &shell(path))])
        }
        KeysError::LooseMode { path, .. } => {
            Facts::failed("loose-key-mode").hint_with(hints::KEY_MODE, &[("path", &shell(path))])
        }
        KeysError::WritableByOthers { path, .. } => {
            Facts::failed("loose-trust-mode").hint_with(hints::TRUST_MODE, &[("path", &shell(path))])
        }
        KeysError::Foreign { path, .. } => {
            Facts::failed("trust-owner").hint_with(hints::CONFIG_OWNER, &[("path", &shell(path))])
        }
        KeysError::Nowhere { path } => {
            Facts::failed("dangling-link").hint_with(hints::MEND_LINK, &[("path", &shell(path))])
        }
        KeysError::TooLarge { .. } => Facts::failed("no-key-file").hint(hints::KEY_FILE),
        KeysError::TextAsPath => Facts::failed("key-as-path").hint(hints::KEY_TEXT),
        KeysError::NoKeyInVariable | KeysError::NoFileOfVariable { .. } => {
            Facts::failed("no-key").hint(hints::KEY_VARIABLE)
        }
        KeysError::AgentsOwn { .. } => Facts::failed("agent-key").hint(hints::KEY_OWN),
        KeysError::OtherKey { from, .. } => {
            Facts::failed("key-exists").hint_with(hints::KEY_FORCE, &[("path", &shell(from))])
        }
        KeysError::NoPassphrase { source } => no_passphrase(*source).hint(hints::KEY_UNPROTECTED),
        KeysError::NoHolder { .. } => Facts::invalid("no-holder").hint(hints::KEY_HOLDER),
        KeysError::AgentWithoutUse => Facts::invalid("agent-without-use").hint(hints::AGENT_EXPORT),
        KeysError::Comment => Facts::invalid("comment").hint(hints::KEY_COMMENT),
        KeysError::EmptyPassphrase | KeysError::OtherPassphrase => {
            Facts::failed("passphrase").hint(hints::KEY_PASSPHRASE_AGAIN)
        }
        KeysError::Signer(error) => signer(error),
        KeysError::Key { path, source } => key(path, source),
        KeysError::NotImported { source: KeyError::Unreadable { .. } | KeyError::Pkcs8 | KeyError::NoKey, .. } => {
            Facts::failed("unusable-key").hint(hints::KEY_TO_IMPORT)
        }
        KeysError::NotImported { path, source: error @ KeyError::Algorithm { algorithm } } => match *algorithm {
            "openpgp" => key(path, error).hint(hints::PUBLIC_OPENPGP),
            _ => {
                key(path, error).hint_with(hints::PUBLIC_COUNTS, &[("path", &shell(&path.with_added_extension("pub")))])
            }
        },
        KeysError::NotImported { path, source } => key(path, source),
        KeysError::Missing { .. } => Facts::failed("no-key").hint(hints::KEY_LIST).hint(hints::KEY_GENERATE),
        KeysError::MadeMeanwhile => Facts::failed("key-exists").hint(hints::RETRY),
        KeysError::NoFile { .. } => Facts::failed("no-key").hint(hints::KEY_FILE),
        KeysError::Exists { path } => {
            Facts::failed("key-exists").hint_with(hints::KEY_PASSPHRASE, &[("path", &shell(path))])
        }
        KeysError::Revoked(error) => revoked(error),
        KeysError::NotReadable { path, .. } => Facts::failed("trust-file").at(path),
        KeysError::Pin { path, .. } | KeysError::AcceptedFiles { path, .. } => {
            Facts::failed("accepted-trust").hint_with(hints::TRUST_PIN, &[("path", &shell(path))])
        }
        KeysError::AcceptedMeanwhile => Facts::failed("accepted-meanwhile").hint(hints::TRUST_ACCEPT),
        KeysError::Context(error) => context::facts(error),
    }
}

pub(super) fn signer(error: &SignerError) -> Facts {
    match error {
        SignerError::Passphrase { path, source } => add_to_agent(no_passphrase(*source), path),
        SignerError::WrongPassphrase { path } => add_to_agent(Facts::failed("wrong-passphrase"), path),
        SignerError::Key { path, source } => key(path, source),
        SignerError::NoAgent { private: Some(path), .. } => add_to_agent(Facts::failed("no-ssh-agent"), path),
        SignerError::NoAgent { private: None, .. } => Facts::failed("no-ssh-agent").hint(hints::AGENT_START),
        SignerError::NotHeld { private: Some(path), .. } => add_to_agent(Facts::failed("not-in-ssh-agent"), path),
        SignerError::NotHeld { private: None, .. } => Facts::failed("not-in-ssh-agent").hint(hints::AGENT_LIST),
        SignerError::Refused { .. } => Facts::failed("ssh-agent-refused").hint(hints::AGENT_CONFIRM),
        SignerError::Unreachable { .. } => Facts::failed("ssh-agent-unreachable").hint(hints::AGENT_START),
        SignerError::Silent { .. } => Facts::failed("ssh-agent-silent").hint(hints::AGENT_START),
        SignerError::Garbled { .. } => Facts::failed("ssh-agent-garbled").hint(hints::AGENT_START),
        SignerError::Unfit { .. } => Facts::failed("bad-signature").hint(hints::AGENT_START),
    }
}

fn no_passphrase(error: NoPassphrase) -> Facts {
    match error {
        NoPassphrase::Nobody => Facts::failed("no-passphrase"),
        NoPassphrase::Cancelled => Facts::new(Exit::Stopped, "cancelled"),
        NoPassphrase::Terminal { .. } => Facts::failed("terminal"),
    }
}

/// An ssh-agent signs without a passphrase, for as long as it runs.
fn add_to_agent(facts: Facts, path: &Path) -> Facts {
    if path == Path::new(SIGNING_KEY) {
        facts.hint(hints::KEY_VARIABLE)
    } else {
        facts.hint_with(hints::AGENT_ADD, &[("path", &shell(path))])
    }
}

/// Shows the line of an allowed_signers file.
pub(super) fn line(error: &SkippedLine) -> Facts {
    let facts = Facts::failed("trust-file").at(&error.origin).hint(hints::MEND_LINE);
    Facts { position: Some((error.line, 1)), ..facts }
}

/// Shows the place in a list of revoked keys.
pub(super) fn revoked(error: &RevocationError) -> Facts {
    let facts = |origin| Facts::failed("revocation-list").at(origin);
    match error {
        RevocationError::Binary { origin } | RevocationError::NoList { origin, .. } => facts(origin),
        RevocationError::Line { origin, line, .. } => {
            Facts { position: Some((*line, 1)), ..facts(origin).hint(hints::MEND_LINE) }
        }
    }
}

fn key(path: &Path, error: &KeyError) -> Facts {
    let at = |facts: Facts, hint| facts.hint_with(hint, &[("path", &shell(path))]);
    match error {
        KeyError::Unreadable { .. } | KeyError::Pkcs8 | KeyError::NoKey => {
            Facts::failed("unusable-key").hint_with(hints::KEY_UNUSABLE, &[("path", &shell(path))])
        }
        KeyError::Putty => at(Facts::failed("putty-key"), hints::KEY_PUTTY),
        KeyError::EncryptedPkcs8 => at(Facts::failed("encrypted-key"), hints::KEY_PKCS8),
        KeyError::PublicHalf => Facts::failed("public-key").hint(hints::KEY_IMPORT),
        KeyError::Algorithm { .. }
        | KeyError::UnknownAlgorithm
        | KeyError::PublicAlgorithm { .. }
        | KeyError::UnknownPublicAlgorithm => Facts::failed("key-algorithm").hint(hints::KEY_ED25519),
        KeyError::Encrypted => at(Facts::failed("encrypted-key"), hints::KEY_PASSPHRASE),
        KeyError::WrongPassphrase => add_to_agent(Facts::failed("wrong-passphrase"), path),
        KeyError::Weak | KeyError::RsaBits { .. } | KeyError::OpenPgp(_) | KeyError::OneOfOpenPgp { .. } => {
            Facts::failed("weak-key").hint(hints::KEY_ED25519)
        }
        KeyError::KeyId { .. } => Facts::failed("key-id").hint(hints::KEY_LIST),
    }
}
