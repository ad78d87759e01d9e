//! Verbs that work with the person's own git: `commit` signs what is new to a commit and has stock git make it, `hook` does the same from
//! git's hooks and guards pushes, `notes` keeps signatures of commits, `init` makes a folder a workspace.
//!
//! Git itself is run here, with the person's configuration, for what only it does: committing, hooks, fetching and pushing notes.

pub mod commit;
mod draft;
pub mod hook;
pub mod init;
pub mod notes;
mod proof;

// The names by which the modules here know those below.
use rye_context::context;
use rye_id::id;
use rye_item::item;
use rye_keys::keys;
use rye_process::process;
use rye_redact::redact;
use rye_repository::git;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{locate, project, verify};
use rye_workspace::workspace;
