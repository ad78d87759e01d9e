//! What people do with their threads: name, list, compare, share, run again, and remove them.
//!
//! Each file is one verb or what several of them need. None of them runs a thread; accepting is a folder of its own.

mod comparison;
pub(super) mod diff;
mod fetch;
mod housekeeping;
mod list;
mod lookup;
mod pending;
mod push;
mod remote_list;
mod remove;
mod rerun;
mod share;

pub use comparison::{Call, CallPair, Comparison, FilePair, OutputPair, Run, RunDifference, compare, show_stat};
pub use diff::{Diff, DiffPath, diff, page, show_diff};
pub use fetch::{FetchStatus, Fetched, FetchedThread, fetch};
pub use housekeeping::{Tidied, tidy};
pub use list::{ListOptions, ListOutcome, list, select};
pub use lookup::{find, find_for, has_fetched};
pub use pending::pending;
pub use push::{Push, Pushed, PushedThread, Shared, push, pushable};
pub use remote_list::{FetchedList, ListedFetched, list_fetched};
pub use remove::{Removable, RemoveOptions, Removed, removable, remove};
pub use rerun::rerun_options;
pub use share::{ShareOutcome, share};
