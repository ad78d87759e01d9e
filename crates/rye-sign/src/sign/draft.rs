//! What `sign` is about to sign, decided before anything is written: so that its person can be asked.

use super::super::locate::{LineEnds, project_path};
use super::error::Error;
use super::notice::Pending;
use super::one::{check_signable, sign_valid};
use super::options::Options;
use super::outcome::{Outcome, Status, item};
use super::read::Read;
use super::replacement::Replaced;
use super::work::Work;
use super::{each, put, skill};
use crate::id::{ItemType, Space};
use crate::project::Project;
use crate::trust::{KeyId, PublicKey, Signer};
use crate::workspace::{Expected, Replacement};

/// The items to sign.
pub struct Prepared<'a> {
    project: &'a Project,
    check: bool,
    replaced: Replaced<'a>,
    outcome: Outcome,
    to_sign: Vec<ToSign>,
}

/// An item to sign.
struct ToSign {
    work: Work,
    /// Its place in the outcome.
    at: usize,
    /// What its person should know of it, where they are asked.
    pending: Option<Pending>,
}

/// Reads and validates items, and tells whose signatures would be replaced. Writes nothing, and needs no private key.
///
/// Another person's good signature stays: of a pattern's items it is passed over, of a named item it is a failure.
///
/// # Errors
///
/// Fails when a pattern fits nothing, and when a space cannot be opened.
pub fn prepare<'a>(project: &'a Project, options: &Options, own: Option<PublicKey>) -> Result<Prepared<'a>, Error> {
    let replaced = Replaced::new(project, own)?;
    let mut to_sign = Vec::new();
    let outcome = each(project, options, own, |Read { work, remarks, by_own }, at, is_named| {
        if let Some(line) = by_own {
            if !options.again {
                return Ok(item(&work.candidate, Status::Unchanged, remarks, Some(&line)));
            }
        } else if let Some(line) = replaced.good_by_another(&work) {
            let (item_type, item_id) = (work.candidate.item_type, work.candidate.id.clone());
            return match is_named {
                true => Err(Error::SignedByAnother { item_type, item_id, who: named(project, line.key_id) }),
                false => Ok(item(&work.candidate, Status::Unchanged, remarks, Some(&line))),
            };
        }
        let is_project = work.candidate.space == Space::Project && !options.again;
        if is_project && let Some(ends) = LineEnds::of(project, &project_path(&work.candidate), &work.raw) {
            let (item_type, item_id) = (work.candidate.item_type, work.candidate.id.clone());
            return Err(Error::LineEnds { item_type, item_id, ends });
        }
        if options.check {
            check_signable(&work.raw)?;
        }
        let pending = replaced.pending(&work)?;
        let entry = item(&work.candidate, Status::Signed, remarks, None);
        to_sign.push(ToSign { work, at, pending });
        Ok(entry)
    })?;
    Ok(Prepared { project, check: options.check, replaced, outcome, to_sign })
}

/// Names a trusted key as people know it.
fn named(project: &Project, key_id: KeyId) -> String {
    match project.keys().principals(&key_id) {
        known if known.is_empty() => key_id.to_string(),
        known => format!("{} ({key_id})", known.join(", ")),
    }
}

/// Signs items with the key of `signer`, for a person who agreed to all that this replaces.
///
/// # Errors
///
/// As [`prepare`] and [`Prepared::sign`].
pub fn sign(project: &Project, options: &Options, signer: &dyn Signer) -> Result<Outcome, Error> {
    prepare(project, options, Some(signer.public()))?.sign(signer)
}

impl Prepared<'_> {
    /// Tells whether no item is to be signed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to_sign.is_empty()
    }

    /// Lists the items of others, which their person is asked about.
    #[must_use]
    pub fn pending(&self) -> Vec<Pending> {
        self.to_sign.iter().filter_map(|item| item.pending.clone()).collect()
    }

    /// Takes out what a model may not sign: it would replace the signature of a person.
    #[must_use]
    pub(super) fn for_a_model(mut self) -> Self {
        let replaced = &self.replaced;
        let is_denied = |item: &ToSign| match &item.pending {
            Some(pending) => !pending.origin.is_for_a_model() && !replaced.is_written(&item.work.raw),
            None => false,
        };
        let (denied, to_sign) = self.to_sign.into_iter().partition::<Vec<_>, _>(is_denied);
        for ToSign { work, at, pending } in denied {
            if let Some(Pending { item_type, item_id, origin, .. }) = pending {
                self.outcome.fail(at, Error::NotForModel { item_type, item_id, origin });
            }
            drop(work);
        }
        Self { to_sign, ..self }
    }

    /// Signs: the caller has the person's consent to the [pending](Self::pending) items. With `check`, nothing is
    /// signed.
    ///
    /// Every signature is made before the first file is written.
    ///
    /// # Errors
    ///
    /// Fails, with nothing written, when the key refuses.
    pub fn sign(self, signer: &dyn Signer) -> Result<Outcome, Error> {
        let Self { project, check, mut outcome, to_sign, .. } = self;
        if check {
            return Ok(outcome.in_brief());
        }
        let mut writes = Vec::new();
        for ToSign { work, at, .. } in to_sign {
            match sign_valid(&work.raw, signer, project.context().now()) {
                Ok((line, bytes)) => writes.push((work, at, line, bytes)),
                Err(failure @ Error::Unsignable { .. }) => outcome.fail(at, failure),
                Err(error) => return Err(error),
            }
        }
        let files: Vec<_> = writes.iter().map(|(work, _, _, bytes)| (work, bytes.as_slice())).collect();
        skill::keep_bytes(project, files.iter().map(|(work, _)| &work.candidate))?;
        let written = write_all(project, &files);
        for ((_, at, line, _), written) in writes.iter().zip(written) {
            match written {
                Ok(()) => outcome.sign(*at, line),
                Err(failure) => outcome.fail(*at, failure),
            }
        }
        Ok(outcome.in_brief())
    }
}

/// Replaces the files of items, each if its content is unchanged. Those that are there already are written at once.
///
/// Commit point of each item: the rename of the finished file over the old one.
fn write_all(project: &Project, writes: &[(&Work, &[u8])]) -> Vec<Result<(), Error>> {
    let replacements: Vec<Replacement<'_>> =
        writes.iter().filter_map(|(work, bytes)| replacement(work, bytes)).collect();
    let mut replaced = project.workspace().replace_items(&replacements).into_iter();
    let written = writes.iter().map(|(work, bytes)| match replacement(work, bytes).and_then(|_| replaced.next()) {
        Some(replaced) => replaced.map_err(|source| Error::write(&work.candidate, source)),
        None => put(project, &work.candidate, work.before.as_deref(), bytes),
    });
    written.collect()
}

fn replacement<'a>(work: &'a Work, bytes: &'a [u8]) -> Option<Replacement<'a>> {
    match (work.candidate.item_type, &work.before) {
        (ItemType::Directive | ItemType::Tool | ItemType::Knowledge, Some(before)) => {
            Some(Replacement { candidate: &work.candidate, expected: Expected::Content(before), bytes })
        }
        // A manifest is one of few, or the file is new.
        (ItemType::Skill, _) | (_, None) => None,
    }
}
