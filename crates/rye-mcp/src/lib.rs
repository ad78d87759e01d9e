//! The four primaries for AI clients, over stdin and stdout: requests become actions, and their results words.
//!
//! Asks `action` and never `thread`: what a client may do is decided where it is for a model. The sentences of errors are handed in by
//! the program.

pub mod mcp;

// The names by which the modules here know those below.
use rye_action::action;
use rye_context::context;
use rye_format::format;
use rye_id::{error, id};
use rye_item::{capability, item};
use rye_keys::keys;
use rye_look::{load, search};
use rye_process::process;
use rye_repository::git;
use rye_run::{execute, permissions};
use rye_session::session;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{extends, locate, project};
use rye_workspace::workspace;
