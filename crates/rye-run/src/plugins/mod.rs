//! `plugin`: the plugins that a person installs, and signing one's own.
//!
//! - `sign`: digests, sizes and a signature for the folder of an author.
//! - `install`: a plugin, first checked, then written.
//! - `list`: the installed plugins, and whether each counts.
//! - `info`: the facts about one plugin.

mod error;
mod info;
mod install;
mod list;
mod sign;

pub use error::Error;
pub use info::{Info, SignedBy};
pub use install::{Change, InstallOptions, InstallOutcome, Review, review};
pub use list::{
    Finding, ListOutcome, Listed, RemoveOutcome, VerifyOutcome, VerifyStatus, check_can_open, check_installed, info,
    list, remove, verify,
};
pub use sign::{SignOutcome, SignStatus, SignedLibrary, sign};
