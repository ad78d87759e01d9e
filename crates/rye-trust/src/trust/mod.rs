//! Digests, keys, signatures, and the type that says an item was verified.
//!
//! The formats are normative in docs/formats.md, section 4; the attacks they answer are in docs/threat-model.md.
//! Nothing here reads a file or a clock: keys and bytes come in, verdicts go out.

mod canonical;
mod coverage;
mod hash;
mod key;
mod proposal;
mod signature;
mod subject;
mod trusted;
mod verdict;

pub use canonical::canonical_json;
pub use coverage::Uncovered;
pub use hash::{Blake3Hash, ContentHash, HashError};
pub use key::{
    KeyError, KeyId, KeyText, LockedKey, Namespace, NoPassphrase, Passphrase, PublicKey, RawSignature, SignedData,
    Signer, SignerError, SigningKey, SshSigError, armored, verify_armored,
};
pub use proposal::{
    ChangeKind, ConfigDigest, Digests, MANIFEST, Manifest, ManifestFault, Pin, Proposal, Roots, SignedManifest,
    TrustChange, TrustFile, TrustFiles, check_self, check_successor, trust_changes, trust_file_path,
};
pub use signature::{
    CacheEntry, CacheSecret, CommitFault, Envelope, LineState, MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, Note, NoteError,
    SignError, SignatureKind, SignatureLine, Signed, Split, ThreadSigner, Unsignable, Unverified, VerdictCache,
    Verified, is_legacy_line, split,
};
pub use subject::Subject;
pub use trusted::{
    AllowedSigners, CommitPasses, Place, PolicyError, Require, Requirement, RevocationError, RevocationList,
    RevokedKey, Scope, Signatory, SkippedLine, TrustPolicy, TrustedKey, TrustedKeys, agent_of, allowed_signers_line,
    holder_in, is_principal, parse_allowed_signers, remove_signer, rename_signer, retire_signer, with_revoked,
    with_signers,
};
pub use verdict::{Fault, Predecessor, Verdict};

use trusted::people;

/// The most bytes a trust file may have.
pub const MAX_TRUST_FILE_BYTES: usize = 256 * 1024;
