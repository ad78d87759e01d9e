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
mod changes;
mod detached;
mod error;
mod notes;
mod one;
mod options;
mod plan;
mod select;
mod standing;
mod written;

use serde::Serialize;

pub use self::agent::sign_for_model;
pub use self::changes::{Change, Changes, Place, Reach, changes};
pub use self::detached::countersign;
pub use self::error::Error;
pub use self::notes::{complete, notes_committer};
use self::one::{Remarks, check_signable, line_by, signed, valid};
pub use self::options::Options;
pub(super) use self::plan::listed;
pub use self::plan::{Delta, Pending, Plan, Planned, Staging};
use self::select::matching;
pub use self::standing::{Origin, Standing};
pub use self::written::{begin_written, remember_written};
use super::locate::{LocateError, Located, Purpose, Session};
use crate::format::Finding;
use crate::id::{ItemId, ItemType, Space, Timestamp};
use crate::trust::{ContentHash, KeyId, SignatureLine, Signer};
use crate::workspace::{self, Candidate, Expected};

/// What was signed.
#[derive(Debug, Serialize)]
pub struct Outcome {
    /// `failed` if any failed, else `signed` if any changed, else `unchanged`.
    pub status: Status,
    /// The items, in order.
    pub items: Vec<Item>,
    /// What is wrong with those that failed.
    #[serde(skip)]
    pub failures: Vec<LocateError>,
}

/// What became of one item, or of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It was signed by this key already.
    Unchanged,
    /// It was signed now (with `check`: it would be).
    Signed,
    /// It is not valid, cannot be used as an item, or it cannot be told which file it is.
    Failed,
}

/// One item.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The space.
    pub space: Space,
    /// The file.
    pub path: String,
    /// What became of it.
    pub status: Status,
    /// The rules about legacy forms that it breaks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub legacy: Vec<&'static str>,
    /// What it says without effect, for people.
    #[serde(skip)]
    pub idle: Vec<Finding>,
    /// Its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Signature>,
}

/// The fields of a signature line.
#[derive(Debug, Clone, Serialize)]
pub struct Signature {
    /// When.
    pub timestamp: Timestamp,
    /// Over what.
    pub hash: ContentHash,
    /// The signature itself.
    pub signature: String,
    /// By which key.
    pub key_id: KeyId,
    /// The format's version.
    pub version: u32,
}

/// Signs items with the key of `signer`, which is asked for nothing but signatures: where all is signed already, or
/// with `check`, it stays closed.
///
/// # Errors
///
/// Fails when a pattern fits nothing or a file cannot be read or written. An item that is not valid, that is too large or
/// no file of the space, or that several files claim to be, does not keep the others from being signed: it is reported
/// in the outcome.
pub fn sign(session: &Session, options: &Options, signer: &dyn Signer) -> Result<Outcome, Error> {
    each(session, options, |located| sign_one(session, located, options.check, signer))
}

/// Does something to each item that is meant, and gathers what became of it.
fn each(
    session: &Session,
    options: &Options,
    mut perform: impl FnMut(&Located) -> Result<Item, Error>,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome { status: Status::Unchanged, items: Vec::new(), failures: Vec::new() };
    let selected = matching(session, options)?;
    for candidate in selected.items {
        let located = session.locate(candidate.item_type, &candidate.id, Some(candidate.space), Purpose::Author);
        let item = match located.map_err(Error::from).and_then(|located| perform(&located)) {
            Ok(item) => item,
            Err(Error::Locate(failure)) if is_its_own(&failure) => {
                outcome.failures.push(failure);
                item(&candidate, Status::Failed, Remarks::default(), None)
            }
            Err(error) => return Err(error),
        };
        outcome.status = outcome.status.max(item.status);
        outcome.items.push(item);
    }
    for claim in selected.ambiguous {
        let (path, failure) = claim.failure(session)?;
        outcome.failures.push(failure);
        outcome.status = Status::Failed;
        let (item_type, item_id, space) = (claim.item_type, claim.id, claim.space);
        let (status, legacy, idle) = (Status::Failed, Vec::new(), Vec::new());
        outcome.items.push(Item { item_type, item_id, space, path, status, legacy, idle, signature: None });
    }
    Ok(outcome)
}

/// Tells whether a failure is about one file, and the others can be signed all the same.
const fn is_its_own(failure: &LocateError) -> bool {
    use workspace::Error::{NotRegular, OutOfSpace, Symlink, TooLarge};
    matches!(
        failure,
        LocateError::Invalid { .. }
            | LocateError::Workspace(TooLarge { .. } | OutOfSpace { .. } | NotRegular { .. } | Symlink { .. })
    )
}

fn sign_one(session: &Session, located: &Located, check: bool, signer: &dyn Signer) -> Result<Item, Error> {
    let (candidate, raw) = (&located.candidate, &located.signed);
    let remarks = valid(raw, &candidate.path)?;
    if let Some(line) = line_by(raw, &signer.public()) {
        return Ok(item(candidate, Status::Unchanged, remarks, Some(&line)));
    }
    if check {
        check_signable(raw)?;
        return Ok(item(candidate, Status::Signed, remarks, None));
    }
    let (line, bytes) = signed(raw, &candidate.path, signer, session.context().now())?;
    write(session, candidate, raw.content(), &bytes)?;
    Ok(item(candidate, Status::Signed, remarks, Some(&line)))
}

/// Replaces an item's file, if it still holds what was read.
fn write(session: &Session, candidate: &Candidate, read: &[u8], bytes: &[u8]) -> Result<(), Error> {
    let Candidate { space, item_type, id, extension, .. } = candidate;
    session
        .workspace()
        .write_item(*space, *item_type, id, extension, bytes, Expected::Content(read))
        .map(drop)
        .map_err(|source| Error::Write { item_type: *item_type, item_id: id.clone(), source })
}

fn item(candidate: &Candidate, status: Status, remarks: Remarks, line: Option<&SignatureLine>) -> Item {
    Item {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        space: candidate.space,
        path: candidate.path.display().to_string(),
        status,
        legacy: remarks.legacy,
        idle: remarks.idle,
        signature: line.map(Signature::of),
    }
}

impl Signature {
    /// Returns the fields of a line.
    #[must_use]
    pub fn of(line: &SignatureLine) -> Self {
        Self {
            timestamp: line.timestamp,
            hash: line.hash,
            signature: line.signature_text(),
            key_id: line.key_id.clone(),
            version: 2,
        }
    }
}
