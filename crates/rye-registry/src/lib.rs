//! Registries: the append-only log, its proofs and checkpoints, packages, the mirror of each on disk, and the sources of skills.
//!
//! Read over git or plain HTTP, checked before anything is believed; what was seen is remembered, so that a registry cannot go back.
//! What is done with what they hold (pull, publish) is told above.

pub mod registry;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::id;
use rye_item::{capability, item};
use rye_net::net;
use rye_redact::redact;
use rye_repository::git;
use rye_trust::trust;
