//! Errors of keys and of the files that say whom to trust.

use super::{Facts, hints, shell};
use crate::keys::KeysError;
use crate::trust::{AllowedSignersError, KeyError, RevocationError};

pub(super) fn facts(error: &KeysError) -> Facts {
    match error {
        KeysError::Io { .. } => Facts::failed("key-file").hint(hints::UNWRITABLE),
        KeysError::LooseMode { path, .. } => {
            Facts::failed("loose-key-mode").hint_with(hints::KEY_MODE, &[("path", &shell(path))])
        }
        KeysError::WritableByOthers { path, .. } => {
            Facts::failed("loose-trust-mode").hint_with(hints::TRUST_MODE, &[("path", &shell(path))])
        }
        KeysError::Key { source, .. } => key(source),
        KeysError::Missing { .. } => Facts::failed("no-key").hint(hints::KEY_LIST).hint(hints::KEY_GENERATE),
        KeysError::Exists { .. } => Facts::failed("key-exists").hint(hints::KEY_LIST),
        KeysError::AllowedSigners(error) => line(error),
        KeysError::Revoked(error) => revoked(error),
        KeysError::NotReadable { path, .. } => Facts::failed("trust-file").at(path),
        KeysError::Pin { path, .. } | KeysError::AcceptedFiles { path, .. } => {
            Facts::failed("accepted-trust").hint_with(hints::TRUST_PIN, &[("path", &shell(path))])
        }
        KeysError::AcceptedMeanwhile => Facts::failed("accepted-meanwhile").hint(hints::TRUST_ACCEPT),
        KeysError::Context(error) => super::context(error),
    }
}

/// Shows the line of an allowed_signers file.
pub(super) fn line(error: &AllowedSignersError) -> Facts {
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

fn key(error: &KeyError) -> Facts {
    match error {
        KeyError::Unreadable { .. } => Facts::failed("unusable-key").hint(hints::KEY_REPLACE),
        KeyError::NoKey => Facts::failed("no-key-text").hint(hints::KEY_REPLACE),
        KeyError::Algorithm { .. } => Facts::failed("key-algorithm").hint(hints::KEY_GENERATE),
        KeyError::Encrypted => Facts::failed("encrypted-key").hint(hints::KEY_GENERATE),
        KeyError::Weak => Facts::failed("weak-key").hint(hints::KEY_REPLACE),
        KeyError::KeyId { .. } => Facts::failed("key-id").hint(hints::KEY_LIST),
    }
}
