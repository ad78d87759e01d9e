//! Signatures of items and commits: finding them, judging them, and the type that says an item was verified.

mod cache;
mod commit;
mod commit_fault;
mod detached;
mod envelope;
mod kind;
mod legacy;
mod line;
mod line_ends;
mod note;
mod signed;

pub use cache::{CacheEntry, CacheSecret, VerdictCache};
pub use commit::ThreadSigner;
pub use commit_fault::CommitFault;
pub use envelope::Envelope;
pub use kind::SignatureKind;
pub use line::{LineState, SignatureLine, Split, is_legacy_line, split};
pub use note::{MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, Note, NoteError};
pub use signed::{SignError, Signed, Unsignable, Unverified, Verified};
