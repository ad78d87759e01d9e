//! A skill at a commit of a git repository: its files, and the signature that the repository has of them.

use super::super::error::Error as PullError;
use super::super::signature::subject;
use super::error::Error;
use super::options::How;
use crate::format::{self, SkillDocument};
use crate::git::{CommitId, Terminal};
use crate::id::{GitSource, ItemId, ItemType, Timestamp, Version};
use crate::item::{Item, SkillContent, SkillManifest, is_skill_name};
use crate::locate::skill_document;
use crate::project::Project;
use crate::registry::{Upstream, UpstreamError};
use crate::session::Session;
use crate::trust::{
    ContentHash, Fault, LineState, MAX_TRUST_FILE_BYTES, Namespace, PublicKey, SignatureLine, Signed, Subject,
    TrustedKey, parse_allowed_signers,
};
use crate::workspace::{MAX_ITEM_BYTES, SkillPlace};

/// Where a repository has the signatures of its skills.
const SIGNATURES: &str = ".ai/skills";
/// The most files there that are looked at.
const MOST_SIGNATURES: usize = 10_000;
/// Where a repository says whose keys its signatures are by.
const SIGNERS: &str = ".ai/trust/allowed_signers";

/// A skill at a commit.
#[derive(Debug, Clone)]
pub(super) struct Revision {
    pub(super) id: ItemId,
    /// The folder, and the request.
    pub(super) source: GitSource,
    pub(super) commit: CommitId,
    pub(super) read: SkillContent,
    pub(super) document: SkillDocument,
    pub(super) signature: Option<Signature>,
}

/// A signature that the repository has of a skill.
#[derive(Debug, Clone)]
pub(super) struct Signature {
    /// The file, as it is taken over.
    pub(super) bytes: Vec<u8>,
    pub(super) manifest: SkillManifest,
    pub(super) key: PublicKey,
    /// Whom the repository says the key belongs to.
    pub(super) principal: String,
    /// When it was signed.
    pub(super) signed_at: Timestamp,
}

impl Revision {
    /// Returns the digest of its files.
    pub(super) fn digest(&self) -> ContentHash {
        self.read.folder.digest()
    }

    /// Returns the version that its source's signature says, or else its `SKILL.md`.
    pub(super) fn version(&self) -> Option<Version> {
        self.signature.as_ref().map_or_else(|| self.document.version(), |signature| signature.manifest.version)
    }

    /// Returns its source with the commit in the place of the request.
    pub(super) fn pinned(&self) -> Result<GitSource, Error> {
        Ok(self.source.at(Some(self.commit.as_str()))?)
    }
}

/// Opens the cache of a repository.
pub(super) fn open<'s>(session: &'s Session, terminal: Terminal, url: &str) -> Result<Upstream<'s>, Error> {
    let transport = session.transport(terminal)?;
    Ok(Upstream::open(session.context(), &transport, url)?)
}

/// Opens a source and reads the skill that it leads to now; where nothing is fetched, the one at the commit of `pinned`.
pub(super) fn current<'s>(
    session: &'s Session,
    how: &How,
    (source, pinned): (&GitSource, &GitSource),
    known: Option<&ItemId>,
) -> Result<(Upstream<'s>, Revision), Error> {
    let project = session.project();
    let mut upstream = open(session, how.terminal, source.url())?;
    if how.is_offline {
        upstream = upstream.offline();
    }
    let revision = match how.is_offline {
        true => find(project, &upstream, source, &cached(&upstream, pinned)?, known)?,
        false => fetched(project, &mut upstream, source, known)?,
    };
    Ok((upstream, revision))
}

/// Returns the commit that a source leads to: fetched now, or named by its id and fetched before.
pub(super) fn commit_of(upstream: &mut Upstream<'_>, source: &GitSource, is_offline: bool) -> Result<CommitId, Error> {
    if is_offline { cached(upstream, source) } else { Ok(upstream.fetch(source)?) }
}

/// Returns the commit that a source names by its id, if it was fetched before.
fn cached(upstream: &Upstream<'_>, source: &GitSource) -> Result<CommitId, Error> {
    let rev = source.rev().unwrap_or("HEAD");
    let known = CommitId::parse(rev).ok().and_then(|commit| upstream.cached(&commit));
    known.ok_or_else(|| Error::NotFetched { url: upstream.url().to_owned(), commit: rev.to_owned() })
}

/// Fetches a skill; from the beginning where the cache turns out to be damaged.
fn fetched(
    project: &Project,
    upstream: &mut Upstream<'_>,
    source: &GitSource,
    known: Option<&ItemId>,
) -> Result<Revision, Error> {
    let commit = upstream.fetch(source)?;
    match find(project, upstream, source, &commit, known) {
        Err(Error::Upstream(UpstreamError::Git(_))) => {
            upstream.make_again()?;
            let commit = upstream.fetch(source)?;
            find(project, upstream, source, &commit, known)
        }
        found => found,
    }
}

