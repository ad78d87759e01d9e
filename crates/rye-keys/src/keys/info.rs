//! Keys as they are shown to people: never more than the public half.

use std::path::PathBuf;

use serde::Serialize;

use super::{KeyName, KeyStore, KeysError};
use crate::context::Context;
use crate::trust::{KeyId, KeyText};

/// One key of the store.
#[derive(Debug, Clone, Serialize)]
pub struct KeyInfo {
    /// `person`, `agent`, or `retired` for a person's key that was replaced.
    pub name: &'static str,
    /// The id signature lines carry.
    pub key_id: KeyId,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// The public key in OpenSSH's form.
    pub public: String,
    /// What holds the private half.
    pub held: Holder,
    /// The private key's file, or the public one's where an ssh-agent holds the other half.
    pub path: PathBuf,
    /// Whether it was made just now.
    pub created: bool,
}

/// What holds the private half of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// A file.
    File,
    /// A file, behind a passphrase.
    ProtectedFile,
    /// An ssh-agent.
    SshAgent,
}

impl Holder {
    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::ProtectedFile => "protected-file",
            Self::SshAgent => "ssh-agent",
        }
    }
}

impl KeyInfo {
    pub(super) fn of(name: &'static str, key: &KeyText, path: PathBuf) -> Self {
        let public = key.public();
        let held = match key {
            KeyText::Open(_) => Holder::File,
            KeyText::Locked(_) => Holder::ProtectedFile,
            KeyText::Public(_) => Holder::SshAgent,
        };
        Self {
            name,
            key_id: public.key_id(),
            fingerprint: public.fingerprint(),
            public: public.to_openssh(),
            held,
            path,
            created: false,
        }
    }
}

impl KeyStore {
    /// Makes the keys that are missing, and describes both.
    pub fn ensure(&self, ctx: &Context) -> Result<Vec<KeyInfo>, KeysError> {
        Ok(vec![self.ensure_one(ctx, KeyName::Person)?, self.ensure_one(ctx, KeyName::Agent)?])
    }

    /// Makes one key if it is missing, and describes it.
    ///
    /// # Errors
    ///
    /// As [`KeyStore::ensure`].
    pub fn ensure_one(&self, ctx: &Context, name: KeyName) -> Result<KeyInfo, KeysError> {
        let (key, created) = self.stored_or_created(ctx, name)?;
        Ok(KeyInfo { created, ..self.described(name, &key) })
    }

    /// Describes the keys there are, and those that were replaced.
    pub fn list(&self) -> Result<Vec<KeyInfo>, KeysError> {
        let mut keys = Vec::new();
        for name in [KeyName::Person, KeyName::Agent] {
            keys.extend(self.stored(name)?.map(|key| self.described(name, &key)));
        }
        let mut retired = self.retired()?;
        // A key that was taken up again is not retired, though its copy is still there.
        retired.retain(|key| keys.iter().all(|other| other.key_id != key.key_id));
        keys.extend(retired);
        Ok(keys)
    }

    /// Describes one of the two keys.
    pub(super) fn described(&self, name: KeyName, key: &KeyText) -> KeyInfo {
        KeyInfo::of(name.as_str(), key, self.held_at(name, key))
    }
}
