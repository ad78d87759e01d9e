//! Digests, keys, signatures, and the type that says an item was verified.
//!
//! The formats are normative in docs/formats.md, section 4; the attacks they answer are in docs/threat-model.md.
//! Nothing here reads a file or a clock: keys and bytes come in, verdicts go out.

mod allowed_signers;
mod cache;
mod canonical;
mod commit;
mod envelope;
mod hash;
mod key;
mod key_text;
mod legacy;
mod line;
mod manifest;
mod note;
mod passphrase;
mod policy;
mod proposal;
mod revoked;
mod scope;
mod signed;
mod signer;
mod signers;
mod sshsig;
mod subject;
mod trusted;
mod verdict;

pub use allowed_signers::{AllowedSignersError, allowed_signers_line, parse_allowed_signers};
pub use cache::{CacheEntry, CacheSecret, VerdictCache};
pub use canonical::canonical_json;
pub use commit::CommitFault;
pub use envelope::Envelope;
pub use hash::{Blake3Hash, ContentHash, HashError};
pub use key::{KeyError, KeyId, PublicKey, SigningKey};
pub use key_text::{KeyText, LockedKey};
pub use legacy::Uncovered;
pub use line::{LineState, SignatureLine, Split, is_legacy_line, split};
pub use manifest::{Digests, Manifest, SignedManifest, TrustFile};
pub use note::{MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, Note, NoteError};
pub use passphrase::{NoPassphrase, Passphrase};
pub use policy::{PolicyError, Require, Requirement, TrustPolicy};
pub use proposal::{MANIFEST, ManifestFault, Proposal, Roots, TrustFiles, check_self, check_successor};
pub use revoked::{RevocationError, RevocationList, RevokedKey};
pub use scope::{Place, Scope};
pub use signed::{SignError, Signed, Unsignable, Unverified, Verified};
pub use signer::{Signer, SignerError};
pub use signers::Signatory;
pub use sshsig::{Namespace, RawSignature, SignedData, SshSigError, armored, verify_armored};
pub use subject::Subject;
pub use trusted::{TrustedKey, TrustedKeys};
pub use verdict::{Fault, Verdict};

use signers::people;

/// The most bytes a trust file may have.
pub const MAX_TRUST_FILE_BYTES: usize = 256 * 1024;
