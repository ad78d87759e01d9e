//! Digests, keys, signatures, and the type that says an item was verified.
//!
//! The formats are normative in docs/formats.md, section 4; the attacks they answer are in docs/threat-model.md.
//! Nothing here reads a file or a clock: keys and bytes come in, verdicts go out.

mod allowed_signers;
mod canonical;
mod hash;
mod key;
mod key_text;
mod line;
mod passphrase;
mod signed;
mod signer;
mod sshsig;
mod subject;
mod trusted;
mod verdict;

pub use allowed_signers::{AllowedSignersError, allowed_signers_line, parse_allowed_signers};
pub use canonical::canonical_json;
pub use hash::{Blake3Hash, ContentHash, HashError};
pub use key::{KeyError, KeyId, PublicKey, SigningKey};
pub use key_text::{KeyText, LockedKey};
pub use line::{LineState, SignatureLine, Split, is_legacy_line, split};
pub use passphrase::{NoPassphrase, Passphrase};
pub use signed::{SignError, Signed, Unsignable, Unverified, Verified};
pub use signer::{Signer, SignerError};
pub use sshsig::{Namespace, RawSignature, SignedData, SshSigError, armored, verify_armored};
pub use subject::Subject;
pub use trusted::{TrustedKey, TrustedKeys};
pub use verdict::{Fault, Verdict};
