//! The program as people and scripts see it: every command's whole stdout, stderr and exit code.
//!
//! Snapshots are refreshed with `SNAPSHOTS=overwrite cargo test --test it cli::`. Read what changed: each is a promise.

mod agent_clients;
mod asking;
mod authority;
mod bad_input;
mod commands;
mod companions;
mod confined;
mod diff;
mod doctor;
mod executors;
mod fitting;
mod for_shells;
mod help;
mod hints_that_work;
mod import_commands;
mod in_tool;
mod json;
mod legacy;
mod line_ends;
mod lint;
mod long_texts;
mod looked_up;
mod migrate;
mod mistakes;
mod named_files;
mod naming;
mod new;
mod no_effect;
mod output_paths;
mod permissions;
mod reference;
mod refusals;
mod relations;
pub(crate) mod sarif;
mod scripts;
mod status;
mod streams;
mod threads;
mod trust;
mod unread;
mod usage;
mod waiting;
mod widths;
