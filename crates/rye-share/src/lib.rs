//! Items that go to other people and come from them: `publish` makes packages of an item and what it needs and adds them to a registry,
//! `registries` keeps which registries are used and changes them, `pull` takes items of a registry and skills from git into a space.
//!
//! `pull` is two pullers, `registry` and `upstream`, over one lock, plan, place, writing and removal. A plan is shown before anything is
//! written, with whose keys would be trusted.

pub mod publish;
pub mod pull;
pub mod registries;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::id;
use rye_item::{capability, item};
use rye_keys::keys;
use rye_process::process;
use rye_redact::redact;
use rye_registry::registry;
use rye_repository::git;
use rye_session::session;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{extends, locate, project};
use rye_workspace::workspace;
