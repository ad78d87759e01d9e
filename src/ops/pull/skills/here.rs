//! The local parts of a skill: its folder, and the file with its signature.

use super::error::Error;
use super::found::{extension, subject};
use super::place_error::PlaceError;
use crate::format;
use crate::id::{ItemId, ItemType, Space};
use crate::item::{Item, SkillFolder, SkillManifest};
use crate::project::Project;
use crate::trust::{ContentHash, Fault, PublicKey, Signed, TrustedKeys, Verdict};
use crate::workspace::{self, Expected, SkillPlace};

/// The file with a skill's signature.
#[derive(Debug, Clone)]
pub(super) struct SignatureHere {
    pub(super) bytes: Vec<u8>,
}

impl SignatureHere {
    pub(super) fn sha256(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }

    /// Returns the manifest; none if the file cannot be read as one.
    pub(super) fn manifest(&self) -> Option<SkillManifest> {
        match format::parse_bytes(ItemType::Skill, &extension(), &self.bytes).item {
            Some(Item::Skill(manifest)) => Some(*manifest),
            _ => None,
        }
    }
}

/// Reads the folder at a path; `None` if missing.
pub(super) fn folder(project: &Project, space: Space, path: &str) -> Result<Option<SkillFolder>, PlaceError> {
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    match project.workspace().skill_folder(space, &SkillPlace { name, path: path.to_owned() }) {
        Err(workspace::Error::NotFound { .. }) => Ok(None),
        read => Ok(Some(read?)),
    }
}

/// Returns the digest of the folder at a path; `None` if missing.
pub(super) fn digest(project: &Project, space: Space, path: &str) -> Result<Option<ContentHash>, PlaceError> {
    Ok(folder(project, space, path)?.map(|folder| folder.digest()))
}

/// Reads the file with a skill's signature; `None` if missing.
pub(super) fn signature(project: &Project, space: Space, id: &ItemId) -> Result<Option<SignatureHere>, PlaceError> {
    let candidate = project.workspace().candidate_in(space, ItemType::Skill, id)?;
    let bytes = candidate.map(|candidate| project.workspace().read(&candidate)).transpose()?;
    Ok(bytes.map(|bytes| SignatureHere { bytes }))
}

/// Makes the file with a skill's signature what it is to be, if it still is as it was.
pub(super) fn write_signature(
    project: &Project,
    space: Space,
    id: &ItemId,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> Result<(), PlaceError> {
    if before == after {
        return Ok(());
    }
    let workspace = project.workspace();
    match after {
        Some(bytes) => {
            let expected = before.map_or(Expected::Absent, Expected::Content);
            workspace.write_item(space, ItemType::Skill, id, &extension(), bytes, expected)?;
        }
        None => {
            if let (Some(before), Some(candidate)) = (before, workspace.candidate_in(space, ItemType::Skill, id)?) {
                workspace.remove_item(&candidate, before)?;
            }
        }
    }
    Ok(())
}

/// Judges a signature as it would be judged in the space once the lock has it, and tells whether only a decision is missing.
pub(super) fn judged(project: &Project, space: Space, id: &ItemId, bytes: &[u8]) -> Result<(Verdict, bool), Error> {
    let keys = with_pulled(project, space, id, bytes);
    match Signed::new(subject(id), bytes.to_vec()).in_space(space).judge_line(&keys) {
        Ok(_) => Ok((Verdict::Good, false)),
        Err(fault @ Fault::UntrustedKey { .. }) => Ok((fault.verdict(), true)),
        Err(fault) => Err(Error::Refused { id: id.clone(), fault }),
    }
}

/// Returns the fingerprint of the key that made a signature which counts here; none for any other. A key that is trusted for what was pulled
/// alone counts only if the lock has this very file.
pub(super) fn signer(project: &Project, space: Space, id: &ItemId, bytes: &[u8]) -> Option<String> {
    let keys = project.keys();
    let signed = Signed::new(subject(id), bytes.to_vec()).in_space(space);
    signed.judge_line(&keys).ok()?;
    signed.named_keys(&keys).iter().find(|key| signed.is_line_by(key)).map(PublicKey::fingerprint)
}

fn with_pulled(project: &Project, space: Space, id: &ItemId, bytes: &[u8]) -> TrustedKeys {
    let mut keys = (*project.keys()).clone();
    keys.add_pulled(space, ItemType::Skill, id.clone(), ContentHash::of(bytes));
    keys
}
