//! A task that a person gives on the command line, after its thread ended: what it was refused, and the directive that it becomes.
//!
//! Both are read from the thread's record. Running the task is the thread's business.

pub mod task;

// The names by which the modules here know those below.
use rye_format::format;
use rye_id::id;
use rye_item::{capability, event, item};
use rye_repository::git;
use rye_session::session;
use rye_thread::thread;
