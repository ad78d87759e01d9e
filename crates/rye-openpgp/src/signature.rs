//! A detached signature over data, as git keeps one in a commit.

use pgp::composed::{Deserializable, DetachedSignature as Detached};
use pgp::packet::{Signature, SignatureType};
use pgp::types::KeyDetails;
use thiserror::Error;

use crate::certificate::{Certificate, Part, expiry};
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
    /// The key or the signature has expired.
    #[error("the OpenPGP key or its signature has expired")]
    Expired,
    /// The signature is older than the key, or has no time.
    #[error("the OpenPGP key did not exist yet when the signature says it was made")]
    Early,
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

    /// Checks the signature over `data`, by the keys of a certificate that may sign. `now` is the time of the check, in seconds
    /// since 1970: as `gpg` has it, an expired key makes no signature good, whenever that was made.
    ///
    /// # Errors
    ///
    /// Says why it does not count.
    pub fn check(&self, certificate: &Certificate, data: &[u8], now: i64) -> Result<(), SignatureError> {
        let mut fault = SignatureError::OtherKey;
        for part in certificate.signing() {
            let (is_issuer, fits, is_understood, in_time) = match part {
                Part::Primary(key, latest) => (
                    self.is_by(key),
                    self.0.verify(key, data).is_ok(),
                    is_strong(latest, false),
                    self.is_in_time(key, latest, now),
                ),
                Part::Subkey(key, latest) => (
                    self.is_by(key),
                    self.0.verify(key, data).is_ok(),
                    is_strong(latest, false),
                    self.is_in_time(key, latest, now),
                ),
            };
            fault = match (is_issuer, fits, in_time) {
                (false, ..) => continue,
                (true, false, _) => SignatureError::Mismatch,
                (true, true, _) if !is_understood || !is_strong(&self.0, true) => SignatureError::Unusable,
                (true, true, _) if certificate.has_expired(now) => SignatureError::Expired,
                (true, true, Err(fault)) => fault,
                (true, true, Ok(())) => return Ok(()),
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

    /// Makes sure that the key existed when the signature says it was made, and that neither has expired.
    fn is_in_time(&self, key: &impl KeyDetails, latest: &Signature, now: i64) -> Result<(), SignatureError> {
        let created = self.0.created().map(|created| i64::from(created.as_secs())).ok_or(SignatureError::Early)?;
        if created < i64::from(key.created_at().as_secs()) {
            return Err(SignatureError::Early);
        }
        let after = self.0.signature_expiration_time().map(|after| i64::from(after.as_secs()));
        let own = after.filter(|after| *after != 0).map(|after| created + after);
        let is_past = |end: Option<i64>| end.is_some_and(|end| end <= now.max(created));
        if is_past(own) || is_past(expiry(key, latest)) { Err(SignatureError::Expired) } else { Ok(()) }
    }
}
