//! The surroundings of a run, captured once: environment, folders, clock, randomness and configuration.
//!
//! Nothing else in the program asks the environment, the time of day or the system's randomness.

pub mod context;

// The names by which the modules here know those below.
use rye_format::format;
use rye_id::id;
use rye_item::{capability, item};
use rye_redact::redact;
use rye_trust::trust;
