//! Why the signature of a commit does not count.

use rye_openpgp::SignatureError;
use thiserror::Error;

use crate::trust::{KeyId, SignatureKind, SshSigError, Verdict};

/// Why a commit's signature does not count. Each has a rule id that never changes its meaning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum CommitFault {
    /// RYE-C001.
    #[error("it is not signed")]
    Unsigned,
    /// RYE-C008. It cannot be judged here.
    #[error("its signature is not judged: it is an {kind}")]
    NotJudged {
        /// What kind of signature it is.
        kind: SignatureKind,
    },
    /// RYE-C002.
    #[error("its signature is {kind}, not a signature that can be judged")]
    OtherKind {
        /// What it is instead.
        kind: &'static str,
    },
    /// RYE-C003.
    #[error("its signature does not count: {reason}")]
    Misfit { reason: SshSigError },
    /// RYE-C003, of OpenPGP.
    #[error("its signature does not count: {reason}")]
    OpenPgp { reason: SignatureError },
    /// RYE-C004.
    #[error("it is signed by the key `{key_id}` ({fingerprint}), which is not trusted for commits here")]
    Untrusted {
        /// The key that signed it.
        key_id: KeyId,
        /// The same key, as OpenSSH names it.
        fingerprint: String,
    },
    /// RYE-C004, of a thread.
    #[error(
        "it is signed by the key `{key_id}` ({fingerprint}), which is not trusted for commits here and has no use for turns"
    )]
    NotForTurns {
        /// The key that signed it.
        key_id: KeyId,
        /// The same key, as OpenSSH names it.
        fingerprint: String,
    },
    /// RYE-C004, of a thread that is to be continued.
    #[error("it is signed by the key `{key_id}` ({fingerprint}), which is not your own agent's")]
    NotOwnAgent {
        /// The key that signed it.
        key_id: KeyId,
        /// The same key, as OpenSSH names it.
        fingerprint: String,
    },
    /// RYE-C004, of a commit in a thread's branch that is not of its record.
    #[error("it is not of the thread's record: {reason}")]
    NotOfThread {
        /// Why.
        reason: &'static str,
    },
    /// RYE-C009.
    #[error("it is signed by `{principal}` (key `{key_id}`), the key of a forge, which signs for every account there")]
    Forge {
        /// The key that signed it.
        key_id: KeyId,
        /// The forge, as the line of the key names it.
        principal: String,
    },
    /// RYE-C005.
    #[error("the key `{key_id}` was not valid when the commit says it was made")]
    OutsideValidity {
        /// The key that signed it.
        key_id: KeyId,
    },
    /// RYE-C005, of OpenPGP.
    #[error("it is signed by the OpenPGP key `{key_id}`, and that key or the signature has expired since")]
    Expired {
        /// The key that signed it.
        key_id: KeyId,
    },
    /// RYE-C006.
    #[error("it is signed by the key `{key_id}`, which is revoked")]
    Revoked {
        /// The key that signed it.
        key_id: KeyId,
    },
}

impl CommitFault {
    /// Returns the verdict that it comes to.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Unsigned => Verdict::Unsigned,
            Self::NotJudged { .. } => Verdict::NotJudged,
            Self::OtherKind { .. } | Self::Misfit { .. } | Self::OpenPgp { .. } => Verdict::Tampered,
            Self::Untrusted { .. }
            | Self::NotForTurns { .. }
            | Self::NotOwnAgent { .. }
            | Self::NotOfThread { .. }
            | Self::Forge { .. } => Verdict::Untrusted,
            Self::OutsideValidity { .. } | Self::Expired { .. } => Verdict::Retired,
            Self::Revoked { .. } => Verdict::Revoked,
        }
    }

    /// Returns the kind of a signature that is not judged.
    #[must_use]
    pub const fn not_judged(&self) -> Option<SignatureKind> {
        match self {
            Self::NotJudged { kind } => Some(*kind),
            Self::Unsigned
            | Self::OtherKind { .. }
            | Self::Misfit { .. }
            | Self::OpenPgp { .. }
            | Self::Untrusted { .. }
            | Self::NotForTurns { .. }
            | Self::NotOwnAgent { .. }
            | Self::NotOfThread { .. }
            | Self::Forge { .. }
            | Self::OutsideValidity { .. }
            | Self::Expired { .. }
            | Self::Revoked { .. } => None,
        }
    }

    /// Returns the rule's stable id.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Unsigned => "RYE-C001",
            Self::NotJudged { .. } => "RYE-C008",
            Self::OtherKind { .. } => "RYE-C002",
            Self::Misfit { .. } | Self::OpenPgp { .. } => "RYE-C003",
            Self::Untrusted { .. } | Self::NotForTurns { .. } | Self::NotOwnAgent { .. } | Self::NotOfThread { .. } => {
                "RYE-C004"
            }
            Self::Forge { .. } => "RYE-C009",
            Self::OutsideValidity { .. } | Self::Expired { .. } => "RYE-C005",
            Self::Revoked { .. } => "RYE-C006",
        }
    }
}
