//! A certificate (a transferable public key): who holds it, and which of its keys may sign when.

use pgp::composed::{Deserializable, SignedKeyDetails, SignedPublicKey, SignedPublicSubKey};
use pgp::crypto::ecc_curve::ECCCurve;
use pgp::packet::{KeyFlags, Signature, SignatureType};
use pgp::ser::Serialize;
use pgp::types::{EcdsaPublicParams, KeyDetails, KeyVersion, PublicParams, SignedUser, Tag};
use thiserror::Error;

/// The fewest bits of an RSA key that counts.
const RSA_BITS: usize = 2048;

/// A certificate whose own signatures verify.
#[derive(Debug, Clone)]
pub struct Certificate {
    key: SignedPublicKey,
    bytes: Vec<u8>,
}

/// A certificate that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum CertificateError {
    /// It is not one certificate.
    #[error("this is not one OpenPGP public key")]
    Malformed,
    /// The primary key is of another version, or weak.
    #[error("the OpenPGP key is weak, or of a type that is not known here")]
    Weak,
    /// Nothing that its holder signed says what the key is for.
    #[error("the OpenPGP key has no name that its holder signed")]
    Unsigned,
    /// Its holder revoked it.
    #[error("the OpenPGP key is revoked by its holder")]
    Revoked,
}

/// A key of a certificate, and the latest signature that says what it is for.
pub(crate) enum Part<'c> {
    /// The primary key.
    Primary(&'c pgp::packet::PublicKey, &'c Signature),
    /// A subkey that may sign.
    Subkey(&'c pgp::packet::PublicSubkey, &'c Signature),
}

impl Certificate {
    /// Reads the armour that `gpg --export --armor` writes.
    ///
    /// # Errors
    ///
    /// Fails on several certificates, private keys, weak and revoked keys.
    pub fn from_armor(text: &str) -> Result<Self, CertificateError> {
        let (mut found, _) = SignedPublicKey::from_string_many(text).map_err(|_| CertificateError::Malformed)?;
        let one = found.next().and_then(Result::ok).ok_or(CertificateError::Malformed)?;
        if found.next().is_some() { Err(CertificateError::Malformed) } else { Self::of(one) }
    }

    /// Reads the bytes of a certificate.
    ///
    /// # Errors
    ///
    /// As [`Certificate::from_armor`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CertificateError> {
        let mut found = SignedPublicKey::from_bytes_many(bytes).map_err(|_| CertificateError::Malformed)?;
        let one = found.next().and_then(Result::ok).ok_or(CertificateError::Malformed)?;
        if found.next().is_some() { Err(CertificateError::Malformed) } else { Self::of(one) }
    }

    /// Returns the bytes of its least form.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the fingerprint in 40 digits, as `gpg` shows it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        format!("{:X}", self.key.primary_key.fingerprint())
    }

    /// Returns the names that its holder signed: mostly `Name <address>`.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.key.details.users.iter().filter_map(|user| user.id.as_str().map(str::to_owned)).collect()
    }

    /// Returns the keys that may sign data, each with the latest signature that says so.
    pub(crate) fn signing(&self) -> Vec<Part<'_>> {
        let mut parts = Vec::new();
        if let Some(latest) = self.latest().filter(|latest| may_sign(&latest.key_flags(), true)) {
            parts.push(Part::Primary(&self.key.primary_key, latest));
        }
        for subkey in &self.key.public_subkeys {
            if let Some(latest) = newest(subkey.signatures.iter()) {
                parts.push(Part::Subkey(&subkey.key, latest));
            }
        }
        parts
    }

    /// Tells whether the primary key has expired, and all subkeys with it.
    pub(crate) fn has_expired(&self, now: i64) -> bool {
        self.latest().and_then(|latest| expiry(&self.key.primary_key, latest)).is_some_and(|end| end <= now)
    }

    /// Returns the latest signature about the primary key: with a name, as `gpg` makes them, or else without.
    fn latest(&self) -> Option<&Signature> {
        let details = &self.key.details;
        let of_names = newest(details.users.iter().flat_map(|user| &user.signatures));
        of_names.or_else(|| newest(details.direct_signatures.iter()))
    }

    fn of(key: SignedPublicKey) -> Result<Self, CertificateError> {
        if key.primary_key.version() != KeyVersion::V4 || !is_strong_key(&key.primary_key) {
            return Err(CertificateError::Weak);
        }
        let primary = &key.primary_key;
        if key.details.revocation_signatures.iter().any(|signature| signature.verify_key(primary).is_ok()) {
            return Err(CertificateError::Revoked);
        }
        let direct = key.details.direct_signatures.iter().filter(|signature| signature.verify_key(primary).is_ok());
        let direct = direct.cloned().collect();
        let users: Vec<SignedUser> = key.details.users.iter().filter_map(|user| own(user, primary)).collect();
        let subkeys = key.public_subkeys.iter().filter_map(|subkey| signing_subkey(subkey, primary)).collect();
        let details = SignedKeyDetails::new(Vec::new(), direct, users, Vec::new());
        let key = SignedPublicKey::new(key.primary_key.clone(), details, subkeys);
        let bytes = key.to_bytes().map_err(|_| CertificateError::Malformed)?;
        let certificate = Self { key, bytes };
        if certificate.latest().is_none() { Err(CertificateError::Unsigned) } else { Ok(certificate) }
    }
}

