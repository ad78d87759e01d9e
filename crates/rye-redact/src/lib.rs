//! Secrets in texts: known values and known forms, found in time linear in the text and replaced by a mark that names their kind.

pub mod redact;

#[cfg(test)]
use rye_trust::trust;
