//! `sign`: validate an item, then put a signature line into its file, or a countersignature into its note.
//!
//! Commit point: the rename of the finished file over the old one; of countersignatures, the move of `refs/notes/rye`.
//! An invalid item is never signed, an item that is signed already stays byte for byte as it is, and nothing but the
//! line changes. Legacy forms are named, and refused from version 1.0 of the program on (docs/migration.md).
//!
//! `commit`, `hook` and `notes` sign too. What they share is here: `one` signs the bytes of an item, `owners` tells whose
//! signature it has, `written` knows what agents wrote, `pending` is what a person is asked about. Of a commit, `changes` finds
//! the changed items, `standing` the origin of each, `plan` joins these, `notes` makes its notes; of `sign`, `replaced`
//! tells whose signature is replaced, `prepared` joins these.

mod agent;
mod agent_files;
mod agent_writes;
mod authorship;
mod change;
mod changes;
mod countersignature;
mod draft;
mod error;
mod histories;
mod new_id;
mod notes;
mod notice;
mod one;
mod options;
mod origin;
mod outcome;
mod owners;
mod plan;
mod read;
mod replacement;
mod select;
mod similarity;
mod skill;
mod skill_entries;
mod skill_places;
mod staged_skills;
mod staged_tree;
mod takeover;
mod work;

pub use self::agent::sign_for_model;
pub use self::agent_files::{AgentFileDelta, AgentFilesDraft, AgentFilesOutcome, Replaced, draft_agent_files};
pub use self::agent_writes::{begin_written, remember_written};
pub use self::authorship::Standing;
pub use self::change::{Change, Changes, Place, Reach};
pub use self::changes::changes;
pub use self::countersignature::countersign;
pub use self::draft::{Prepared, prepare, sign};
pub use self::error::Error;
pub use self::new_id::{Holder, holder, is_by_agent, sign_bytes};
pub use self::notes::{complete, notes_committer};
pub use self::notice::{Delta, Pending, listed};
use self::one::Remarks;
pub use self::options::Options;
pub use self::origin::Origin;
use self::outcome::item;
pub use self::outcome::{Brief, Item, Outcome, Signature, Status, Unreadable};
pub use self::plan::{Plan, Planned, Staging};
use self::read::Read;
use self::select::matching;
pub use self::select::skipped_skills;
pub use self::skill::{
    LastSigned, SignedSkill, has_unsigned_skills, keep_skill_bytes, offered_unsigned, published_id, signed_skill,
};
pub use self::takeover::TakenItem;
use self::work::Work;
use super::locate::LocateError;
use crate::project::Project;
use crate::trust::PublicKey;
use crate::workspace::{self, Candidate, Expected};

/// Does something to each item that is meant, and gathers what became of it. Tells its place in the outcome, and whether it
/// was named one by one.
fn each(
    project: &Project,
    options: &Options,
    own: Option<PublicKey>,
    mut perform: impl FnMut(Read, usize, bool) -> Result<Item, Error>,
) -> Result<Outcome, Error> {
    let mut outcome = Outcome::unchanged();
    let selected = matching(project, options)?;
    let read = read::all(project, options, own, &selected.items)?;
    for (candidate, read) in selected.items.into_iter().zip(read) {
        let is_named = selected.named.contains(&(candidate.item_type, candidate.id.clone()));
        match read.and_then(|read| perform(read, outcome.items.len(), is_named)) {
            Ok(item) => outcome.add(item),
            Err(failure) if is_its_own(&failure) => {
                outcome.add(item(&candidate, Status::Failed, Remarks::default(), None));
                outcome.failures.push(failure);
            }
            Err(error) => return Err(error),
        }
    }
    for claim in selected.claims {
        let (path, failure) = claim.failure(project)?;
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
        | Error::SignedByAnother { .. }
        | Error::NotForModel { .. }
        | Error::Write { .. }
        | Error::Locate(LocateError::Invalid { .. } | LocateError::SkillChanged { .. }) => true,
        Error::Locate(LocateError::Workspace(error)) => {
            matches!(error, workspace::Error::Ambiguous { .. }) || error.of_one_file().is_some()
        }
        Error::NoMatch { .. }
        | Error::HalfSigned { .. }
        | Error::AgentFileUnread { .. }
        | Error::AgentLinkOut { .. }
        | Error::WriteAgentFiles { .. }
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

/// Replaces an item's file, if its content is unchanged.
fn write(project: &Project, candidate: &Candidate, before: Option<&[u8]>, bytes: &[u8]) -> Result<(), Error> {
    skill::keep_bytes(project, [candidate])?;
    put(project, candidate, before, bytes)
}

/// Replaces an item's file, for which nothing else is to be prepared.
fn put(project: &Project, candidate: &Candidate, before: Option<&[u8]>, bytes: &[u8]) -> Result<(), Error> {
    let Candidate { space, item_type, id, extension, .. } = candidate;
    let expected = before.map_or(Expected::Absent, Expected::Content);
    project
        .workspace()
        .write_item(*space, *item_type, id, extension, bytes, expected)
        .map(drop)
        .map_err(|source| Error::write(candidate, source))
}
