//! Keys: as values and as text, and the signatures they make.

mod ed25519;
mod error;
mod key_id;
mod other;
mod passphrase;
mod signer;
mod ssh;
pub(super) mod sshsig;
mod text;

pub use ed25519::{PublicKey, SigningKey};
pub use error::{KeyError, SshSigError};
pub use key_id::KeyId;
pub(in crate::trust) use other::OPENPGP;
pub use passphrase::{NoPassphrase, Passphrase};
pub use signer::{Signer, SignerError};
pub use sshsig::{Namespace, RawSignature, SignedData, armored, verify_armored};
pub use text::{KeyText, LockedKey};
