//! Why a plugin's manifest or library does not count.

use thiserror::Error;

use crate::trust::{Fault, KeyId, SshSigError};

/// Why a plugin's manifest or library does not count.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum PluginFault {
    /// The signature is missing.
    #[error("it is not signed: it has no `plugin.toml.sig`")]
    Unsigned,
    /// The signature is not one over this manifest, for this use.
    #[error("its signature cannot be accepted")]
    Signature(#[source] SshSigError),
    /// The manifest cannot be read.
    #[error("its manifest cannot be read: {reason}")]
    Manifest { reason: String },
    /// The signer's key does not count at all.
    #[error(transparent)]
    Signer(Fault),
    /// The signer's key counts for less than everything.
    #[error("it is signed by the key `{key_id}`, which is trusted for {reach} only")]
    Limited {
        key_id: KeyId,
        /// What it is trusted for.
        reach: String,
    },
    /// The library is not the one that was signed.
    #[error("the library `{file}` is not the one that was signed")]
    Library { file: String },
    /// The library for this machine is missing.
    #[error("it has no library for `{target}` (it has: {})", found.join(", "))]
    Target {
        target: &'static str,
        /// The targets it has libraries for.
        found: Vec<String>,
    },
    /// It was made for another version of the contract.
    #[error("it was made for contract version {found}, this program for version {expected}")]
    Abi { found: u32, expected: u32 },
}

impl PluginFault {
    /// Returns the word for it, as verdicts of items have them.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Unsigned => "unsigned",
            Self::Signature(_) | Self::Library { .. } => "tampered",
            Self::Manifest { .. } => "malformed",
            Self::Signer(Fault::Revoked { .. }) => "revoked",
            Self::Signer(Fault::OutsideValidity { .. }) => "retired",
            Self::Signer(_) | Self::Limited { .. } => "untrusted",
            Self::Target { .. } => "other_target",
            Self::Abi { .. } => "other_abi",
        }
    }
}
