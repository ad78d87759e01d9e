//! A skill that is published: its files, and what its manifest signs that was not signed before.

use super::error::Error;
use crate::format::{self, SkillChange, SkillFiles};
use crate::item::{SkillFault, SkillFile, SkillManifest};
use crate::locate::LocateError;
use crate::project::Project;
use crate::registry::Package;
use crate::sign::{LastSigned, SignedSkill};
use crate::trust::ContentHash;
use crate::workspace::Candidate;

/// What publishing a skill signs.
#[derive(Debug, Clone)]
pub struct SkillPreview {
    /// The last signed version; `None` if everything is new.
    pub last_signed: Option<LastSigned>,
    /// The changes since.
    pub change: SkillChange,
    /// The files that can be executed.
    pub executables: Vec<String>,
}

/// Compares a package with the last signed version, of which only the digests are known.
pub(super) fn preview(signed: &SignedSkill, package: &Package) -> SkillPreview {
    let files = format::skill_manifest(package.item()).map(|manifest| manifest.files).unwrap_or_default();
    let bytes = |path: &str| package.companions().find(|(known, _)| *known == path).map(|(_, bytes)| bytes);
    let before = signed.last_signed.as_ref().map(|last| last.manifest.files.as_slice()).unwrap_or_default();
    let is_same = |path: &&str| {
        let digest = |files: &[SkillFile]| files.iter().find(|file| file.path == *path).map(|file| file.sha256);
        digest(before) == digest(&files)
    };
    let old = SkillFiles::new(before, |path| Some(path).filter(is_same).and_then(bytes));
    let new = SkillFiles::new(&files, bytes);
    let change = SkillChange::between(signed.name(), &old, &new);
    let executables = files.iter().filter(|file| file.executable).map(|file| file.path.clone()).collect();
    SkillPreview { last_signed: signed.last_signed.clone(), change, executables }
}

/// Reads the files of a skill, which must be those that its manifest names.
pub(super) fn files(
    project: &Project,
    candidate: &Candidate,
    manifest: &SkillManifest,
) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let Candidate { space, id, .. } = candidate;
    let changed =
        |path: &str, fault| LocateError::SkillChanged { item_id: id.clone(), path: path.into(), faults: vec![fault] };
    let places = project.places_of_skill(*space, id)?;
    let place = places.first().ok_or_else(|| changed("", SkillFault::NoFolder))?;
    let mut files = Vec::new();
    for file in &manifest.files {
        let bytes = project.workspace().skill_file(*space, place, &file.path)?;
        if ContentHash::of(&bytes) != file.sha256 {
            return Err(changed(&place.path, SkillFault::Changed { path: file.path.clone() }).into());
        }
        files.push((file.path.clone(), bytes));
    }
    Ok(files)
}
