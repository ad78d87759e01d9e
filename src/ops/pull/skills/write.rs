//! One skill written: its folder, then its signature, then the lock.

use super::super::lock;
use super::error::Error;
use super::found::{Found, subject};
use super::here;
use super::options::Consent;
use super::outcome::PulledSkill;
use super::place_error::PlaceError;
use super::plan::{PlannedSkill, Signing};
use crate::format;
use crate::format::registry_files::{Lock, LockedSignature, LockedSkill, LockedSource, SkillOrigin, UpstreamSignature};
use crate::id::{ItemId, Space, Version};
use crate::ops::sign::keep_skill_bytes;
use crate::project::Project;
use crate::registry::UpstreamFolder;
use crate::trust::{ContentHash, Signed, Verdict};
use crate::workspace::{PlacedFile, Placing, Staged};

/// A skill's signature as it is to be.
pub(super) struct NewSignature {
    pub(super) bytes: Vec<u8>,
    pub(super) signer: String,
    pub(super) version: Option<Version>,
}

/// What becomes of one skill here.
pub(in crate::ops::pull) struct Change<'a> {
    pub(in crate::ops::pull) id: &'a ItemId,
    pub(in crate::ops::pull) folder: &'a str,
    /// The digest of the folder that is there.
    pub(in crate::ops::pull) before: Option<ContentHash>,
    /// The files that it gets; none where it is removed.
    pub(in crate::ops::pull) files: Option<&'a UpstreamFolder>,
    pub(in crate::ops::pull) signature_before: Option<&'a [u8]>,
    pub(in crate::ops::pull) signature_after: Option<&'a [u8]>,
}

/// Writes one skill of a plan, and puts it into the lock.
pub(super) fn put(
    project: &Project,
    space: Space,
    lock: &mut Lock,
    skill: &PlannedSkill,
    consent: Consent<'_>,
) -> Result<PulledSkill, Error> {
    let Found { id, source, commit, read, signature, .. } = &skill.found;
    let signature_after = new_signature(project, space, skill, consent)?;
    let version = signature_after.as_ref().map_or_else(|| skill.found.version(), |signature| signature.version);
    let upstream = if signature.is_some() { UpstreamSignature::Signed } else { UpstreamSignature::Unsigned };
    let signed = signature_after.as_ref().map(|signature| LockedSignature {
        signer: signature.signer.clone(),
        sha256: ContentHash::of(&signature.bytes),
    });
    let mut after = lock.clone();
    after.put_skill(LockedSkill {
        id: id.clone(),
        version,
        folder: skill.folder.clone(),
        digest: skill.found.digest(),
        signed,
        origin: SkillOrigin::Git(LockedSource { source: source.clone(), commit: commit.to_string(), upstream }),
    });
    let change = Change {
        id,
        folder: &skill.folder,
        before: skill.before,
        files: Some(read),
        signature_before: skill.signature_here.as_ref().map(|here| here.bytes.as_slice()),
        signature_after: signature_after.as_ref().map(|signature| signature.bytes.as_slice()),
    };
    write(project, space, (lock, &after), &change)?;
    *lock = after;
    Ok(pulled(space, skill, signature_after.as_ref(), consent.trusts))
}

/// Writes what becomes of a skill: the folder, its signature, and last the lock.
pub(super) fn write(
    project: &Project,
    space: Space,
    (before, after): (&Lock, &Lock),
    change: &Change<'_>,
) -> Result<(), Error> {
    let staged = put_in_place(project, space, change)?;
    let Change { id, signature_before, signature_after, .. } = change;
    if let Err(error) = lock::write(project, space, before, after) {
        // The first failure is the error to report.
        drop(here::write_signature(project, space, id, *signature_after, *signature_before));
        return Err(error.into());
    }
    staged.map_or(Ok(()), |staged| Ok(staged.finish()?))
}

