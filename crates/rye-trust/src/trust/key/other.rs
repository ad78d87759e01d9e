//! Keys of other types than Ed25519, of which this program only verifies signatures: it never signs with one.
//!
//! Such a key has hundreds of bytes, and keys are values that are copied everywhere. So each is kept once, for as long as
//! the program runs, and a [`PublicKey`](super::PublicKey) refers to it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rye_openpgp::Certificate;

use super::error::KeyError;
use super::ssh::SshKey;

/// A key of another type.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::trust) enum OtherKey {
    /// One of SSH.
    Ssh(SshKey),
    /// One of OpenPGP.
    OpenPgp(Box<Certificate>),
}

/// The type of OpenPGP keys on lines of trust files.
pub(in crate::trust) const OPENPGP: &str = "openpgp";

/// Every key of another type that was read so far, by its text.
static KEPT: Mutex<BTreeMap<String, &'static OtherKey>> = Mutex::new(BTreeMap::new());

impl OtherKey {
    /// Keeps a key of SSH.
    pub(in crate::trust) fn ssh(data: &ssh_key::public::KeyData) -> Result<&'static Self, KeyError> {
        SshKey::new(data).map(|key| Self::Ssh(key).kept())
    }

    /// Keeps a key of OpenPGP.
    pub(in crate::trust) fn openpgp(certificate: Certificate) -> &'static Self {
        Self::OpenPgp(Box::new(certificate)).kept()
    }

    /// Returns the key as lines of trust files have it.
    pub(in crate::trust) fn to_text(&self) -> String {
        match self {
            Self::Ssh(key) => key.to_text(),
            Self::OpenPgp(key) => format!("{OPENPGP} {}", STANDARD.encode(key.as_bytes())),
        }
    }

    fn kept(self) -> &'static Self {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        kept.entry(self.to_text()).or_insert_with(|| Box::leak(Box::new(self)))
    }
}