/// A key stays the same when its holder signs its name or its expiry anew.
impl PartialEq for Certificate {
    fn eq(&self, other: &Self) -> bool {
        self.key.primary_key.fingerprint() == other.key.primary_key.fingerprint()
    }
}

impl Eq for Certificate {}

/// Returns a name with the holder's own signatures; none if the holder revoked it.
fn own(user: &SignedUser, primary: &pgp::packet::PublicKey) -> Option<SignedUser> {
    let is_own = |signature: &&Signature| signature.verify_certification(primary, Tag::UserId, &user.id).is_ok();
    let signatures: Vec<Signature> = user.signatures.iter().filter(is_own).cloned().collect();
    let is_revoked = signatures.iter().any(|signature| signature.typ() == Some(SignatureType::CertRevocation));
    (!is_revoked && !signatures.is_empty()).then(|| SignedUser::new(user.id.clone(), signatures))
}

/// Returns a subkey that may sign with its signatures that verify; none if the holder revoked it. Its own signature shows
/// that its holder is this one.
fn signing_subkey(subkey: &SignedPublicSubKey, primary: &pgp::packet::PublicKey) -> Option<SignedPublicSubKey> {
    let is_by = |signature: &&Signature| signature.verify_subkey_binding(primary, &subkey.key).is_ok();
    let is_revocation = |signature: &&Signature| signature.typ() == Some(SignatureType::SubkeyRevocation);
    // Whether it verifies or not: fail closed.
    if subkey.signatures.iter().any(|signature| is_revocation(&signature)) || !is_strong_key(&subkey.key) {
        return None;
    }
    let is_signing = |signature: &&Signature| {
        let back = signature.embedded_signature();
        may_sign(&signature.key_flags(), false)
            && back.is_some_and(|back| back.verify_primary_key_binding(&subkey.key, primary).is_ok())
    };
    let latest = newest(subkey.signatures.iter().filter(is_by))?;
    is_signing(&latest).then(|| SignedPublicSubKey::new(subkey.key.clone(), vec![latest.clone()]))
}

/// A primary key without flags may do whatever its type can.
fn may_sign(flags: &KeyFlags, is_primary: bool) -> bool {
    let has_any =
        flags.certify() || flags.sign() || flags.encrypt_comms() || flags.encrypt_storage() || flags.authentication();
    flags.sign() || is_primary && !has_any
}

fn newest<'s>(signatures: impl Iterator<Item = &'s Signature>) -> Option<&'s Signature> {
    signatures.filter(|signature| signature.created().is_some()).max_by_key(|signature| signature.created())
}

fn is_strong_key(key: &impl KeyDetails) -> bool {
    match key.public_params() {
        PublicParams::RSA(params) => rsa_bits(params) >= RSA_BITS,
        PublicParams::ECDSA(params) => is_strong_curve(params),
        PublicParams::EdDSALegacy(_) | PublicParams::Ed25519(_) | PublicParams::Ed448(_) => true,
        _ => false,
    }
}

fn is_strong_curve(params: &EcdsaPublicParams) -> bool {
    matches!(params.curve(), ECCCurve::P256 | ECCCurve::P384 | ECCCurve::P521)
}

/// The modulus is written first: its length in bits, then itself.
fn rsa_bits(params: &pgp::types::RsaPublicParams) -> usize {
    let bytes = params.to_bytes().unwrap_or_default();
    bytes.first_chunk::<2>().map_or(0, |bits| usize::from(u16::from_be_bytes(*bits)))
}

/// Returns until when a key is valid, as its latest signature says; none if it does not expire.
pub(crate) fn expiry(key: &impl KeyDetails, latest: &Signature) -> Option<i64> {
    let after = latest.key_expiration_time().map(|after| i64::from(after.as_secs())).filter(|after| *after != 0);
    after.map(|after| i64::from(key.created_at().as_secs()) + after)
}