/// Puts a skill's folder and its signature into their places. The returned guard is kept until the lock is written.
pub(in crate::ops::pull) fn put_in_place(
    project: &Project,
    space: Space,
    change: &Change<'_>,
) -> Result<Option<Staged>, PlaceError> {
    let mut staged = staged(project, space, change)?;
    if let Some(staged) = &mut staged {
        staged.swap()?;
    }
    let Change { id, signature_before, signature_after, .. } = change;
    if change.files.is_some() {
        keep_skill_bytes(project, space, id)?;
    }
    here::write_signature(project, space, id, *signature_before, *signature_after)?;
    Ok(staged)
}

/// Prepares a folder that differs from the existing one.
fn staged(project: &Project, space: Space, change: &Change<'_>) -> Result<Option<Staged>, PlaceError> {
    let after = change.files.map(|files| files.folder.digest());
    if after == change.before {
        return Ok(None);
    }
    let placing = Placing { id: change.id.clone(), folder: change.folder.to_owned(), before: change.before, after };
    let files = change.files.map(placed);
    Ok(Some(project.workspace().stage_skill(space, placing, files, change.signature_before)?))
}

fn placed(read: &UpstreamFolder) -> Vec<PlacedFile<'_>> {
    let files = read.folder.entries.iter().filter_map(|entry| {
        let crate::item::EntryKind::File { executable, .. } = entry.kind else { return None };
        Some(PlacedFile { path: &entry.path, executable, bytes: read.bytes.get(&entry.path)? })
    });
    files.collect()
}

/// Returns the signature that a skill gets: that of its source, the one it has here, or the person's.
fn new_signature(
    project: &Project,
    space: Space,
    skill: &PlannedSkill,
    consent: Consent<'_>,
) -> Result<Option<NewSignature>, Error> {
    let id = &skill.found.id;
    match (&skill.signing, &skill.found.signature) {
        (Signing::Upstream(signer), Some(signature)) => {
            let (bytes, version) = (signature.bytes.clone(), signature.manifest.version);
            Ok(Some(NewSignature { bytes, signer: signer.fingerprint.clone(), version }))
        }
        (Signing::Here, _) => {
            let here = skill.signature_here.as_ref();
            let signer = here.and_then(|here| here::signer(project, space, id, &here.bytes));
            Ok(here.zip(signer).map(|(here, signer)| {
                let version = here.manifest().and_then(|manifest| manifest.version);
                NewSignature { bytes: here.bytes.clone(), signer, version }
            }))
        }
        _ => {
            let Some(signer) = consent.signer else { return Ok(None) };
            let manifest = skill.manifest()?;
            let text = format::manifest_text(&manifest).into_bytes();
            let raw = Signed::new(subject(id), text).in_space(space);
            let (_, bytes) = raw.sign(signer, project.context().now())?;
            Ok(Some(NewSignature { bytes, signer: signer.public().fingerprint(), version: manifest.version }))
        }
    }
}

/// Says what became of a skill.
pub(super) fn pulled(
    space: Space,
    skill: &PlannedSkill,
    signature: Option<&NewSignature>,
    trusts: bool,
) -> PulledSkill {
    let verdict = match &skill.signing {
        Signing::Upstream(signer) if signer.is_new && trusts => Verdict::Good,
        Signing::Upstream(signer) => signer.verdict,
        Signing::Here => Verdict::Good,
        Signing::Unsigned if signature.is_some() => Verdict::Good,
        Signing::Unsigned => Verdict::Unsigned,
    };
    let known = match &skill.signing {
        Signing::Upstream(signer) => Some(signer.fingerprint.clone()),
        Signing::Here | Signing::Unsigned => signature.map(|signature| signature.signer.clone()),
    };
    let Found { id, source, commit, signature: upstream, .. } = &skill.found;
    PulledSkill {
        status: skill.status,
        item_id: id.clone(),
        version: skill.found.version(),
        space,
        folder: skill.folder.clone(),
        source: source.to_string(),
        commit: commit.to_string(),
        digest: skill.found.digest(),
        verdict,
        signer: known,
        upstream: if upstream.is_some() { "signed" } else { "unsigned" }.to_owned(),
        rewritten: skill.is_rewritten(),
        change: skill.change.clone(),
    }
}
