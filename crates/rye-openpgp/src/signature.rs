//! A detached signature over data, as git keeps one in a commit.

use pgp::composed::{Deserializable, DetachedSignature as Detached};
use pgp::packet::{Signature, SignatureType};
use pgp::types::KeyDetails;
use thiserror::Error;

use crate::certificate::{Certificate, Part, is_valid_at};
use crate::strength::is_strong;

/// One signature.
#[derive(Debug, Clone)]
pub struct DetachedSignature(Signature);

/// Why a signature by a certificate does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SignatureError {
    /// It is by another certificate.
    #[error("the signature is by another OpenPGP key")]
    OtherKey,
    /// It does not fit the data.
    #[error("the signature does not fit its data")]
    Mismatch,
    /// It uses a weak digest, or says something that is not understood.
    #[error("the OpenPGP signature uses a weak digest, or has a part that is not known here")]
    Unusable,
    /// The key or the signature was not valid at the time.
    #[error("the OpenPGP key or its signature had expired, or did not exist yet")]
    Expired,
}

impl DetachedSignature {
    /// Reads the one signature of an armour; none if there are several, or it is of another kind.
    #[must_use]
    pub fn from_armor(text: &str) -> Option<Self> {
        let (mut found, _) = Detached::from_string_many(text).ok()?;
        let one = found.next()?.ok()?.signature;
        let is_of_data = matches!(one.typ(), Some(SignatureType::Binary | SignatureType::Text));
        (found.next().is_none() && is_of_data).then_some(Self(one))
    }

    /// Checks the signature over `data`, by the keys of a certificate that may sign. `at` is when the data says that it was
    /// made, in seconds since 1970.
    ///
    /// # Errors
    ///
    /// Says why it does not count.
    pub fn check(&self, certificate: &Certificate, data: &[u8], at: i64) -> Result<(), SignatureError> {
        let mut fault = SignatureError::OtherKey;
        for part in certificate.signing() {
            let (is_issuer, fits, is_valid) = match part {
                Part::Primary(key, latest) => {
                    (self.is_by(key), self.0.verify(key, data).is_ok(), self.is_in_time(key, latest, at))
                }
                Part::Subkey(key, latest) => {
                    (self.is_by(key), self.0.verify(key, data).is_ok(), self.is_in_time(key, latest, at))
                }
            };
            fault = match (is_issuer, fits, is_valid) {
                (false, ..) => continue,
                (true, false, _) => SignatureError::Mismatch,
                (true, true, _) if !is_strong(&self.0, true) => SignatureError::Unusable,
                (true, true, false) => SignatureError::Expired,
                (true, true, true) => return Ok(()),
            };
        }
        Err(fault)
    }

    /// Tells whether the signature names a key as its maker.
    fn is_by(&self, key: &impl KeyDetails) -> bool {
        let (id, fingerprint) = (key.legacy_key_id(), key.fingerprint());
        let ids = self.0.issuer_key_id();
        let fingerprints = self.0.issuer_fingerprint();
        let named = !ids.is_empty() || !fingerprints.is_empty();
        named && ids.iter().all(|one| **one == id) && fingerprints.iter().all(|one| **one == fingerprint)
    }

    /// Tells whether key and signature were valid when the data was made, and when the signature was.
    fn is_in_time(&self, key: &impl KeyDetails, latest: &Signature, at: i64) -> bool {
        let Some(created) = self.0.created().map(|created| i64::from(created.as_secs())) else { return false };
        let expires = self.0.signature_expiration_time().map(|after| i64::from(after.as_secs()));
        let is_expired = expires.is_some_and(|after| after != 0 && created + after <= at);
        !is_expired && is_valid_at(key, latest, at) && is_valid_at(key, latest, created)
    }
}
