//! What a commit is about to sign, decided before anything is written; and its performance.
//!
//! Order of the writes: all signatures are made, which a key or a person may still refuse; then blobs; then files, each
//! complete or not at all; then the index. Killed in between, some files are signed and not staged: the next run finds
//! them signed and stages them, and makes no second signature.

use serde::Serialize;

use super::super::locate::{LocateError, Session};
use super::changes::{Change, Changes, Place, Reach};
use super::error::Error;
use super::one::{Remarks, line_by, signed, valid};
use super::standing::{Doubt, Judge, Standing};
use super::{Item, Status, write};
use crate::git::{Git, IndexEdit, Repository};
use crate::id::{ItemId, ItemType};
use crate::trust::{PublicKey, SignatureLine, Signer, Subject};

/// What a commit is about to sign.
#[derive(Debug)]
pub struct Plan {
    /// The items with new content, by path.
    pub items: Vec<Planned>,
    /// What is wrong with those that cannot be signed.
    pub failures: Vec<LocateError>,
    /// Items of the work tree that somebody else signed as they stand: nobody staged or named them, so they are left
    /// alone. An older version of theirs would be as good a signature.
    pub left: Vec<String>,
    /// Files that cannot be read, each with the reason; they are left alone too.
    pub unreadable: Vec<String>,
    removed: Vec<String>,
}

/// One of them.
#[derive(Debug)]
pub struct Planned {
    /// The item.
    pub change: Change,
    /// Whose work it is.
    pub standing: Standing,
}

/// An item that is not signed without a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Doubtful {
    /// Its type.
    pub item_type: ItemType,
    /// Its id.
    pub item_id: ItemId,
    /// Its file, from the top of the work tree.
    pub path: String,
    /// Why not.
    #[serde(flatten)]
    pub doubt: Doubt,
}

/// What is to be staged.
#[derive(Debug, Default)]
pub struct Staging {
    /// Entries of the index.
    pub edits: Vec<IndexEdit>,
    /// Files as they are in the work tree, removed ones too.
    pub files: Vec<String>,
}

/// Names items that are not signed without a yes, in one sentence.
pub(in crate::ops) fn listed(doubts: &[Doubtful]) -> String {
    doubts.iter().map(|item| format!("`{}` ({})", item.path, item.doubt)).collect::<Vec<_>>().join(", ")
}

/// What becomes of one item.
enum Step {
    Stay(SignatureLine),
    Write { line: SignatureLine, bytes: Vec<u8> },
}

impl Plan {
    /// Decides of what changed whose it is to sign. Writes nothing, and needs no private key.
    ///
    /// # Errors
    ///
    /// Fails when something cannot be read.
    pub fn of(session: &Session, found: Changes, reach: Reach<'_>, own: PublicKey) -> Result<Self, Error> {
        let Changes { changed, removed, ambiguous: failures, unreadable } = found;
        let mut plan = Self { items: Vec::new(), failures, left: Vec::new(), unreadable, removed };
        let Some(repository) = session.repository().filter(|_| !changed.is_empty()) else { return Ok(plan) };
        let judge = Judge::new(session, &repository, own)?;
        for change in changed {
            let standing = judge.standing(&change)?;
            let raw = &change.raw;
            let is_asked_for = change.place != Place::File || matches!(reach, Reach::Paths(_));
            if !is_asked_for && matches!(&standing, Standing::Signed(line) if line.key_id != own.key_id()) {
                plan.left.push(change.path);
                continue;
            }
            if !matches!(standing, Standing::Signed(_))
                && let Err(failure) = valid(raw, &change.candidate.path)
            {
                plan.failures.push(failure);
            }
            plan.items.push(Planned { change, standing });
        }
        Ok(plan)
    }

    /// Lists the items that are not signed without a yes, with the reason.
    #[must_use]
    pub fn doubtful(&self) -> Vec<Doubtful> {
        let doubtful = |item: &Planned| match &item.standing {
            Standing::Doubtful(doubt) => {
                let (subject, path) = (item.change.raw.subject().clone(), item.change.path.clone());
                let Subject { item_type, item_id, .. } = subject;
                Some(Doubtful { item_type, item_id, path, doubt: doubt.clone() })
            }
            Standing::Signed(_) | Standing::Own => None,
        };
        self.items.iter().filter_map(doubtful).collect()
    }

    /// Signs what is to be signed, doubtful items too: whoever calls this has their yes. Returns what became of the
    /// items, and what is to be staged.
    ///
    /// # Errors
    ///
    /// Fails when a line would not hold in an item, when the key refuses, and when something cannot be written.
    pub fn sign(
        &self,
        session: &Session,
        repository: &Repository,
        signer: &dyn Signer,
    ) -> Result<(Vec<Item>, Staging), Error> {
        let steps = self.items.iter().map(|item| step(session, item, signer)).collect::<Result<Vec<_>, _>>()?;
        let mut staging = Staging { edits: Vec::new(), files: self.removed.clone() };
        let mut writer = repository.writer();
        for (item, step) in self.items.iter().zip(&steps) {
            match (&item.change.place, step) {
                (Place::File, _) => staging.files.push(item.change.path.clone()),
                (Place::Index { .. }, Step::Stay(_)) => {}
                (Place::Index { mode, .. }, Step::Write { bytes, .. }) => {
                    let (path, mode) = (item.change.path.clone(), *mode);
                    staging.edits.push(IndexEdit { path, mode, blob_id: writer.blob(bytes)? });
                }
            }
        }
        writer.sync()?;
        for (item, step) in self.items.iter().zip(&steps) {
            write_file(session, &item.change, step)?;
        }
        let items = self.items.iter().zip(&steps).map(|(item, step)| outcome(&item.change, step)).collect();
        Ok((items, staging))
    }
}

impl Staging {
    /// Stages all of it.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn perform(&self, git: &Git) -> Result<(), Error> {
        if !self.edits.is_empty() {
            git.update_index(&self.edits)?;
        }
        if !self.files.is_empty() {
            git.add(&self.files.iter().map(String::as_str).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

fn step(session: &Session, item: &Planned, signer: &dyn Signer) -> Result<Step, Error> {
    if let Standing::Signed(line) = &item.standing {
        return Ok(Step::Stay(line.clone()));
    }
    let change = &item.change;
    // Signed in the work tree, and not staged since.
    if let Some(file) = change.file()
        && let Some(line) = line_by(&file, &signer.public())
    {
        return Ok(Step::Write { line, bytes: file.content().clone() });
    }
    let (line, bytes) = signed(&change.raw, &change.candidate.path, signer, session.context().now())?;
    Ok(Step::Write { line, bytes })
}

/// Replaces the file, where it is to follow.
fn write_file(session: &Session, change: &Change, step: &Step) -> Result<(), Error> {
    let Step::Write { bytes, .. } = step else { return Ok(()) };
    let read = match &change.place {
        Place::File => change.raw.content(),
        Place::Index { file: Some(file), .. } => file,
        Place::Index { file: None, .. } => return Ok(()),
    };
    if read == bytes { Ok(()) } else { write(session, &change.candidate, read, bytes) }
}

fn outcome(change: &Change, step: &Step) -> Item {
    let (status, remarks, line) = match step {
        Step::Stay(line) => (Status::Unchanged, Remarks::default(), line),
        // It was valid when it was signed.
        Step::Write { line, .. } => {
            (Status::Signed, valid(&change.raw, &change.candidate.path).unwrap_or_default(), line)
        }
    };
    super::item(&change.candidate, status, remarks, Some(line))
}
