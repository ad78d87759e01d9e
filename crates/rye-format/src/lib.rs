//! Items, trust files, locks and plugins' manifests as text: reading and writing them, every rule with its findings, schemas, and the
//! migration of legacy forms; events of threads as text for people.
//!
//! Text in, values and findings out: no file, clock or network. The formats are normative in docs/formats.md.

pub mod format;

// The names by which the modules here know those below.
use rye_id::id;
use rye_item::{capability, event, item};
use rye_trust::trust;
