//! What is to be signed: the bytes, and what the file holds that they go into.

use super::super::locate::{LocateError, subject};
use super::one::{Raw, Remarks, valid};
use crate::format::Finding;
use crate::trust::Signed;
use crate::workspace::Candidate;

/// What is to be signed.
pub(super) struct Work {
    pub(super) candidate: Candidate,
    /// The bytes to sign: the file's, or the manifest of a skill as its folder is now.
    pub(super) raw: Raw,
    /// What the file holds; none where there is no file yet.
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

    /// Validates it, and returns what is to be said of it all the same.
    pub(super) fn valid(&self) -> Result<Remarks, LocateError> {
        let mut remarks = valid(&self.raw, &self.candidate.path)?;
        remarks.idle.extend(self.remarks.iter().cloned());
        Ok(remarks)
    }
}
