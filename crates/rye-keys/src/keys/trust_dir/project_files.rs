//! The files of a project's proposal as bytes, wherever they lie: in a work tree, in git, in a copy.

use std::path::Path;

use crate::context::{ConfigError, ProjectConfig};
use crate::format::trust_policy;
use crate::id::Zone;
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

    /// Tells whether no trust file exists; a configuration alone proposes nothing.
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

    /// Makes sure that the configuration is one that a project may have, before it is signed or accepted.
    ///
    /// # Errors
    ///
    /// Fails when it says anything but what tightens.
    pub fn check_config(&self) -> Result<(), ManifestFault> {
        self.config.as_deref().map_or(Ok(()), |bytes| project_config(bytes).map(drop))
    }

    /// Reads the policy, so that the files can be judged. `zone` is that of times in `allowed_signers` that name none.
    ///
    /// # Errors
    ///
    /// Fails when the policy is not understood in full.
    pub fn parsed(&self, zone: &Zone) -> Result<TrustFiles, ManifestFault> {
        Ok(TrustFiles {
            allowed_signers: self.allowed_signers.clone(),
            revoked: self.revoked.clone(),
            policy: self.policy.as_deref().map(trust_policy).transpose()?,
            config: self.config.clone(),
            manifest: self.manifest.clone(),
            zone: zone.clone(),
        })
    }
}

/// Reads the bytes of a project's configuration.
///
/// # Errors
///
/// Fails when they say anything but what tightens.
pub fn project_config(bytes: &[u8]) -> Result<ProjectConfig, ManifestFault> {
    let path = trust_file_path(TrustFile::Config.as_str());
    ProjectConfig::parse(Path::new(&path), bytes).map_err(|error| {
        let reason = match error {
            ConfigError::Wrong { message, .. } | ConfigError::WrongInProject { message, .. } => message,
            error => error.to_string(),
        };
        ManifestFault::Unreadable { file: TrustFile::Config, reason }
    })
}
