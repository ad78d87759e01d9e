//! The text to sign: the bytes, and the file's content around them.

use super::super::locate::{LocateError, subject};
use super::one::{Raw, Remarks, valid};
use crate::format::Finding;
use crate::trust::Signed;
use crate::workspace::Candidate;

/// The text to sign.
pub(super) struct Work {
    pub(super) candidate: Candidate,
    /// The bytes to sign: the file's, or the manifest of a skill as its folder is now.
    pub(super) raw: Raw,
    /// The content of the file; `None` without a file.
    pub(super) before: Option<Vec<u8>>,
    /// What whoever signs should know besides what the bytes say.
    pub(super) remarks: Vec<Finding>,
}

impl Work {
    /// What the file of an item holds.
    pub(super) fn on(candidate: &Candidate, bytes: Vec<u8>) -> Self {
        let raw = Signed::new(subject(candidate), bytes.clone()).in_space(candidate.space);
        Self { candidate: candidate.clone(), raw, before: Some(bytes), remarks: Vec::new() }
    }

    /// Validates it, and returns its warnings.
    pub(super) fn valid(&self) -> Result<Remarks, LocateError> {
        let mut remarks = valid(&self.raw, &self.candidate.path)?;
        remarks.idle.extend(self.remarks.iter().cloned());
        Ok(remarks)
    }
}
