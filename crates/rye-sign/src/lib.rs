//! What says that somebody agrees: `sign` puts a person's or an agent's signature on items, countersigns them, and tells whose work a
//! change is; `decisions` adds, retires, revokes and accepts keys, and proposes a project's; `key` makes, shows and imports them.
//!
//! Planned first and shown, then performed: the key is opened by the first signature.

pub mod decisions;
pub mod key;
pub mod sign;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::{error, id};
use rye_item::{capability, item};
use rye_keys::keys;
use rye_repository::git;
use rye_trust::trust;
use rye_verify::{locate, project};
use rye_workspace::workspace;
