//! Going on with a thread that there is: taking it up again, or forking it from one of its turns.
//!
//! `restoration` derives the machine from the record, by a replay, and makes the tree again; `bounds` and `reissue` are the limits and
//! tokens from there on, `interruption` the calls that had no end. From there it is driven by `run`.

mod bounds;
mod fork;
mod interruption;
mod reissue;
mod restoration;
mod resume;

pub use fork::{ForkOptions, fork};
pub(super) use fork::{forkable, is_through};
pub use interruption::Unfinished;
pub use resume::{ResumeOptions, resume};
