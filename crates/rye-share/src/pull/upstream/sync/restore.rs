//! A skill of the lock as its source has it, so that it can be made again.

use super::super::super::place::PresentSkill;
use super::super::super::registry::{self, Mode, Options, Wanted};
use super::super::super::signature::SkillSignature;
use super::super::error::Error;
use super::super::options::How;
use super::super::revision::open;
use crate::format::registry_files::{Lock, LockedSkill, LockedSource, UpstreamSignature};
use crate::git::CommitId;
use crate::id::{ItemType, Requirement};
use crate::item::SkillContent;
use crate::registry::Upstream;
use crate::session::Session;
use crate::trust::ContentHash;
use crate::workspace::MAX_ITEM_BYTES;

/// The restored parts.
#[derive(Debug)]
pub(super) struct Restored {
    pub(super) read: SkillContent,
    /// What is there now.
    pub(super) present: PresentSkill,
    /// The signature that it gets.
    pub(super) signature: Option<Vec<u8>>,
    /// Whether the lock has a signature that nothing else has any more.
    pub(super) is_lost: bool,
    /// What to know of it.
    pub(super) note: Option<String>,
}

/// Fetches a skill as the lock says; none where nothing else has it. A fetched skill must have the digest of the lock,
/// wherever it is from.
pub(super) fn restored(
    session: &Session,
    how: &How,
    locked: &LockedSkill,
    present: PresentSkill,
) -> Result<Option<Restored>, Error> {
    let Some(git) = locked.git() else { return Ok(None) };
    let LockedSource { source, commit, upstream: kind } = git;
    let mut upstream = open(session, how.terminal, source.url())?;
    let gone = || Error::Gone { id: locked.id.clone(), commit: commit.clone(), url: source.url().to_owned() };
    let wanted = CommitId::parse(commit).map_err(|_| gone())?;
    let there = match (upstream.cached(&wanted), how.is_offline) {
        (Some(there), _) => Some(there),
        (None, true) => return Err(Error::NotFetched { url: source.url().to_owned(), commit: commit.clone() }),
        (None, false) => upstream.fetch_commit(&wanted, source)?,
    };
    let (at, note) = match there {
        Some(there) => (there, None),
        // The digest of the lock decides, not the name of a commit.
        None => {
            let now = upstream.fetch(source).map_err(|_| gone())?;
            let note = format!("commit {commit} is gone from the source; commit {now} has the same files");
            (now, Some(note))
        }
    };
    let read = match upstream.folder(&at, source.path()) {
        Err(_) if note.is_some() => return Err(gone()),
        read => read?,
    };
    if !read.folder.faults().is_empty() || read.folder.digest() != locked.digest {
        return Err(match note {
            Some(_) => gone(),
            None => Error::Mismatch { id: locked.id.clone(), commit: commit.clone(), url: source.url().to_owned() },
        });
    }
    let found = signature_of(&upstream, &at, locked, *kind, present.signature.as_ref())?;
    let is_lost = locked.signed.is_some() && found.is_none();
    let note = match is_lost {
        true => Some(format!("its signature is lost: run `rye sign skill {}`, then `rye sync --adopt`", locked.id)),
        false => note,
    };
    // Existing files are not removed to make up for lost ones.
    let kept = present.signed().filter(|_| is_lost).map(<[u8]>::to_vec);
    Ok(Some(Restored { read, present, signature: found.or(kept), is_lost, note }))
}

/// Plans to pull a skill of a registry in just the version and the bytes that the lock has.
pub(super) fn of_registry(
    session: &Session,
    how: &How,
    lock: &Lock,
    locked: &LockedSkill,
) -> Result<registry::Plan, Error> {
    let entry = lock.find(ItemType::Skill, &locked.id).ok_or_else(|| Error::NotLocked { id: locked.id.clone() })?;
    let wanted = Wanted {
        item_id: locked.id.clone(),
        item_type: Some(ItemType::Skill),
        requirement: Requirement::exactly(entry.version),
    };
    let options = Options {
        wanted: vec![wanted],
        space: how.space,
        registry: None,
        to: None,
        force: how.force,
        mode: Mode { is_locked: true, is_offline: how.is_offline },
        terminal: how.terminal,
    };
    Ok(registry::plan(session, &options)?)
}

/// Finds the signature that the lock has: here, or at the source.
fn signature_of(
    upstream: &Upstream<'_>,
    at: &CommitId,
    locked: &LockedSkill,
    kind: UpstreamSignature,
    here: Option<&SkillSignature>,
) -> Result<Option<Vec<u8>>, Error> {
    let Some(signed) = &locked.signed else { return Ok(None) };
    if let Some(here) = here.filter(|here| here.sha256() == signed.sha256) {
        return Ok(Some(here.bytes.clone()));
    }
    let path = format!(".ai/skills/{}.sig", locked.id);
    let found = match kind {
        UpstreamSignature::Signed => upstream.file(at, &path, MAX_ITEM_BYTES)?,
        UpstreamSignature::Unsigned => None,
    };
    Ok(found.filter(|bytes| ContentHash::of(bytes) == signed.sha256))
}
