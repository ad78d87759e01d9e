//! The trust files of a project by name, and why they count for nothing.

use std::fmt;

use thiserror::Error;

use crate::id::{SPACE_FOLDER, Timestamp};
use crate::trust::{KeyId, PolicyError, SshSigError};

/// The name of the manifest below `.ai/trust/`.
pub const MANIFEST: &str = "trust.sig";

/// The name of the project's configuration below `.ai/`.
const CONFIG: &str = "config.toml";

/// A file that a manifest names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrustFile {
    /// Who may sign.
    AllowedSigners,
    /// Whose signatures are bad.
    Revoked,
    /// How many must sign.
    Policy,
    /// What the project's configuration denies: `.ai/config.toml`.
    Config,
}

/// Whose roots must have signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Roots {
    /// Those of the files themselves.
    Own,
    /// Those of the files that are to be replaced.
    Base,
}

/// Why trust files count for nothing. Each has a rule id that never changes its meaning.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum ManifestFault {
    /// RYE-M001.
    #[error("`.ai/trust/trust.sig` is missing")]
    Unsigned,
    /// RYE-M002.
    #[error("line {line} of `trust.sig` is malformed: {reason}")]
    Malformed {
        /// The line, from 1.
        line: usize,
        reason: String,
    },
    /// RYE-M003.
    #[error("the trust file `{file}` cannot be used: {reason}")]
    Unreadable { file: TrustFile, reason: String },
    /// RYE-M004.
    #[error("`{file}` does not match the signed manifest")]
    Digest { file: TrustFile },
    /// RYE-M005.
    #[error("signature {number} of `trust.sig` does not count: {reason}")]
    Signature {
        /// Which one, from 1.
        number: usize,
        reason: SshSigError,
    },
    /// RYE-M006.
    #[error("{have} of the {need} root signers that are needed have signed the manifest ({})", roots.as_str())]
    TooFewRoots { roots: Roots, have: usize, need: usize },
    /// RYE-M007.
    #[error("the manifest is signed by the root key `{key_id}`, which is revoked")]
    RevokedRoot { key_id: KeyId },
    /// RYE-M008.
    #[error("version {version} of the trust files cannot follow version {base}")]
    NotNewer { base: u64, version: u64 },
    /// RYE-M009.
    #[error("the manifest was signed at {claimed}, before the one it follows (signed at {base})")]
    Backdated {
        /// When the one to follow was signed.
        base: Timestamp,
        /// When this one was signed, as it says.
        claimed: Timestamp,
    },
    /// RYE-M010.
    #[error("the trust files or `.ai/config.toml` were changed, and no manifest `trust.sig` announces it")]
    Unannounced,
    /// RYE-M011.
    #[error("the trust files to follow have no manifest `trust.sig`, so no key can sign a change of them")]
    UnsignedBase,
    /// RYE-M012.
    #[error("the manifest does not cover `.ai/config.toml`, which was covered before or has changed")]
    Uncovered,
    /// RYE-M013.
    #[error("the manifest was signed for another project (whose first commit is `{project}`)")]
    OtherProject {
        /// The commit that the other project's history began with; `-` if it names none.
        project: String,
    },
}

impl TrustFile {
    /// Every file, in the manifest's order.
    pub const ALL: [Self; 4] = [Self::AllowedSigners, Self::Revoked, Self::Policy, Self::Config];

    /// Returns the file's name, also that of its line in the manifest.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AllowedSigners => "allowed_signers",
            Self::Revoked => "revoked",
            Self::Policy => "policy.toml",
            Self::Config => CONFIG,
        }
    }
}

/// Returns the path of a file of a proposal, from the top of the project.
#[must_use]
pub fn trust_file_path(name: &str) -> String {
    if name == CONFIG { format!("{SPACE_FOLDER}/{name}") } else { format!("{SPACE_FOLDER}/trust/{name}") }
}

impl fmt::Display for TrustFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<PolicyError> for ManifestFault {
    fn from(PolicyError { line, reason }: PolicyError) -> Self {
        Self::Unreadable { file: TrustFile::Policy, reason: format!("line {line}: {reason}") }
    }
}

impl Roots {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Own => "those that the files themselves name",
            Self::Base => "those that the files before it name",
        }
    }
}

impl ManifestFault {
    /// Returns the rule's stable id.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Unsigned => "RYE-M001",
            Self::Malformed { .. } => "RYE-M002",
            Self::Unreadable { .. } => "RYE-M003",
            Self::Digest { .. } => "RYE-M004",
            Self::Signature { .. } => "RYE-M005",
            Self::TooFewRoots { .. } => "RYE-M006",
            Self::RevokedRoot { .. } => "RYE-M007",
            Self::NotNewer { .. } => "RYE-M008",
            Self::Backdated { .. } => "RYE-M009",
            Self::Unannounced => "RYE-M010",
            Self::UnsignedBase => "RYE-M011",
            Self::Uncovered => "RYE-M012",
            Self::OtherProject { .. } => "RYE-M013",
        }
    }

    /// Returns the path of the file that it is about, from the top of the project, and the line in it.
    #[must_use]
    pub fn place(&self) -> (String, usize) {
        let (name, line) = match self {
            Self::Unreadable { file, .. } | Self::Digest { file } => (file.as_str(), 1),
            Self::Malformed { line, .. } => (MANIFEST, *line),
            Self::Unsigned
            | Self::Signature { .. }
            | Self::TooFewRoots { .. }
            | Self::RevokedRoot { .. }
            | Self::NotNewer { .. }
            | Self::Backdated { .. }
            | Self::Unannounced
            | Self::UnsignedBase
            | Self::Uncovered
            | Self::OtherProject { .. } => (MANIFEST, 1),
        };
        (trust_file_path(name), line)
    }
}
