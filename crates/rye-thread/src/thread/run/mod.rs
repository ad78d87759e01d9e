//! Running a thread from its beginning: what is decided before, the loop that performs, and the calls of a turn.
//!
//! `preparation` and `prerequisites` come before anything is written, `start` begins. `course` is the order of things, which a
//! replay follows too; `driver` performs it with `performer`, `batch` and `keeper`; `scribe` writes down. Taking a thread up
//! again is in `continuation`.

mod batch;
mod call_result;
mod course;
mod driver;
mod grant;
mod keeper;
mod observer;
mod performer;
mod preparation;
mod prerequisites;
mod scribe;
mod secret_mark;
mod set_up;
mod start;
mod traces;

pub(super) use call_result::{is_abridged, is_shown_of};
pub(super) use course::{Call, Course, Host, Step};
pub(super) use driver::{Going, Ground, go};
pub(super) use grant::{Declared, asked};
pub use observer::{Observer, Stage, Tally, Undecided};
pub(super) use performer::{Work, exclusions};
pub use preparation::RunOptions;
pub(super) use preparation::{Prepared, mint, request, script};
pub(super) use prerequisites::Ready;
pub(super) use set_up::{is_to_be_made, make as make_set_up};
pub use start::run;
pub(super) use start::{Place, Wanted, drive, furnish, make_tree};
pub(super) use traces::Traces;
