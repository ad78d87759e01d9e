//! What an item may do, what it is, and what happens in a thread, as values: capabilities, path rules and signed tokens; directives, tools,
//! knowledge, their inputs, limits and conditions; events.
//!
//! No file, clock, environment or network: permission checks and limits are pure.

pub mod capability;
pub mod event;
pub mod item;

// The names by which the modules here know those below.
use rye_id::id;
use rye_trust::trust;
