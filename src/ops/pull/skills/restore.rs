//! A skill of the lock as its source has it, so that it can be made again.

use super::super as pull;
use super::error::Error;
use super::here::SignatureHere;
use super::options::How;
use crate::format::registry_files::{Lock, LockedSkill, LockedSource, UpstreamSignature};
use crate::git::CommitId;
use crate::id::{ItemType, Requirement};
use crate::registry::{Upstream, UpstreamFolder};
use crate::session::Session;
use crate::trust::ContentHash;
use crate::workspace::MAX_ITEM_BYTES;

/// The restored parts.
#[derive(Debug)]
pub(super) struct Restored {
    pub(super) read: UpstreamFolder,
    /// The digest of the folder that is there.
    pub(super) before: Option<ContentHash>,
    pub(super) signature_before: Option<SignatureHere>,
    pub(super) signature_after: Option<Vec<u8>>,
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
    before: Option<ContentHash>,
    signature: Option<SignatureHere>,
) -> Result<Option<Restored>, Error> {
    let Some(git) = locked.git() else { return Ok(None) };
    let LockedSource { source, commit, upstream: kind } = git;
    let transport = session.transport(how.terminal)?;
    let mut upstream = Upstream::open(session.context(), &transport, source.url())?;
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
    let found = signature_of(&upstream, &at, locked, *kind, signature.as_ref())?;
    let is_lost = locked.signed.is_some() && found.is_none();
    let note = match is_lost {
        true => Some(format!("its signature is lost: run `rye sign skill {}`, then `rye sync --adopt`", locked.id)),
        false => note,
    };
    // Existing files are not removed to make up for lost ones.
    let kept = signature.as_ref().filter(|_| is_lost).map(|here| here.bytes.clone());
    Ok(Some(Restored { read, before, signature_after: found.or(kept), signature_before: signature, is_lost, note }))
}

/// Plans to pull a skill of a registry in just the version and the bytes that the lock has.
pub(super) fn of_registry(
    session: &Session,
    how: &How,
    lock: &Lock,
    locked: &LockedSkill,
) -> Result<pull::Plan, Error> {
    let entry = lock.find(ItemType::Skill, &locked.id).ok_or_else(|| Error::NotLocked { id: locked.id.clone() })?;
    let wanted = pull::Wanted {
        item_id: locked.id.clone(),
        item_type: Some(ItemType::Skill),
        requirement: Requirement::exactly(entry.version),
    };
    let options = pull::Options {
        wanted: vec![wanted],
        space: how.space,
        registry: None,
        to: None,
        force: how.force,
        mode: pull::Mode { is_locked: true, is_offline: how.is_offline },
        terminal: how.terminal,
    };
    Ok(pull::plan(session, &options)?)
}

/// Finds the signature that the lock has: here, or at the source.
fn signature_of(
    upstream: &Upstream<'_>,
    at: &CommitId,
    locked: &LockedSkill,
    kind: UpstreamSignature,
    here: Option<&SignatureHere>,
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
