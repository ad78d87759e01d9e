//! The integration tests: one binary, one module per part of the program.
#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests make their own surroundings")]

mod action;
mod architecture;
mod attacks;
mod capability;
mod cli;
mod commit;
mod descriptors;
mod format;
mod fuzz;
mod git;
mod hook;
mod hostile_files;
mod index;
mod keys;
mod kills;
mod mcp;
mod mutations;
mod net;
mod notes;
mod plugin;
mod process;
mod readme;
mod redact;
mod registry;
mod sandbox;
mod schemas;
mod search;
mod session;
mod sign;
mod support;
mod thread;
mod trust;
mod trust_dir;
mod verify;
mod workspace;
