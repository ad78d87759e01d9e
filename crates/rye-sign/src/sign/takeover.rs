//! An item that a person takes over from a thread: whose it is needs no proof, and whatever line it carries, it gets the
//! person's.

use std::path::{Path, PathBuf};

use super::super::locate::LocateError;
use super::error::Error;
use super::notice::{Pending, delta_of};
use super::one::{Raw, signed, valid};
use super::origin::Origin;
use super::outcome::{Item, Status, item};
use crate::format::reveal;
use crate::id::{Space, Timestamp};
use crate::trust::{Signed, Signer, Subject};
use crate::workspace::Candidate;

/// An item of a thread, not signed by the person yet.
#[derive(Debug)]
pub struct TakenItem {
    path: String,
    file: PathBuf,
    raw: Raw,
    before: Option<Raw>,
    branch: String,
}

impl TakenItem {
    /// Takes the bytes of an item at a path from the top of the work tree `root`, and what the person's branch has there.
    ///
    /// # Errors
    ///
    /// Fails on an item that is not valid.
    pub fn new(
        root: &Path,
        path: &str,
        subject: &Subject,
        [before, after]: [Option<Vec<u8>>; 2],
        branch: &str,
    ) -> Result<Self, LocateError> {
        let raw = |bytes| Signed::new(subject.clone(), bytes).in_space(Space::Project);
        let (file, after) = (root.join(path), raw(after.unwrap_or_default()));
        valid(&after, &file)?;
        Ok(Self { path: path.to_owned(), file, raw: after, before: before.map(raw), branch: branch.to_owned() })
    }

    /// Returns the path, from the top of the work tree.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what its person should know before they sign it.
    #[must_use]
    pub fn pending(&self) -> Pending {
        let Subject { item_type, item_id, .. } = self.raw.subject().clone();
        let text = String::from_utf8_lossy(self.raw.content());
        Pending {
            item_type,
            item_id,
            path: self.path.clone(),
            origin: Origin::Thread { branch: self.branch.clone() },
            verdict: None,
            delta: delta_of(self.before.as_ref(), &self.raw),
            hides: reveal(&text) != text,
        }
    }

    /// Signs it: its new bytes, and the notes about it. Nothing is written.
    ///
    /// # Errors
    ///
    /// Fails when no line would hold in it, and when the key refuses.
    pub fn sign(&self, signer: &dyn Signer, now: Timestamp) -> Result<(Vec<u8>, Item), Error> {
        let (line, bytes) = signed(&self.raw, &self.file, signer, now)?;
        let remarks = valid(&self.raw, &self.file).unwrap_or_default();
        let Subject { item_type, item_id, extension } = self.raw.subject().clone();
        let candidate = Candidate { space: Space::Project, item_type, id: item_id, extension, path: self.file.clone() };
        Ok((bytes, item(&candidate, Status::Signed, remarks, Some(&line))))
    }
}
