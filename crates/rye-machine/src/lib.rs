//! The machine of a thread: inputs in, effects out, and no other way to the world.
//!
//! The same inputs give the same thread, live and in a replay.

pub mod machine;

// The names by which the module here knows those below.
use rye_action::action;
use rye_format::format;
use rye_id::id;
use rye_item::{capability, event, item};
use rye_run::{execute, project_words};
