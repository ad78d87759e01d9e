//! Keys: as values and as text, and the signatures they make.

mod ed25519;
mod other;
mod passphrase;
mod signer;
mod ssh;
pub(super) mod sshsig;
mod text;

pub use ed25519::{KeyError, KeyId, PublicKey, SigningKey};
pub use passphrase::{NoPassphrase, Passphrase};
pub use signer::{Signer, SignerError};
pub use sshsig::{Namespace, RawSignature, SignedData, SshSigError, armored, verify_armored};
pub use text::{KeyText, LockedKey};
