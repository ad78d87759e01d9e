//! Private keys and the decisions of whom to trust, on disk: making, choosing, importing and opening keys, the ssh-agent, the socket
//! by which git has a commit signed, the folder of trusted keys, and the verdicts of earlier checks.
//!
//! What a key or a decision *is* stands in `rye_trust`; here is where they are kept.

pub mod keys;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::id;
use rye_trust::trust;
