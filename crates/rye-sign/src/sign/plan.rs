//! What a commit is about to sign, decided before anything is written; and its performance.
//!
//! Order of the writes: all signatures are made, which a key or a person may still refuse; then blobs; then files, each
//! complete or not at all; then the index. A failure undoes the writes before it. Killed in between, some files are
//! signed and not staged: the next run finds them signed and stages them, and makes no second signature.

use super::super::locate::{LineEnds, LocateError};
use super::authorship::{Judge, Standing};
use super::change::{Change, Changes, Place, Reach};
use super::error::Error;
use super::notice::{Delta, Pending, delta_of};
use super::one::{Remarks, line_by, signed, valid};
use super::origin::Origin;
use super::{Item, Status, write};
use crate::context::CommitSigning;
use crate::error::with_causes;
use crate::format::reveal;
use crate::git::{Git, IndexEdit, Repository};
use crate::project::Project;
use crate::trust::{PublicKey, SignatureLine, Signer, Subject};

/// What a commit is about to sign.
#[derive(Debug)]
pub struct Plan {
    /// The items with new content, by path.
    pub items: Vec<Planned>,
    /// The faults of those that cannot be signed.
    pub failures: Vec<LocateError>,
    /// Items of the work tree with another person's valid signature: they are neither staged nor named, so they are
    /// left alone. An older version of theirs would be as good a signature.
    pub left: Vec<String>,
    /// Files that cannot be read, each with the reason; they are left alone too.
    pub unreadable: Vec<String>,
    /// Files of which only the line ends changed since they were signed; they are left alone too.
    pub converted: Vec<(String, LineEnds)>,
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

/// The paths to stage.
#[derive(Debug, Default)]
pub struct Staging {
    /// Entries of the index.
    pub edits: Vec<IndexEdit>,
    /// Files as they are in the work tree, removed ones too.
    pub files: Vec<String>,
    /// What the entries of the index were.
    before: Vec<IndexEdit>,
}

/// What becomes of one item.
enum Step {
    Stay(SignatureLine),
    Write { line: SignatureLine, bytes: Vec<u8> },
}

impl Plan {
    /// Tells whether nothing is to be signed or staged.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.items.is_empty() && self.removed.is_empty()
    }

