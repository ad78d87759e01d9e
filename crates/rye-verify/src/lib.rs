//! Projects, and what verifies their items without anything that runs them: no network, no plugins, no
//! program started.
//!
//! A `project::Project` is a context, its three spaces, the repository around, and whom the person trusts there. `locate` leads from
//! a name to an item whose signature was judged, `extends` does so for a chain of directives, and `verify` judges every item of a
//! work tree, a commit or a range, with the commits' own signatures and the trust files, in one pass. `lint` looks at how items are
//! written, signed or not.
//!
//! For other programs: docs/library.md shows what a small one makes of this.

pub mod extends;
pub mod lint;
pub mod locate;
pub mod project;
pub mod verify;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::id;
use rye_item::{capability, item};
use rye_keys::keys;
use rye_redact::redact;
use rye_repository::git;
use rye_trust::trust;
use rye_workspace::workspace;
