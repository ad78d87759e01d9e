//! A task that a person gives on the command line: what its run was refused, and the directive that it becomes.
//!
//! `need` reads what a call needs from the record, `usage` gathers the needs of a run, `draft` writes the directive.

mod draft;
mod need;
mod usage;

pub use draft::{DraftError, draft};
pub use need::Need;
pub use usage::{Refusals, refusals};
