//! The files of a project's proposal as bytes, wherever they lie: in a work tree, in git, in a copy.

use crate::format::trust_policy;
use crate::trust::{MANIFEST, ManifestFault, TrustFile, TrustFiles};

/// The bytes of the files of `.ai/trust/`; none for one that does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFiles {
    /// `allowed_signers`.
    pub allowed_signers: Option<Vec<u8>>,
    /// `revoked`.
    pub revoked: Option<Vec<u8>>,
    /// `policy.toml`.
    pub policy: Option<Vec<u8>>,
    /// `trust.sig`.
    pub manifest: Option<Vec<u8>>,
}

impl ProjectFiles {
    /// Reads each file by its name.
    ///
    /// # Errors
    ///
    /// Passes on the error of `read`.
    pub fn gather<E>(mut read: impl FnMut(&str) -> Result<Option<Vec<u8>>, E>) -> Result<Self, E> {
        Ok(Self {
            allowed_signers: read(TrustFile::AllowedSigners.as_str())?,
            revoked: read(TrustFile::Revoked.as_str())?,
            policy: read(TrustFile::Policy.as_str())?,
            manifest: read(MANIFEST)?,
        })
    }

    /// Tells whether there is no file at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the files with their names. The manifest is the last: it names the others.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Option<&[u8]>)> {
        [
            (TrustFile::AllowedSigners.as_str(), self.allowed_signers.as_deref()),
            (TrustFile::Revoked.as_str(), self.revoked.as_deref()),
            (TrustFile::Policy.as_str(), self.policy.as_deref()),
            (MANIFEST, self.manifest.as_deref()),
        ]
        .into_iter()
    }

    /// Reads the policy, so that the files can be judged.
    ///
    /// # Errors
    ///
    /// Fails when the policy is not understood in full.
    pub fn parsed(&self) -> Result<TrustFiles, ManifestFault> {
        Ok(TrustFiles {
            allowed_signers: self.allowed_signers.clone(),
            revoked: self.revoked.clone(),
            policy: self.policy.as_deref().map(trust_policy).transpose()?,
            manifest: self.manifest.clone(),
        })
    }
}
