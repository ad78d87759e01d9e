//! What a project proposes: whom to trust, and the manifest that its roots sign.

mod changes;
mod check;
mod fault;
mod manifest;
mod pin;

pub use changes::{ChangeKind, TrustChange, trust_changes};
pub use check::{Proposal, TrustFiles, check_self, check_successor};
pub use fault::{MANIFEST, ManifestFault, Roots, TrustFile, trust_file_path};
pub use manifest::{ConfigDigest, Digests, Manifest, SignedManifest};
pub use pin::Pin;
