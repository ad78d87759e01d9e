//! `sign`: validate an item, then put a signature line into its file, or a countersignature beside it.
//!
//! Commit point: the rename of the finished file over the old one; of countersignatures, the move of `refs/notes/rye`.
//! What does not validate is never signed, an item that is signed already stays byte for byte as it is, and nothing but
//! the line changes. Legacy forms are named, and refused from version 1.0 of the program on (docs/migration.md).
//!
//! `commit`, `hook` and `notes` sign too. What they share is here: `one` signs the bytes of an item, `changes` finds what
//! a commit would take, `standing` tells whose work it is, `written` knows what agents wrote, `plan` joins these, `notes`
//! says what belongs beside a commit.

mod agent;
mod akin;
mod change;
mod changes;
mod detached;
mod error;
mod histories;
mod notes;
mod one;
mod options;
mod outcome;
mod plan;
mod renamed;
mod select;
mod skill;
mod skill_places;
mod staged_skills;
mod standing;
mod taken;
mod work;
mod written;

pub use self::agent::sign_for_model;
pub use self::change::{Change, Changes, Place, Reach};
pub use self::changes::changes;
pub use self::detached::countersign;
pub use self::error::Error;
pub use self::notes::{complete, notes_committer};
use self::one::{Remarks, check_signable, line_by, signed};
pub use self::options::Options;
use self::outcome::item;
pub use self::outcome::{Item, Outcome, Signature, Status, Unreadable};
pub use self::plan::listed;
pub use self::plan::{Delta, Pending, Plan, Planned, Staging};
pub use self::renamed::{Holder, holder, is_by_agent, sign_bytes};
use self::select::matching;
pub use self::skill::{LastSigned, SignedSkill, keep_skill_bytes, published_id, signed_skill};
use self::skill_places::Places;
pub use self::standing::{Origin, Standing};
pub use self::taken::TakenItem;
use self::work::Work;
pub use self::written::{begin_written, remember_written};
use super::locate::{LineEnds, LocateError, Session, project_path};
use crate::id::{ItemType, Space};
use crate::trust::Signer;
use crate::workspace::{self, Candidate, Expected};

/// Signs items with the key of `signer`, which is asked for nothing but signatures: where all is signed already, or
/// with `check`, it stays closed.
///
/// Everything is read and validated and every signature made before the first file is written. What is wrong with one item
/// is in the outcome and does not keep the others from being signed.
///
/// # Errors
///
/// Fails, with nothing written, when a pattern fits nothing, a space cannot be opened or the key refuses.
pub fn sign(session: &Session, options: &Options, signer: &dyn Signer) -> Result<Outcome, Error> {
    let mut writes = Vec::new();
    let mut outcome = each(session, options, |work| {
        let (item, bytes) = sign_one(session, work, options, signer)?;
        writes.extend(bytes.map(|bytes| (work.candidate.clone(), work.before.clone(), bytes)));
        Ok(item)
    })?;
    skill::keep_bytes(session, writes.iter().map(|(candidate, ..)| candidate))?;
    for (candidate, before, bytes) in writes {
        if let Err(failure) = put(session, &candidate, before.as_deref(), &bytes) {
            outcome.fail(&candidate, failure);
        }
    }
    Ok(outcome)
}

/// Reads an item that is to be signed.
fn work(session: &Session, places: &Places, candidate: &Candidate, options: &Options) -> Result<Work, Error> {
    match candidate.item_type {
        ItemType::Skill => skill::work(session, places, candidate, options.version),
        ItemType::Directive | ItemType::Tool | ItemType::Knowledge => Work::on(session, candidate),
    }
}