    /// Decides of what changed whose it is to sign. Writes nothing, and needs no private key.
    pub fn of(project: &Project, found: Changes, reach: Reach<'_>, own: Option<PublicKey>) -> Result<Self, Error> {
        let Changes { changed, removed, ambiguous: failures, unreadable } = found;
        let (items, left, converted) = (Vec::new(), Vec::new(), Vec::new());
        let mut plan = Self { items, failures, left, unreadable, converted, removed };
        let Some(repository) = project.repository().filter(|_| !changed.is_empty()) else { return Ok(plan) };
        let judge = Judge::new(project, &repository, own, &changed)?;
        for change in changed {
            if change.place == Place::File
                && let Some(ends) = LineEnds::of(project, &change.path, &change.raw)
            {
                plan.converted.push((change.path, ends));
                continue;
            }
            let standing = judge.standing(&change);
            let raw = &change.raw;
            let is_asked_for = change.place != Place::File || matches!(reach, Reach::Paths(_));
            let is_own = |line: &SignatureLine| own.is_some_and(|own| own.key_id() == line.key_id);
            if !is_asked_for && matches!(&standing, Standing::Signed(line) if !is_own(line)) {
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

    /// Lists the items that would be signed and that their person is to be asked about.
    #[must_use]
    pub fn pending(&self, signing: CommitSigning) -> Vec<Pending> {
        let is_asked = |origin: &Origin| match signing {
            CommitSigning::Ask => true,
            CommitSigning::Own => *origin != Origin::Own,
        };
        let pending = |item: &Planned| match &item.standing {
            Standing::ToSign(origin) if is_asked(origin) => {
                let (subject, path) = (item.change.raw.subject().clone(), item.change.path.clone());
                let Subject { item_type, item_id, .. } = subject;
                let text = String::from_utf8_lossy(item.change.raw.content());
                let (delta, hides) = (delta(&item.change), reveal(&text) != text);
                Some(Pending { item_type, item_id, path, origin: origin.clone(), verdict: None, delta, hides })
            }
            Standing::ToSign(_) | Standing::Signed(_) | Standing::SignedInFile => None,
        };
        self.items.iter().filter_map(pending).collect()
    }

    /// Lists the files of the work tree with CRLF.
    pub fn files_with_crlf(&self) -> impl Iterator<Item = &str> {
        let files = self.items.iter().map(|item| &item.change).filter(|change| change.place == Place::File);
        let has_crlf = |change: &&Change| change.raw.content().windows(2).any(|pair| pair == b"\r\n");
        files.filter(has_crlf).map(|change| change.path.as_str())
    }

    /// Tells whether the plan signs an unsigned item.
    #[must_use]
    pub fn signs(&self) -> bool {
        self.items.iter().any(|item| match item.standing {
            Standing::ToSign(_) | Standing::SignedInFile => true,
            Standing::Signed(_) => false,
        })
    }

    /// Signs the items, and has them staged: the caller has the person's consent to the [pending](Self::pending) ones.
    /// Returns what became of the items.
    ///
    /// # Errors
    ///
    /// Fails when a line would not hold in an item, when the key refuses, when something cannot be written, and when `stage`
    /// fails: every file is as it was then.
    pub fn sign<E: std::error::Error + From<Error> + 'static>(
        &self,
        project: &Project,
        repository: &Repository,
        signer: &dyn Signer,
        stage: impl FnOnce(&Staging) -> Result<(), E>,
    ) -> Result<Vec<Item>, E> {
        let steps = self.items.iter().map(|item| step(project, item, signer)).collect::<Result<Vec<_>, _>>()?;
        let staging = self.staging(repository, &steps)?;
        let mut written = Written { project, files: Vec::new() };
        let mut files = self.items.iter().zip(&steps);
        let done = files.try_for_each(|(item, step)| written.write(&item.change, step)).map_err(E::from);
        if let Err(error) = done.and_then(|()| stage(&staging)) {
            written.take_back(&error)?;
            return Err(error);
        }
        Ok(self.items.iter().zip(&steps).map(|(item, step)| outcome(&item.change, step)).collect())
    }

    /// Writes the blobs of what the index is to get.
    fn staging(&self, repository: &Repository, steps: &[Step]) -> Result<Staging, Error> {
        let mut staging = Staging { files: self.removed.clone(), ..Staging::default() };
        let mut writer = repository.writer();
        for (item, step) in self.items.iter().zip(steps) {
            match (&item.change.place, step) {
                (Place::File, _) => staging.files.push(item.change.path.clone()),
                (Place::Index { .. }, Step::Stay(_)) => {}
                (Place::Index { mode, .. }, Step::Write { bytes, .. }) => {
                    let entry = |blob_id| IndexEdit { path: item.change.path.clone(), mode: *mode, blob_id };
                    staging.before.push(entry(repository.blob_id_of(item.change.raw.content())));
                    staging.edits.push(entry(writer.blob(bytes)?));
                }
            }
        }
        writer.sync()?;
        Ok(staging)
    }
}

impl Staging {
    /// Stages all of it, or nothing.
    ///
    /// # Errors
    ///
    /// Fails when git does.
    pub fn perform(&self, git: &Git) -> Result<(), Error> {
        if !self.edits.is_empty() {
            git.update_index(&self.edits)?;
        }
        if self.files.is_empty() {
            return Ok(());
        }
        let added = git.add(&self.files.iter().map(String::as_str).collect::<Vec<_>>());
        if added.is_err() && !self.edits.is_empty() {
            git.update_index(&self.before)?;
        }
        Ok(added?)
    }
}

fn delta(change: &Change) -> Delta {
    match (change.before.first(), change.moved_from.first()) {
        (None, Some(from)) => Delta::Moved { from: from.item_id.clone() },
        (before, _) => delta_of(before, &change.raw),
    }
}

fn step(project: &Project, item: &Planned, signer: &dyn Signer) -> Result<Step, Error> {
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
    let (line, bytes) = signed(&change.raw, &change.candidate.path, signer, project.context().now())?;
    Ok(Step::Write { line, bytes })
}

/// The files that were replaced.
struct Written<'a> {
    project: &'a Project,
    /// Each with what it held, and what it holds now.
    files: Vec<(&'a Change, &'a [u8], &'a [u8])>,
}

impl<'a> Written<'a> {
    /// Replaces the file, where it is to follow.
    fn write(&mut self, change: &'a Change, step: &'a Step) -> Result<(), Error> {
        let Step::Write { bytes, .. } = step else { return Ok(()) };
        let read = match &change.place {
            Place::File => change.raw.content(),
            Place::Index { file: Some(file), .. } => file,
            Place::Index { file: None, .. } => return Ok(()),
        };
        if read != bytes {
            write(self.project, &change.candidate, Some(read), bytes)?;
            self.files.push((change, read, bytes));
        }
        Ok(())
    }

    /// Gives every file back what it held, because of `error`. One that was changed meanwhile stays as it is.
    fn take_back(self, error: &(dyn std::error::Error + 'static)) -> Result<(), Error> {
        let Self { project, files } = self;
        let is_left = |(change, read, bytes): &(&Change, &[u8], &[u8])| {
            write(project, &change.candidate, Some(bytes), read).is_err()
        };
        let paths: Vec<String> = files.into_iter().filter(is_left).map(|(change, ..)| change.path.clone()).collect();
        if paths.is_empty() { Ok(()) } else { Err(Error::HalfSigned { paths, why: with_causes(error) }) }
    }
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
