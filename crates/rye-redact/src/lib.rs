//! Secrets in texts: known values and known forms, found in time linear in the text and replaced by a mark that names their kind.
//!
//! Whole texts and texts that arrive in pieces. Which values are known, and where marks may stand, is the caller's.

pub mod redact;

use rye_trust::trust;
