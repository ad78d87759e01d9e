//! Digests, keys, signature lines, verdicts, trust files as values, and the type that says an item was verified.
//!
//! Bytes and keys come in, verdicts go out: no file is read here and no clock. The formats are docs/formats.md, section 4.

pub mod trust;

// The names by which the modules here know those below.
use rye_id::id;
