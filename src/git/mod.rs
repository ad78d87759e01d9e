//! The door to git: everything this program asks of a repository, and all of gix, which no other module sees.
//!
//! Invariants:
//! - Object ids cross the door as [`CommitId`], [`TreeId`] and [`BlobId`]; no gix type is in a public signature.
//! - No ambient environment variable is read (`GIT_DIR`, `GIT_INDEX_FILE`, `GIT_OBJECT_DIRECTORY` and the rest), so a
//!   git hook may run this program; what the person's environment says arrives through [`GitEnvironment`].
//! - Every object that is read is hashed again and compared with its id; replacements (`refs/replace/`) are off.
//! - Writing touches neither index, nor work tree, nor `HEAD`, nor any branch a work tree has checked out.
//! - [`Writer`] makes objects durable before a branch moves; the commit point is described there.
//!
//! Deliberately not here: fetching and pushing, checking signatures, packing (git's own `gc` does it).

mod branch;
mod durable;
mod environment;
mod error;
mod occupied;
mod oid;
mod open;
mod read;
mod reference;
mod repository;
mod signature;
mod status;
mod tree;
mod walk;
mod write;

pub use branch::BranchUpdate;
pub use environment::GitEnvironment;
pub use error::{Cause, Error};
pub use oid::{BlobId, CommitId, TreeId};
pub use read::{CommitInfo, CommitSignature};
pub use repository::{Head, ObjectFormat, Repository};
pub use signature::{Identity, Signature};
pub use tree::{Mode, TreeEdit, TreeEntry};
pub use write::{NewCommit, SignCommit, Writer};
