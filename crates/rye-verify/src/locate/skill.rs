//! Skills: from the manifest that is signed to the folder that it is about, and the only way to a skill that may be used.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::skill_faults::SkillSetting;
use super::{Checked, LocateError};
use crate::format::{self, Finding, Severity, SkillDocument};
use crate::id::{Extension, ItemId, ItemType, SPACE_FOLDER, Space, Version, item_path};
use crate::item::{Item, SKILL_FILE, SkillFault, SkillFolder, SkillManifest};
use crate::project::Project;
use crate::trust::{ContentHash, Signed, Verdict, Verified};
use crate::workspace::{Candidate, SkillPaths, SkillPlace, SkillPlaces};

/// A skill whose manifest is signed and whose folder is what the manifest says.
#[derive(Debug, Clone)]
pub struct VerifiedSkill {
    /// The signed manifest.
    pub manifest: SkillManifest,
    /// Its folder; of several with equal files the first.
    pub place: SkillPlace,
    /// Its `SKILL.md`.
    pub document: SkillDocument,
    /// Warnings and advice about its `SKILL.md`.
    pub findings: Vec<Finding>,
}

/// A skill of a space, signed or not.
#[derive(Debug, Clone)]
pub struct KnownSkill {
    /// Its manifest in `.ai/skills`, which may be still to be written.
    pub candidate: Candidate,
    /// Whether there is a manifest.
    pub has_manifest: bool,
    /// Its folders.
    pub places: Vec<SkillPlace>,
    setting: Arc<SkillSetting>,
}

impl Project {
    /// Lists the skills of a space: those that have a manifest, and the folders that have none.
    ///
    /// # Errors
    ///
    /// As [`Project::skill_places`], and when `.ai` cannot be opened.
    pub fn known_skills(&self, space: Space) -> Result<Vec<KnownSkill>, LocateError> {
        let Some(root) = self.workspace().root(space) else { return Ok(Vec::new()) };
        let found = self.skill_places(space)?;
        let mut places: BTreeMap<String, Vec<SkillPlace>> = BTreeMap::new();
        for place in &found.places {
            places.entry(place.name.clone()).or_default().push(place.clone());
        }
        let setting = SkillSetting::read(self, space, found)?;
        let manifests = self.workspace().list(Some(ItemType::Skill), Some(space))?.items;
        let signed: BTreeSet<&str> = manifests.iter().map(|candidate| candidate.id.name()).collect();
        let mut known: Vec<KnownSkill> = Vec::new();
        for (name, places) in &places {
            if let (false, Ok(id)) = (signed.contains(name.as_str()), name.parse::<ItemId>()) {
                let (candidate, setting) = (manifest_candidate(root, space, &id), Arc::clone(&setting));
                known.push(KnownSkill { candidate, has_manifest: false, places: places.clone(), setting });
            }
        }
        known.extend(manifests.iter().map(|candidate| {
            let (candidate, setting) = (candidate.clone(), Arc::clone(&setting));
            let places = places.get(candidate.id.name()).cloned().unwrap_or_default();
            KnownSkill { candidate, has_manifest: true, places, setting }
        }));
        known.sort_by(|a, b| a.candidate.id.cmp(&b.candidate.id));
        Ok(known)
    }

    /// Returns the version that the manifest of a skill says; none where it has none or cannot be read.
    pub fn skill_version(&self, skill: &KnownSkill) -> Result<Option<Version>, LocateError> {
        if !skill.has_manifest {
            return Ok(None);
        }
        let bytes = self.workspace().read(&skill.candidate)?;
        Ok(format::skill_manifest(&bytes).and_then(|manifest| manifest.version))
    }

    /// Returns what a skill is worth: its manifest's signature, and its folders and the lock held against it.
    pub fn skill_verdict(&self, skill: &KnownSkill) -> Result<Verdict, LocateError> {
        if !skill.has_manifest {
            return Ok(Verdict::Unsigned);
        }
        let space = skill.candidate.space;
        let bytes = self.workspace().read(&skill.candidate)?;
        let manifest = format::skill_manifest(&bytes);
        let signed = Signed::new(super::subject(&skill.candidate), bytes).in_space(space);
        let verdict = super::verdict_of(&self.keys(), signed.clone());
        let Some(manifest) = manifest.filter(|_| verdict.is_accepted()) else { return Ok(verdict) };
        let is_good = skill.setting.faults(self, space, &manifest, &signed)?.is_empty();
        Ok(if is_good { verdict } else { Verdict::Tampered })
    }

