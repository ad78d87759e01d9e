//! Items written or rewritten: `new` begins one from a template, `mv` gives one another id and changes what refers to it, `migrate` turns
//! legacy forms into today's, `drafts` makes directives of the slash commands of AI clients.
//!
//! Nothing is written before the whole change is known and shown.

pub mod drafts;
pub mod migrate;
pub mod mv;
pub mod new;

// The names by which the modules here know those below.
use rye_format::format;
use rye_id::id;
use rye_item::{capability, item};
use rye_keys::keys;
use rye_registry::registry;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{extends, locate, project};
use rye_workspace::workspace;
