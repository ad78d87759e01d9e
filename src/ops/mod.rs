//! The verbs: one file each, `Options` in, `Outcome` out.
//!
//! An `Outcome` is what `--json` prints, what MCP returns and what a tool call inside a thread sees: one struct. The
//! files know each other only through [`locate`], [`extends`], [`executors`], [`sign`] and [`verify`].

pub use rye_commit::{commit, hook, init, notes};
pub use rye_edit::{migrate, mv, new};
pub use rye_look::{diff, list, load, search, show};
pub use rye_run::{execute, executors, import, permissions, plugins};
pub use rye_share::{publish, pull, registries};
pub use rye_sign::{decisions, key, sign};
pub use rye_verify::{extends, lint, locate, verify};
