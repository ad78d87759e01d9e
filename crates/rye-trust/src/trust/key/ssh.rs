//! SSH keys of other types than Ed25519: ECDSA, RSA, and those of security keys.
//!
//! Invariants:
//! - Weak keys are refused: RSA of less than 2048 bits, DSA, and points of small order.
//! - RSA signatures count by SHA-2 only, and those of security keys only if a person touched the key (PROTOCOL.u2f).

use ed25519_dalek::Verifier as _;
use sha2::{Digest as _, Sha256};
use ssh_key::public::{KeyData, RsaPublicKey, SkEd25519};
use ssh_key::{Algorithm, HashAlg, Signature};

use super::error::{KeyError, SshSigError};
use super::key_id::KeyId;
use crate::trust::ContentHash;

/// The fewest and the most bits of an RSA key that can be used.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// The flag of a security key's signature: a person touched the key.
const USER_PRESENT: u8 = 1;

/// Flags and counter, behind the signature of a security key.
const TAIL: usize = 5;

/// How a point begins that is not compressed: the form that OpenSSH writes.
const UNCOMPRESSED: u8 = 4;

/// A key that OpenSSH signs with.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::trust) struct SshKey(KeyData);

impl SshKey {
    /// Takes a key, unless it is weak or of a type that is not known here.
    pub(super) fn new(data: &KeyData) -> Result<Self, KeyError> {
        match data {
            KeyData::Rsa(key) => {
                let bits = bits(key);
                if !RSA_BITS.contains(&bits) {
                    return Err(KeyError::RsaBits { bits });
                }
            }
            KeyData::Ecdsa(key) => check_point(key.as_sec1_bytes())?,
            KeyData::SkEcdsaSha2NistP256(key) => check_point(key.ec_point().as_bytes())?,
            KeyData::SkEd25519(key) => drop(strong(key)?),
            other => return Err(KeyError::other(&other.algorithm())),
        }
        Ok(Self(data.clone()))
    }

    /// Returns the key as OpenSSH writes it: its type and its bytes in base64.
    pub(super) fn to_text(&self) -> String {
        self.to_public().to_openssh().expect("because a key that was read encodes into memory")
    }

    /// Returns the key as inside of other structures of OpenSSH.
    pub(super) fn to_wire(&self) -> Vec<u8> {
        self.to_public().to_bytes().expect("because a key that was read encodes into memory")
    }

    /// Returns OpenSSH's fingerprint.
    pub(super) fn fingerprint(&self) -> String {
        self.to_public().fingerprint(HashAlg::Sha256).to_string()
    }

    /// Computes the key id: the beginning of the fingerprint, in hexadecimal digits.
    pub(super) fn key_id(&self) -> KeyId {
        KeyId::of_digest(ContentHash::of(&self.to_wire()))
    }

    pub(super) const fn data(&self) -> &KeyData {
        &self.0
    }

    /// Checks a signature over the signed data of an SSHSIG.
    pub(super) fn check(&self, signed: &[u8], signature: &Signature) -> Result<(), SshSigError> {
        let fits = match &self.0 {
            KeyData::Rsa(key) => is_by_rsa(key, signed, signature),
            KeyData::SkEd25519(key) => touched(&self.0, signature)? && is_by_sk_ed25519(key, signed, signature),
            KeyData::SkEcdsaSha2NistP256(_) => touched(&self.0, signature)? && self.0.verify(signed, signature).is_ok(),
            KeyData::Ecdsa(_) => {
                signature.algorithm() == self.0.algorithm() && self.0.verify(signed, signature).is_ok()
            }
            _ => false,
        };
        if fits { Ok(()) } else { Err(SshSigError::Mismatch) }
    }

    fn to_public(&self) -> ssh_key::PublicKey {
        ssh_key::PublicKey::from(self.0.clone())
    }
}

/// Counts the bits of a modulus.
fn bits(key: &RsaPublicKey) -> usize {
    let modulus = key.n().as_positive_bytes().unwrap_or_default();
    modulus.first().map_or(0, |first| modulus.len() * 8 - first.leading_zeros() as usize)
}

/// One key has one spelling.
fn check_point(point: &[u8]) -> Result<(), KeyError> {
    if point.first() == Some(&UNCOMPRESSED) { Ok(()) } else { Err(KeyError::NoKey) }
}

fn strong(key: &SkEd25519) -> Result<ed25519_dalek::VerifyingKey, KeyError> {
    let key = ed25519_dalek::VerifyingKey::try_from(key.public_key()).map_err(|_| KeyError::Weak)?;
    if key.is_weak() { Err(KeyError::Weak) } else { Ok(key) }
}

/// Tells whether a signature is one of a security key of this type; one without a touch is refused.
fn touched(key: &KeyData, signature: &Signature) -> Result<bool, SshSigError> {
    let bytes = signature.as_bytes();
    let Some(flags) = bytes.len().checked_sub(TAIL).map(|at| bytes[at]) else { return Ok(false) };
    if signature.algorithm() != key.algorithm() {
        return Ok(false);
    }
    if flags & USER_PRESENT == 0 { Err(SshSigError::Untouched) } else { Ok(true) }
}

/// The key signs the digests of its application and of the data, and between them its flags and counter.
fn is_by_sk_ed25519(key: &SkEd25519, signed: &[u8], signature: &Signature) -> bool {
    let bytes = signature.as_bytes();
    let (raw, tail) = bytes.split_at(bytes.len() - TAIL);
    let message = [&Sha256::digest(key.application())[..], tail, &Sha256::digest(signed)[..]].concat();
    let Ok(raw) = ed25519_dalek::Signature::from_slice(raw) else { return false };
    strong(key).is_ok_and(|key| key.verify_strict(&message, &raw).is_ok())
}

/// Some signers leave leading zeros out of a signature; it is as long as the modulus.
fn is_by_rsa(key: &RsaPublicKey, signed: &[u8], signature: &Signature) -> bool {
    let algorithm @ Algorithm::Rsa { hash: Some(_) } = signature.algorithm() else { return false };
    let length = bits(key).div_ceil(8);
    let Some(missing) = length.checked_sub(signature.as_bytes().len()) else { return false };
    let whole = [vec![0; missing], signature.as_bytes().to_vec()].concat();
    Signature::new(algorithm, whole).is_ok_and(|whole| KeyData::Rsa(key.clone()).verify(signed, &whole).is_ok())
}