/// Does something to each item that is meant, and gathers what became of it.
fn each(
    session: &Session,
    options: &Options,
    mut perform: impl FnMut(&Work) -> Result<Item, Error>,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::unchanged();
    let selected = matching(session, options)?;
    let places = Places::of(session, &selected.items)?;
    for candidate in selected.items {
        match work(session, &places, &candidate, options).and_then(|work| perform(&work)) {
            Ok(item) => outcome.add(item),
            Err(failure) if is_its_own(&failure) => {
                outcome.add(item(&candidate, Status::Failed, Remarks::default(), None));
                outcome.failures.push(failure);
            }
            Err(error) => return Err(error),
        }
    }
    for claim in selected.claims {
        let (path, failure) = claim.failure(session)?;
        let (item_type, item_id, space) = (claim.item_type, claim.id, claim.space);
        let (status, legacy, idle) = (Status::Failed, Vec::new(), Vec::new());
        outcome.add(Item { item_type, item_id, space, path, status, legacy, idle, signature: None });
        outcome.failures.push(failure.into());
    }
    outcome.unreadable = selected.unreadable.into_iter().map(|(_, unreadable)| unreadable).collect();
    if !outcome.unreadable.is_empty() {
        outcome.status = Status::Failed;
    }
    Ok(outcome)
}

/// Tells whether a failure is about one item, and the others can be signed all the same.
fn is_its_own(failure: &Error) -> bool {
    match failure {
        Error::Unsignable { .. }
        | Error::LineEnds { .. }
        | Error::Write { .. }
        | Error::Locate(LocateError::Invalid { .. } | LocateError::SkillChanged { .. }) => true,
        Error::Locate(LocateError::Workspace(error)) => {
            matches!(error, workspace::Error::Ambiguous { .. }) || error.of_one_file().is_some()
        }
        Error::NoMatch { .. }
        | Error::HalfSigned { .. }
        | Error::OtherVersion { .. }
        | Error::Signer(_)
        | Error::NotCommitted { .. }
        | Error::NothingToCountersign { .. }
        | Error::Note { .. }
        | Error::Unmerged { .. }
        | Error::Locate(_)
        | Error::Git(_) => false,
    }
}

/// Tells what is to become of an item, and makes its new bytes if it is to be signed.
fn sign_one(
    session: &Session,
    work: &Work,
    options: &Options,
    signer: &dyn Signer,
) -> Result<(Item, Option<Vec<u8>>), Error> {
    let Work { candidate, raw, .. } = work;
    let remarks = work.valid()?;
    if let Some(line) = line_by(raw, &signer.public()).filter(|_| !options.again) {
        return Ok((item(candidate, Status::Unchanged, remarks, Some(&line)), None));
    }
    if candidate.space == Space::Project
        && !options.again
        && let Some(ends) = LineEnds::of(session, &project_path(candidate), raw)
    {
        return Err(Error::LineEnds { item_type: candidate.item_type, item_id: candidate.id.clone(), ends });
    }
    if options.check {
        check_signable(raw)?;
        return Ok((item(candidate, Status::Signed, remarks, None), None));
    }
    let (line, bytes) = signed(raw, &candidate.path, signer, session.context().now())?;
    Ok((item(candidate, Status::Signed, remarks, Some(&line)), Some(bytes)))
}

/// Replaces an item's file, if it still holds what was read.
fn write(session: &Session, candidate: &Candidate, before: Option<&[u8]>, bytes: &[u8]) -> Result<(), Error> {
    skill::keep_bytes(session, [candidate])?;
    put(session, candidate, before, bytes)
}

/// Replaces an item's file, for which nothing else is to be prepared.
fn put(session: &Session, candidate: &Candidate, before: Option<&[u8]>, bytes: &[u8]) -> Result<(), Error> {
    let Candidate { space, item_type, id, extension, .. } = candidate;
    let expected = before.map_or(Expected::Absent, Expected::Content);
    session
        .workspace()
        .write_item(*space, *item_type, id, extension, bytes, expected)
        .map(drop)
        .map_err(|source| Error::Write { item_type: *item_type, item_id: id.clone(), source })
}
