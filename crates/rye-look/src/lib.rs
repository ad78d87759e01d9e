//! Looking at items without changing anything: `list` and `search` find them, `load` gives their content, `show` also that of registries, and
//! `diff` what changed since they were signed.
//!
//! Search asks the index, and judges what a hit shows by the bytes it shows it from.

pub mod diff;
pub mod list;
pub mod load;
pub mod search;
pub mod show;

// The names by which the modules here know those below.
use rye_format::format;
use rye_id::id;
use rye_index::index;
use rye_item::{capability, item};
use rye_keys::keys;
use rye_process::process;
use rye_redact::redact;
use rye_registry::registry;
use rye_repository::git;
use rye_session::session;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{locate, project};
use rye_workspace::workspace;
