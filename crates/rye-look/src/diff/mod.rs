//! `diff`: what changed in items since they were signed.
//!
//! The signed version is the newest one in the history of `HEAD` whose own signature fits its bytes and its name. Signature lines are
//! left out of the comparison. The search is bounded; an unfinished search is reported.

mod agent_files;
mod outcome;
mod skills;

use thiserror::Error;

pub use outcome::{AgentFileDiff, ItemDiff, MOST_COMMITS, Outcome, SignedVersion, State};

use super::locate::{LineEnds, LocateError, Located, Purpose, project_path, shown_path, subject_at};
use crate::format::bounded_diff;
use crate::git::{self, BlobId, PastEntry, Repository};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Space};
use crate::project::Project;
use crate::trust::{Fault, LineState, SignatureLine, Signed, TrustedKeys, Unverified, Verdict};
use crate::workspace::MAX_ITEM_BYTES;

/// The most files of the last commit that are looked at.
const MOST_FILES: usize = 100_000;

/// What to compare.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The item; without one, every item of the project that changed.
    pub item_id: Option<ItemId>,
    /// Its type, where several have the id.
    pub item_type: Option<ItemType>,
}

/// Why nothing is compared.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Several types have the id.
    #[error("`{item_id}` is several items: {}", types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    SeveralTypes { item_id: ItemId, types: Vec<ItemType> },
    /// No space has the item.
    #[error("unknown item `{item_id}`")]
    Unknown {
        item_id: ItemId,
        /// The id that was probably meant.
        nearest: Option<ItemId>,
    },
    /// An item cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// The history cannot be read.
    #[error(transparent)]
    Git(#[from] git::Error),
}

/// Compares items with their signed versions. An item that is named is told of in any case.
///
/// # Errors
///
/// Fails when an item is unknown, the history cannot be read, or there is no project and no item is named.
pub fn diff(project: &Project, options: &Options) -> Result<Outcome, Error> {
    if options.item_id.is_none() {
        project.root()?;
    }
    let repository = project.repository();
    let of_type = |item_type| options.item_type.is_none_or(|wanted| wanted == item_type);
    let mut items = Vec::new();
    if of_type(ItemType::Skill) {
        items = skills::compared(project, repository.as_ref(), options.item_id.as_ref())?;
        if options.item_id.is_some() && !items.is_empty() {
            return Ok(Outcome { items, agent_files: Vec::new() });
        }
    }
    let located = match &options.item_id {
        Some(item_id) => vec![one(project, item_id, options.item_type)?],
        None => of_project(project, options.item_type)?,
    };
    for located in located {
        let found = compared(project, repository.as_ref(), &located)?;
        if options.item_id.is_some() || found.state != State::Unchanged {
            items.push(found);
        }
    }
    if let (None, Some(repository)) = (&options.item_id, &repository) {
        items.extend(removed(project, repository, options.item_type)?);
        items.sort_by(|a, b| (a.item_type, &a.item_id).cmp(&(b.item_type, &b.item_id)));
    }
    let is_about_all = options.item_id.is_none() && options.item_type.is_none();
    let agent_files = if is_about_all { agent_files::compared(project, repository.as_ref())? } else { Vec::new() };
    Ok(Outcome { items, agent_files })
}

/// Lists the items of the last commit whose files are gone, or are not regular files any more.
fn removed(project: &Project, repository: &Repository, item_type: Option<ItemType>) -> Result<Vec<ItemDiff>, Error> {
    let Some(start) = repository.head()?.commit_id().cloned() else { return Ok(Vec::new()) };
    let Ok(root) = project.root() else { return Ok(Vec::new()) };
    let left_out = project.left_out()?;
    let mut removed = Vec::new();
    for entry in repository.entries_below(&start, SPACE_FOLDER, MOST_FILES)? {
        let Some(subject) = subject_at(&entry.path) else { continue };
        let is_wanted = item_type.is_none_or(|item_type| item_type == subject.item_type);
        if left_out.items.iter().any(|it| it.path == entry.path) {
            continue;
        }
        let is_there = std::fs::symlink_metadata(root.join(&entry.path)).is_ok_and(|found| found.is_file());
        if is_wanted && !is_there {
            removed.push(ItemDiff {
                item_type: subject.item_type,
                item_id: subject.item_id,
                path: entry.path,
                verdict: Verdict::Unsigned,
                state: State::Removed,
                signed: None,
                line_ends: None,
                diff: String::new(),
            });
        }
    }
    Ok(removed)
}

fn one(project: &Project, item_id: &ItemId, item_type: Option<ItemType>) -> Result<Located, Error> {
    let types = item_type.map_or_else(|| ItemType::ALL.to_vec(), |item_type| vec![item_type]);
    let mut found = Vec::new();
    let mut nearest = None;
    for item_type in types {
        match project.locate(item_type, item_id, None, Purpose::Author) {
            Ok(located) => found.push(located),
            Err(LocateError::Unknown { suggestion, .. }) => nearest = nearest.or(suggestion),
            Err(error) => return Err(error.into()),
        }
    }
    if found.len() > 1 {
        let types = found.iter().map(|located| located.candidate.item_type).collect();
        return Err(Error::SeveralTypes { item_id: item_id.clone(), types });
    }
    found.pop().ok_or_else(|| Error::Unknown { item_id: item_id.clone(), nearest })
}

