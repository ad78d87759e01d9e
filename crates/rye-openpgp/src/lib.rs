//! OpenPGP certificates, and the detached signatures that they verify. Nothing here signs, or knows whom to trust.
//!
//! Invariants:
//! - A certificate is kept in its least form: the primary key, its own signatures that verify, and the subkeys that may sign.
//! - Weak keys and digests prove nothing: RSA of less than 2048 bits, DSA, MD5, SHA-1, RIPEMD.
//! - What its holder revoked signs nothing after that. What has expired makes no signature good, also none of before: as `gpg` has it.

mod certificate;
mod key_ring;
mod signature;
mod strength;

pub use certificate::{Certificate, CertificateError};
pub use signature::{DetachedSignature, SignatureError};
