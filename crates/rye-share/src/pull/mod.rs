//! `pull`: items of registries, and skills of git repositories, put into a space and recorded in its lock.
//!
//! Two pullers side by side: [`registry`] takes versions of items out of registries, [`upstream`] folders of skills out of git
//! repositories. Both make a plan, which fetches, checks and compares and changes nothing in a space, so that a person can agree
//! to it; and both perform it with the same parts: the lock, what is in the place of something, how it is written, and how a
//! run that was killed is recovered.

mod error;
mod lock;
mod outdated;
mod place;
mod plan;
mod recovery;
pub mod registry;
mod remove;
mod signature;
pub mod upstream;
mod write;

pub use self::error::Error;
pub use self::outdated::{Outdated, outdated};
pub use self::plan::Status;
pub use self::remove::{Removed, RemovedSkill, Unneeded, remove, remove_skill};
