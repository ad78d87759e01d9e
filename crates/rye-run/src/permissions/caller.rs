//! What a caller lets a thread do: a capability document in addition to the directive's own permissions.
//!
//! It only narrows: a call needs both. So it needs no signature, and may lie anywhere.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::capability::{Capabilities, Token};
use crate::context::{Context, Unreadable, bounded};
use crate::format::{self, CapabilityDocument, Finding, MOST_BYTES};
use crate::trust::ContentHash;

/// The permissions a caller gives, read from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    path: PathBuf,
    sha256: ContentHash,
    capabilities: Capabilities,
    warnings: Vec<Finding>,
}

/// Why a caller's permissions cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum CallerError {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] Unreadable),
    /// It is not a capability document.
    #[error("the permissions in `{}` are not valid", path.display())]
    Invalid {
        path: PathBuf,
        /// The faults, in the order of the text.
        findings: Vec<Finding>,
        /// The file's text, to show the places.
        text: String,
    },
}

impl Caller {
    /// Reads a capability document; `path` is relative to where one works.
    ///
    /// # Errors
    ///
    /// Fails when the file cannot be read, is too large, or has a finding of severity error.
    pub fn read(ctx: &Context, path: &Path) -> Result<Self, CallerError> {
        let path = ctx.current_dir().join(path);
        let text = bounded::read_text(&path, MOST_BYTES as u64)?;
        Self::parse(path, text)
    }

    /// Reads the text of a capability document.
    ///
    /// # Errors
    ///
    /// Fails when it has a finding of severity error.
    pub fn parse(path: PathBuf, text: String) -> Result<Self, CallerError> {
        let CapabilityDocument { capabilities, findings } = format::capabilities(&text);
        if format::has_errors(&findings) {
            return Err(CallerError::Invalid { path, findings, text });
        }
        Ok(Self { path, sha256: ContentHash::of(text.as_bytes()), capabilities, warnings: findings })
    }

    /// Takes what a caller allowed in an earlier thread from its token; none from the token of a directive.
    #[must_use]
    pub fn of_token(token: &Token) -> Option<Self> {
        let claims = token.claims();
        let capabilities =
            Capabilities { calls: claims.capabilities.clone(), paths: claims.paths.clone(), hosts: Vec::new() };
        claims.caller.map(|sha256| Self { path: PathBuf::new(), sha256, capabilities, warnings: Vec::new() })
    }

    /// Returns the file; an empty path if it was read from a token.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the SHA-256 of the file.
    #[must_use]
    pub const fn sha256(&self) -> ContentHash {
        self.sha256
    }

    /// Returns what it allows.
    #[must_use]
    pub const fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// Returns warnings.
    #[must_use]
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }
}
