//! The files of a project's proposal as bytes, wherever they lie: in a work tree, in git, in a copy.

use std::path::Path;

use crate::context::{ConfigError, ProjectConfig};
use crate::format::trust_policy;
use crate::trust::{MANIFEST, ManifestFault, TrustFile, TrustFiles, trust_file_path};

/// The bytes of the files of `.ai/trust/` and of `.ai/config.toml`; none for one that does not exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectFiles {
    /// `allowed_signers`.
    pub allowed_signers: Option<Vec<u8>>,
    /// `revoked`.
    pub revoked: Option<Vec<u8>>,
    /// `policy.toml`.
    pub policy: Option<Vec<u8>>,
    /// `.ai/config.toml`, of which the manifest speaks too.
    pub config: Option<Vec<u8>>,
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
            config: read(TrustFile::Config.as_str())?,
            manifest: read(MANIFEST)?,
        })
    }

    /// Tells whether there is no trust file at all; a configuration alone proposes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let Self { allowed_signers, revoked, policy, config: _, manifest } = self;
        [allowed_signers, revoked, policy, manifest].into_iter().all(Option::is_none)
    }

    /// Returns the files with their names. The manifest is the last: it names the others.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, Option<&[u8]>)> {
        [
            (TrustFile::AllowedSigners.as_str(), self.allowed_signers.as_deref()),
            (TrustFile::Revoked.as_str(), self.revoked.as_deref()),
            (TrustFile::Policy.as_str(), self.policy.as_deref()),
            (TrustFile::Config.as_str(), self.config.as_deref()),
            (MANIFEST, self.manifest.as_deref()),
        ]
        .into_iter()
    }

    /// Makes sure that the configuration is one that a project may have, before somebody signs or accepts it.
    ///
    /// # Errors
    ///
    /// Fails when it says anything but what tightens.
    pub fn check_config(&self) -> Result<(), ManifestFault> {
        let Some(bytes) = &self.config else { return Ok(()) };
        let unusable = |reason| ManifestFault::Unreadable { file: TrustFile::Config, reason };
        match ProjectConfig::parse(Path::new(&trust_file_path(TrustFile::Config.as_str())), bytes) {
            Ok(_) => Ok(()),
            Err(ConfigError::Wrong { message, .. } | ConfigError::WrongInProject { message, .. }) => {
                Err(unusable(message))
            }
            Err(error) => Err(unusable(error.to_string())),
        }
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
            config: self.config.clone(),
            manifest: self.manifest.clone(),
        })
    }
}
