//! Errors of keys and trust.

use super::{Facts, hints, shell};
use crate::keys::KeysError;
use crate::ops::trust;
use crate::trust::KeyError;

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
        KeysError::AllowedSigners(error) => {
            let facts = Facts::failed("trust-file").at(&error.origin).hint(hints::MEND_LINE);
            Facts { position: Some((error.line, 1)), ..facts }
        }
        KeysError::Context(error) => super::context(error),
    }
}

pub(super) fn trust(error: &trust::Error) -> Facts {
    match error {
        trust::Error::Read { .. } => Facts::failed("unreadable"),
        trust::Error::NoKey { .. } => Facts::failed("no-public-key").hint(hints::PUBLIC_KEY),
        trust::Error::Private { path } => Facts::failed("private-key")
            .hint_with(hints::PUBLIC_HALF, &[("path", &shell(&path.with_added_extension("pub")))]),
        trust::Error::Agent { .. } => Facts::failed("agent-key").hint(hints::REVIEW_AGENT),
        trust::Error::Keys(error) => facts(error),
    }
}

fn key(error: &KeyError) -> Facts {
    match error {
        KeyError::Unreadable { .. } => Facts::failed("unusable-key").hint(hints::KEY_REPLACE),
        KeyError::Algorithm { .. } => Facts::failed("key-algorithm").hint(hints::KEY_GENERATE),
        KeyError::Encrypted => Facts::failed("encrypted-key").hint(hints::KEY_GENERATE),
        KeyError::Weak => Facts::failed("weak-key").hint(hints::KEY_REPLACE),
        KeyError::KeyId { .. } => Facts::failed("key-id").hint(hints::KEY_LIST),
    }
}