    /// Returns the folder that the verdict on a skill is about: the first, and where skills are only offered the first that is signed.
    pub fn judged_place(&self, skill: &KnownSkill) -> Result<Option<SkillPlace>, LocateError> {
        let first = skill.places.first().cloned();
        if !skill.has_manifest || skill.places.len() < 2 || !first.as_ref().is_some_and(|place| place.is_offered) {
            return Ok(first);
        }
        let bytes = self.workspace().read(&skill.candidate)?;
        let Some(manifest) = format::skill_manifest(&bytes) else { return Ok(first) };
        let folders = skill.setting.folders(self, skill.candidate.space, &manifest)?;
        Ok(folders.into_iter().next().map(|(place, _)| place))
    }

    /// Returns the first folder of a skill that is not what its manifest says.
    pub fn differing_place<'s>(&self, skill: &'s KnownSkill) -> Result<Option<&'s SkillPlace>, LocateError> {
        if !skill.has_manifest {
            return Ok(None);
        }
        let bytes = self.workspace().read(&skill.candidate)?;
        let Some(manifest) = format::skill_manifest(&bytes) else { return Ok(None) };
        for place in &skill.places {
            if !self.skill_folder(skill.candidate.space, place)?.compare(&manifest).is_empty() {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Finds the folders of a space's skills.
    pub fn skill_places(&self, space: Space) -> Result<SkillPlaces, LocateError> {
        Ok(self.workspace().skill_places(space, &self.skill_paths(space)?)?)
    }

    /// Returns the folders that have the name of a skill.
    ///
    /// # Errors
    ///
    /// As [`Project::skill_places`].
    pub fn places_of_skill(&self, space: Space, item_id: &ItemId) -> Result<Vec<SkillPlace>, LocateError> {
        Ok(self.workspace().places_of_skill(space, &self.skill_paths(space)?, item_id.name())?.places)
    }

    /// Returns the folder that the path of a skill's folder means: where it leads to another folder of `skills.paths`, that one.
    pub fn linked_skill(&self, space: Space, path: &str) -> Result<String, LocateError> {
        Ok(self.workspace().linked_skill(space, |other| self.is_skill_path(space, other), path)?)
    }

    /// Holds the folders of a verified manifest, and what else a verification looks at, against it.
    ///
    /// # Errors
    ///
    /// Fails on all that a verification refuses of a skill, and when `SKILL.md` is not one.
    pub fn verified_skill(&self, verified: &Signed<Checked, Verified>) -> Result<VerifiedSkill, LocateError> {
        self.verified_skill_in(&self.skill_paths(verified.content().space)?, verified)
    }

    /// The same, given the folders that skills of its space are looked for in.
    pub(super) fn verified_skill_in(
        &self,
        paths: &SkillPaths,
        verified: &Signed<Checked, Verified>,
    ) -> Result<VerifiedSkill, LocateError> {
        let Checked { item, space, bytes, .. } = verified.content();
        let item_id = verified.subject().item_id.clone();
        let refused =
            |path: String, faults| LocateError::SkillChanged { item_id: item_id.clone(), path: path.into(), faults };
        let Item::Skill(manifest) = item else {
            return Err(self.no_such_skill(&item_id));
        };
        let found = self.workspace().places_of_skill(*space, paths, item_id.name())?;
        let setting = SkillSetting::read(self, *space, found)?;
        let signed = Signed::new(verified.subject().clone(), bytes.clone()).in_space(*space);
        let mut faults = setting.faults(self, *space, manifest, &signed)?;
        if let Some((path, _)) = faults.first().cloned() {
            faults.retain(|(other, _)| *other == path);
            return Err(refused(path, faults.into_iter().map(|(_, fault)| fault).collect()));
        }
        let Some(place) = setting.folders(self, *space, manifest)?.into_iter().next().map(|(place, _)| place) else {
            return Err(refused(String::new(), vec![SkillFault::NoFolder]));
        };
        // The bytes that are used are those that are compared, whatever happened to the file since.
        let text = self.workspace().skill_text(*space, &place)?;
        let signed = manifest.files.iter().find(|file| file.path == SKILL_FILE);
        if signed.is_none_or(|file| file.sha256 != ContentHash::of(&text)) {
            return Err(refused(place.path, vec![SkillFault::Changed { path: SKILL_FILE.to_owned() }]));
        }
        let (document, findings) = signed_document(&item_id, &place, &text)?;
        Ok(VerifiedSkill { manifest: (**manifest).clone(), place, document, findings })
    }

    /// Reads a file of a verified skill, and refuses other bytes than the signed ones.
    ///
    /// # Errors
    ///
    /// Fails when the manifest has no such file, and when it cannot be read or differs.
    pub fn skill_file(&self, space: Space, skill: &VerifiedSkill, path: &str) -> Result<Vec<u8>, LocateError> {
        let changed = |fault| LocateError::SkillChanged {
            item_id: skill.manifest.id.clone(),
            path: PathBuf::from(&skill.place.path),
            faults: vec![fault],
        };
        let signed = skill.manifest.files.iter().find(|file| file.path == path);
        let signed = signed.ok_or_else(|| changed(SkillFault::Added { path: path.to_owned() }))?;
        let bytes = self.workspace().skill_file(space, &skill.place, path)?;
        if ContentHash::of(&bytes) == signed.sha256 {
            Ok(bytes)
        } else {
            Err(changed(SkillFault::Changed { path: path.to_owned() }))
        }
    }

    /// Says of a skill with a folder and without a manifest that it is unsigned, not that it is missing.
    #[must_use]
    pub fn of_unsigned_skill(&self, error: LocateError) -> LocateError {
        let LocateError::Unknown { item_type: ItemType::Skill, ref item_id, .. } = error else { return error };
        for space in [Space::Project, Space::User] {
            let known = self.known_skills(space).unwrap_or_default();
            if space == Space::Project
                && let Some(error) = self.not_checked_out(ItemType::Skill, item_id)
            {
                return error;
            }
            let place = |skill: &KnownSkill| skill.places.iter().find(|place| place.name == item_id.as_str()).cloned();
            let Some((skill, place)) = known.iter().find_map(|skill| Some((skill, place(skill)?))) else { continue };
            let path = match space {
                Space::User => format!("~/{}", place.path),
                Space::Project | Space::System => place.path,
            };
            let signed_as = skill.has_manifest.then(|| skill.candidate.id.clone()).filter(|id| id != item_id);
            return LocateError::SkillUnsigned { item_id: item_id.clone(), path: path.into(), signed_as };
        }
        let LocateError::Unknown { item_type, ref item_id, .. } = error else { return error };
        self.not_checked_out(item_type, item_id).unwrap_or(error)
    }

    fn no_such_skill(&self, item_id: &ItemId) -> LocateError {
        LocateError::Unknown {
            item_type: ItemType::Skill,
            item_id: item_id.clone(),
            space: None,
            suggestion: None,
            instead: None,
        }
    }
}

/// Reads a skill's `SKILL.md`. Returns it with its findings: those about its form keep nobody from signing and using it.
///
/// # Errors
///
/// Fails with all findings when it cannot be read as the `SKILL.md` of a skill.
pub fn skill_document(
    item_id: &ItemId,
    place: &SkillPlace,
    bytes: &[u8],
) -> Result<(SkillDocument, Vec<Finding>), LocateError> {
    let (document, findings) = format::skill_document(&place.name, bytes);
    match document {
        Some(document) if !findings.iter().any(is_refused) => Ok((document, findings)),
        _ => Err(invalid(item_id, place, bytes, findings)),
    }
}

/// Reads the `SKILL.md` of a signed skill, whose signature covers its bytes: front matter that cannot be read leaves all of the text to
/// its body.
fn signed_document(
    item_id: &ItemId,
    place: &SkillPlace,
    bytes: &[u8],
) -> Result<(SkillDocument, Vec<Finding>), LocateError> {
    let (document, findings) = format::skill_document(&place.name, bytes);
    let is_unusable = |finding: &Finding| is_refused(finding) && !format::rules::is_unread_front_matter(finding.rule);
    match document {
        Some(document) if !findings.iter().any(is_unusable) => Ok((document, findings)),
        _ => Err(invalid(item_id, place, bytes, findings)),
    }
}

/// Checks that a skill's `SKILL.md` has the form of the public format, as whoever publishes it owes to others.
///
/// # Errors
///
/// Fails with all findings when one of them is an error.
pub fn check_skill_form(item_id: &ItemId, place: &SkillPlace, bytes: &[u8]) -> Result<(), LocateError> {
    let (_, findings) = format::skill_document(&place.name, bytes);
    if format::has_errors(&findings) { Err(invalid(item_id, place, bytes, findings)) } else { Ok(()) }
}

fn is_refused(finding: &Finding) -> bool {
    finding.severity == Severity::Error && !format::rules::is_form_of_skill(finding.rule)
}

fn invalid(item_id: &ItemId, place: &SkillPlace, bytes: &[u8], findings: Vec<Finding>) -> LocateError {
    LocateError::Invalid {
        item_type: ItemType::Skill,
        item_id: item_id.clone(),
        path: PathBuf::from(format!("{}/{SKILL_FILE}", place.path)),
        findings,
        text: String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Returns where the manifest of a skill is, or belongs.
#[must_use]
pub fn manifest_candidate(root: &Path, space: Space, id: &ItemId) -> Candidate {
    let extension = Extension::MANIFEST;
    let path = root.join(SPACE_FOLDER).join(item_path(ItemType::Skill, id, &extension));
    Candidate { space, item_type: ItemType::Skill, id: id.clone(), extension, path }
}

/// Makes the manifest of a folder. Its version is the one that `metadata` names.
#[must_use]
pub fn manifest_of(item_id: &ItemId, folder: &SkillFolder, document: &SkillDocument) -> SkillManifest {
    SkillManifest { id: item_id.clone(), version: document.version(), source: None, files: folder.files() }
}
