//! What a model, a hook or a client may do with items: a call is parsed into an `Action`, `permit` checks it against an `Authority`, and
//! `perform` does what was permitted, under bounds.
//!
//! What a verb on a thread needs of its signatures is in `need`.
//! What it may use is judged here, too: `harness` counts limits, `hooks` says which of them fire, `returns` holds outputs.
//!
//! Threads and the MCP server reach tools through here and nowhere else: there is one check, and one type for what passed it.

pub mod action;
pub mod allowance;
pub mod harness;
pub mod hooks;
pub mod need;
pub mod returns;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::{error, id};
use rye_item::{capability, event, item};
use rye_keys::keys;
use rye_look::{load, search};
use rye_redact::redact;
use rye_repository::git;
use rye_run::execute;
use rye_session::session;
use rye_share::{publish, pull};
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::locate;
use rye_workspace::workspace;
