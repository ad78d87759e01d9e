//! A thread's private work tree, and what changed in it: made, compared with the record, and removed.
//!
//! `own_tree` is the tree, `changes` what git stores of it, `person_tree` the person's own where a thread works in place. What of
//! it is committed is decided by the run and written by `record`.

mod change;
mod changes;
mod clean_filter;
pub(super) mod difference;
mod fault;
mod nested_repositories;
pub(super) mod own_tree;
pub(super) mod person_tree;

pub(super) use change::{Change, MAX_FILE_BYTES, Rules};
pub(super) use changes::Changes;
pub(super) use clean_filter::runner;
pub use difference::DiffKind;
pub(super) use fault::{FAULTS, Fault};
pub(super) use own_tree::{OwnTree, State, Taken};
pub(super) use person_tree::InPlace;