/// Reads a skill at a commit. `known` is its id where that is known; else it is the id that its signature says, or the name that its
/// `SKILL.md` gives, or the folder's name.
pub(super) fn find(
    project: &Project,
    upstream: &Upstream<'_>,
    source: &GitSource,
    commit: &CommitId,
    known: Option<&ItemId>,
) -> Result<Revision, Error> {
    let folder = source.name();
    let read = upstream.folder(commit, source.path());
    // Where the whole of a repository is meant by mistake, its skills are told first.
    if let Err(error @ UpstreamError::NoSkill { .. }) = read {
        return Err(error.into());
    }
    let read = read?;
    let text = read.bytes.get(crate::item::SKILL_FILE).map_or(&[][..], Vec::as_slice);
    let given = format::skill_document(folder, text).0.map(|document| document.name);
    let name = given.filter(|name| is_skill_name(name)).unwrap_or_else(|| folder.to_owned());
    if !is_skill_name(&name) {
        return Err(PullError::Name { name }.into());
    }
    let faults = read.folder.faults();
    if !faults.is_empty() {
        return Err(PullError::Faulty { source_shown: source.at(Some(commit.as_str()))?.to_string(), faults }.into());
    }
    let own: ItemId = name.parse().map_err(|_| PullError::Name { name })?;
    // A signature is filed under the name of the folder.
    let filed = folder.parse().unwrap_or_else(|_| own.clone());
    let signature = signature(project, upstream, commit, &read, known, &filed)?;
    let id = signature.as_ref().map(|signature| signature.manifest.id.clone());
    let id = id.or_else(|| known.cloned()).unwrap_or(own);
    let place = SkillPlace { name: id.name().to_owned(), is_offered: false, path: source.path().to_owned() };
    let (document, _) = skill_document(&id, &place, text)?;
    Ok(Revision { id, source: source.clone(), commit: commit.clone(), read, document, signature })
}

/// Finds the signature that the repository has of a skill. One that is there and does not sign the folder is refused: a skill that is
/// signed badly is not one that is not signed.
fn signature(
    project: &Project,
    upstream: &Upstream<'_>,
    commit: &CommitId,
    read: &SkillContent,
    known: Option<&ItemId>,
    own: &ItemId,
) -> Result<Option<Signature>, Error> {
    let is_wanted = |id: &ItemId| match known {
        Some(known) => id == known,
        None => id.name() == own.as_str() && id.as_str().matches('/').count() <= 1,
    };
    let paths = upstream.paths_below(commit, SIGNATURES, MOST_SIGNATURES)?;
    let ids = paths.iter().filter_map(|path| path.strip_prefix(SIGNATURES)?.strip_prefix('/')?.strip_suffix(".sig"));
    let mut ids: Vec<ItemId> = ids.filter_map(|id| id.parse().ok()).filter(is_wanted).collect();
    // The plain name first.
    ids.sort_by_key(|id| (id.as_str().len(), id.clone()));
    let mut refused = None;
    for id in ids {
        match of_file(project, upstream, commit, read, &id) {
            Ok(signature) => return Ok(Some(signature)),
            Err(error) => drop(refused.get_or_insert(error)),
        }
    }
    refused.map_or(Ok(None), Err)
}

fn of_file(
    project: &Project,
    upstream: &Upstream<'_>,
    commit: &CommitId,
    read: &SkillContent,
    id: &ItemId,
) -> Result<Signature, Error> {
    let path = format!("{SIGNATURES}/{id}.sig");
    let wrong = |reason: String| Error::Signature { path: path.clone(), reason };
    let bytes =
        upstream.file(commit, &path, MAX_ITEM_BYTES)?.ok_or_else(|| wrong("it is not a plain file".to_owned()))?;
    let subject = subject(id);
    let parsed = format::parse_bytes(ItemType::Skill, &subject.extension, &bytes);
    let Some(Item::Skill(manifest)) = parsed.item.filter(|_| !format::has_errors(&parsed.findings)) else {
        let first = parsed.findings.first().map(|finding| finding.message.clone());
        return Err(wrong(first.unwrap_or_else(|| "it is not a manifest".to_owned())));
    };
    if manifest.id != *id {
        return Err(wrong(format!("its manifest is that of `{}`", manifest.id)));
    }
    if let Some(fault) = read.folder.compare(&manifest).first() {
        return Err(wrong(format!("`{}`: {fault}", fault.path().unwrap_or_default())));
    }
    let raw = Signed::new(subject.clone(), bytes.clone());
    let split = raw.split();
    let line = match &split.line {
        LineState::Present(line) if line.hash == split.covered() => line.clone(),
        LineState::Absent | LineState::Legacy => return Err(wrong("it has no signature line".to_owned())),
        LineState::Malformed { reason } => return Err(wrong((*reason).to_owned())),
        LineState::Doubled => return Err(wrong(Fault::SecondLine.to_string())),
        LineState::Present(_) => return Err(wrong(Fault::Changed.to_string())),
    };
    let key = key(project, upstream, commit, &subject, &line)?;
    let key = key.ok_or_else(|| Error::NoKey { path: path.clone(), key_id: line.key_id.clone() })?;
    let TrustedKey { key, principal, .. } = key;
    Ok(Signature { bytes, manifest: *manifest, key, principal, signed_at: line.timestamp })
}

/// Finds the key that made a line: among those that the repository lists, or those that are trusted here.
fn key(
    project: &Project,
    upstream: &Upstream<'_>,
    commit: &CommitId,
    subject: &Subject,
    line: &SignatureLine,
) -> Result<Option<TrustedKey>, Error> {
    let fits = |key: &TrustedKey| {
        let message = subject.message(line.timestamp, &line.hash);
        key.permits(Namespace::Item)
            && key.is_valid_at(line.timestamp)
            && key.key.key_id() == line.key_id
            && key.key.verifies(Namespace::Item, &message, line.signature)
    };
    let listed = upstream.file(commit, SIGNERS, MAX_TRUST_FILE_BYTES as u64)?.unwrap_or_default();
    let listed = parse_allowed_signers(listed, SIGNERS, &project.context().zone()).keys;
    let trusted = project.keys();
    let found = listed.iter().chain(trusted.with_id(&line.key_id)).find(|key| fits(key));
    Ok(found.cloned())
}
