//! Keys as they are shown to people: never more than the public half.

use std::path::PathBuf;

use serde::Serialize;

use super::{KeyName, KeyStore, KeysError};
use crate::context::Context;
use crate::trust::{KeyId, PublicKey};

/// One key of the store.
#[derive(Debug, Clone, Serialize)]
pub struct KeyInfo {
    /// `person` or `agent`.
    pub name: &'static str,
    /// The id signature lines carry.
    pub key_id: KeyId,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// The public key in OpenSSH's form.
    pub public: String,
    /// The private key's file.
    pub path: PathBuf,
    /// Whether it was made just now.
    pub created: bool,
}

impl KeyStore {
    /// Makes the keys that are missing, and describes both.
    ///
    /// # Errors
    ///
    /// Fails when a key cannot be read or written.
    pub fn ensure(&self, ctx: &Context) -> Result<Vec<KeyInfo>, KeysError> {
        let make = |name| -> Result<KeyInfo, KeysError> {
            let (key, created) = self.find_or_create(ctx, name)?;
            Ok(self.described(name, &key.public(), created))
        };
        Ok(vec![make(KeyName::Person)?, make(KeyName::Agent)?])
    }

    /// Describes the keys there are.
    ///
    /// # Errors
    ///
    /// Fails when a key cannot be read.
    pub fn list(&self) -> Result<Vec<KeyInfo>, KeysError> {
        let mut keys = Vec::new();
        for name in [KeyName::Person, KeyName::Agent] {
            keys.extend(self.find_public(name)?.map(|key| self.described(name, &key, false)));
        }
        Ok(keys)
    }

    fn described(&self, name: KeyName, key: &PublicKey, created: bool) -> KeyInfo {
        KeyInfo {
            name: name.as_str(),
            key_id: key.key_id(),
            fingerprint: key.fingerprint(),
            public: key.to_openssh(),
            path: self.path(name),
            created,
        }
    }
}
