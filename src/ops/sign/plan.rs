//! What a commit is about to sign, decided before anything is written; and its performance.
//!
//! Order of the writes: all signatures are made, which a key or a person may still refuse; then blobs; then files, each
//! complete or not at all; then the index. Killed in between, some files are signed and not staged: the next run finds
//! them signed and stages them, and makes no second signature.

use super::super::locate::{LocateError, Locator, checked};
use super::changes::{Change, Place, Reach, changes};
use super::one::{line_by, signed_anew};
use super::standing::{Doubt, Judge, Standing};
use super::{Error, Item, Status, write};
use crate::format::Profile;
use crate::git::{Git, IndexEdit, Repository};
use crate::trust::{PublicKey, SignatureLine, SigningKey};

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

/// What is to be staged.
#[derive(Debug, Default)]
pub struct Staging {
    /// Entries of the index.
    pub edits: Vec<IndexEdit>,
    /// Files as they are in the work tree, removed ones too.
    pub files: Vec<String>,
}

/// What becomes of one item.
enum Step {
    Stay(SignatureLine),
    Write { line: SignatureLine, bytes: Vec<u8> },
}

impl Plan {
    /// Looks at what changed and decides whose it is to sign. Writes nothing, and needs no private key.
    ///
    /// # Errors
    ///
    /// Fails while a merge has conflicts in items, and when something cannot be read.
    pub fn of(locator: &Locator<'_>, reach: Reach<'_>, own: PublicKey) -> Result<Self, Error> {
        let found = changes(locator, reach)?;
        let (failures, removed) = (found.ambiguous, found.removed);
        let mut plan = Self { items: Vec::new(), failures, left: Vec::new(), removed };
        let Some(repository) = locator.repository().filter(|_| !found.changed.is_empty()) else { return Ok(plan) };
        let judge = Judge::new(locator, repository, own)?;
        for change in found.changed {
            let standing = judge.standing(&change)?;
            let raw = &change.raw;
            let is_asked_for = change.place != Place::File || matches!(reach, Reach::Paths(_));
            if !is_asked_for && matches!(&standing, Standing::Signed(line) if line.key_id != own.key_id()) {
                plan.left.push(change.path);
                continue;
            }
            if !matches!(standing, Standing::Signed(_))
                && let Err(failure) = checked(raw.subject(), raw.content(), Profile::Reference, &change.candidate.path)
            {
                plan.failures.push(failure);
            }
            plan.items.push(Planned { change, standing });
        }
        Ok(plan)
    }

    /// Lists the items that are not signed without a yes, with the reason.
    pub fn doubtful(&self) -> impl Iterator<Item = (&Change, &Doubt)> {
        self.items.iter().filter_map(|item| match &item.standing {
            Standing::Doubtful(doubt) => Some((&item.change, doubt)),
            Standing::Signed(_) | Standing::Own => None,
        })
    }

    /// Tells whether there is anything to sign or to stage.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.removed.is_empty()
            && self.items.iter().all(|item| {
                matches!((&item.standing, &item.change.place), (Standing::Signed(_), Place::Index { .. }))
            })
    }

    /// Signs what is to be signed, doubtful items too: whoever calls this has their yes. Returns what became of the
    /// items, and what is to be staged.
    ///
    /// # Errors
    ///
    /// Fails when a line would not hold in an item, when the key refuses, and when something cannot be written.
    pub fn sign(
        &self,
        locator: &Locator<'_>,
        repository: &Repository,
        key: &SigningKey,
    ) -> Result<(Vec<Item>, Staging), Error> {
        let steps = self.items.iter().map(|item| step(locator, item, key)).collect::<Result<Vec<_>, _>>()?;
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
            write_file(locator, &item.change, step)?;
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

fn step(locator: &Locator<'_>, item: &Planned, key: &SigningKey) -> Result<Step, Error> {
    if let Standing::Signed(line) = &item.standing {
        return Ok(Step::Stay(line.clone()));
    }
    let change = &item.change;
    // Signed in the work tree, and not staged since.
    if let Some(file) = change.file()
        && let Some(line) = line_by(&file, &key.public())
    {
        return Ok(Step::Write { line, bytes: file.content().clone() });
    }
    let (line, bytes) = signed_anew(&change.raw, &change.candidate.path, key, locator.context().now())?;
    Ok(Step::Write { line, bytes })
}

/// Replaces the file, where it is to follow.
fn write_file(locator: &Locator<'_>, change: &Change, step: &Step) -> Result<(), Error> {
    let Step::Write { bytes, .. } = step else { return Ok(()) };
    let read = match &change.place {
        Place::File => change.raw.content(),
        Place::Index { file: Some(file), .. } => file,
        Place::Index { file: None, .. } => return Ok(()),
    };
    if read == bytes { Ok(()) } else { write(locator, &change.candidate, read, bytes) }
}

fn outcome(change: &Change, step: &Step) -> Item {
    let (status, line) = match step {
        Step::Stay(line) => (Status::Unchanged, line),
        Step::Write { line, .. } => (Status::Signed, line),
    };
    super::item(&change.candidate, status, Some(line))
}
