//! Git repositories, read and written through gix: objects, refs, the index, status, work trees, notes, history, signatures.
//!
//! Beside gix, stock git is asked for what it alone does well (packing, fetching, hooks, filters), found outside of the project
//! and with an environment that leads nowhere else. What the objects mean is told above: threads, registries and verification.

pub mod git;

// The names by which the modules here know those below.
use rye_context::context;
use rye_item::capability;
use rye_item::item;
use rye_redact::redact;
use rye_trust::trust;
