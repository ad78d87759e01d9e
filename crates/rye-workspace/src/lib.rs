//! The three spaces (project, user, system) and the project's files: every read and write goes by a handle on a folder, so that no
//! link leads out of it.
//!
//! Finds items and skills, reads and replaces their files durably, copies projects for tools, and takes changes back. The
//! system space is compiled in: `build.rs` collects this repository's own items.

pub mod workspace;

// The names by which the modules here know those below.
use rye_context::context;
use rye_id::{error, id};
use rye_item::{capability, item};
use rye_trust::trust;