/// Lists the items of the project whose signatures do not fit them.
fn of_project(project: &Project, item_type: Option<ItemType>) -> Result<Vec<Located>, Error> {
    let listing = project.workspace().list(item_type, Some(Space::Project)).map_err(LocateError::from)?;
    let keys = project.keys();
    let mut changed = Vec::new();
    let others = listing.items.into_iter().filter(|candidate| candidate.item_type != ItemType::Skill);
    for candidate in others {
        let located = project.locate(candidate.item_type, &candidate.id, Some(Space::Project), Purpose::Author)?;
        if !is_as_signed(&located.signed, &keys) {
            changed.push(located);
        }
    }
    Ok(changed)
}

fn compared(project: &Project, repository: Option<&Repository>, located: &Located) -> Result<ItemDiff, Error> {
    let Located { candidate, signed, .. } = located;
    let keys = project.keys();
    let verdict = match signed.clone().verify(&keys) {
        Ok(verified) => verified.verdict(),
        Err(fault) => fault.verdict(),
    };
    let path = shown_path(candidate);
    let found = |state, signed, diff| ItemDiff {
        item_type: candidate.item_type,
        item_id: candidate.id.clone(),
        path: path.clone(),
        verdict,
        state,
        signed,
        line_ends: None,
        diff,
    };
    if is_as_signed(signed, &keys) {
        let line = line(signed).map(|line| version(&line, None, &keys));
        return Ok(found(State::Unchanged, line, String::new()));
    }
    let line_ends = match candidate.space {
        Space::Project => LineEnds::of(project, &project_path(candidate), signed),
        Space::User | Space::System => None,
    };
    if line_ends.is_some() {
        return Ok(ItemDiff { line_ends, ..found(State::LineEnds, None, String::new()) });
    }
    let past = match (repository, candidate.space) {
        (Some(repository), Space::Project) => signed_version(repository, &project_path(candidate), signed, &keys)?,
        (None, _) | (Some(_), Space::User | Space::System) => None,
    };
    let Some(Past { entry: past, signed: before }) = past else {
        let diff = format!("--- /dev/null\n+++ b/{path}\n{}", bounded_diff("", &text(&signed.split().body())));
        return Ok(found(State::NeverSigned, None, diff));
    };
    let (old, new) = (before.split().body(), signed.split().body());
    let version = line(&before).map(|line| version(&line, Some(&past), &keys));
    if old == new {
        return Ok(found(State::LineOnly, version, String::new()));
    }
    let diff = format!("--- a/{path}\n+++ b/{path}\n{}", bounded_diff(&text(&old), &text(&new)));
    Ok(found(State::Changed, version, diff))
}

/// A version in history that is as it was signed.
struct Past {
    entry: PastEntry,
    signed: Signed<Vec<u8>, Unverified>,
}

/// Finds the newest version in history that is as it was signed.
fn signed_version(
    repository: &Repository,
    path: &str,
    signed: &Signed<Vec<u8>, Unverified>,
    keys: &TrustedKeys,
) -> Result<Option<Past>, Error> {
    let Some(start) = repository.head()?.commit_id().cloned() else { return Ok(None) };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let read = |blob_id: &BlobId| repository.blob_within(blob_id, MAX_ITEM_BYTES).ok().flatten();
    let of = |bytes| Signed::new(signed.subject().clone(), bytes).in_space(Space::Project);
    let past = repository.find_in_history(&start, folder, MOST_COMMITS, |entry| {
        entry.path == path && read(&entry.blob_id).is_some_and(|bytes| is_as_signed(&of(bytes), keys))
    })?;
    Ok(past.and_then(|entry| {
        let bytes = read(&entry.entry.blob_id)?;
        Some(Past { entry, signed: of(bytes) })
    }))
}

/// Tells whether an item is unchanged since its signature, whether or not that signature counts here.
fn is_as_signed(signed: &Signed<Vec<u8>, Unverified>, keys: &TrustedKeys) -> bool {
    match signed.judge_line(keys) {
        Ok(_)
        | Err(
            Fault::UntrustedKey { .. }
            | Fault::AgentSigned
            | Fault::OutsideValidity { .. }
            | Fault::Legacy { .. }
            | Fault::Revoked { .. }
            | Fault::RolledBack { .. }
            | Fault::BroughtBack { .. }
            | Fault::MissingCountersignatures { .. }
            | Fault::Unshadowed
            | Fault::Downgraded,
        ) => true,
        Err(Fault::Unsigned | Fault::MalformedLine { .. } | Fault::SecondLine | Fault::Changed | Fault::Misplaced) => {
            false
        }
    }
}

fn version(line: &SignatureLine, past: Option<&PastEntry>, keys: &TrustedKeys) -> SignedVersion {
    SignedVersion {
        key_id: line.key_id.clone(),
        principals: keys.principals(&line.key_id),
        signed_at: line.timestamp,
        commit_id: past.map(|past| past.commit_id.clone()),
    }
}

fn line(signed: &Signed<Vec<u8>, Unverified>) -> Option<SignatureLine> {
    match signed.split().line {
        LineState::Present(line) => Some(line),
        LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => None,
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
