//! What keeps a skill from being used: all that a verification refuses of it, found where it is used.

use std::sync::Arc;

use super::LocateError;
use crate::format::registry_files::{self, Lock};
use crate::id::Space;
use crate::item::{SkillAttributes, SkillFault, SkillFolder, SkillManifest};
use crate::project::Project;
use crate::trust::{ContentHash, Signed, Unverified};
use crate::workspace::{LOCK_FILE, SkillPlace, SkillPlaces};

/// What counts for the skills of a space besides their folders, read once for all of them.
#[derive(Debug)]
pub(super) struct SkillSetting {
    places: SkillPlaces,
    attributes: SkillAttributes,
    /// None where it cannot be read.
    lock: Option<Lock>,
}

impl SkillSetting {
    /// Reads what counts for skills in these places.
    pub(super) fn read(project: &Project, space: Space, places: SkillPlaces) -> Result<Arc<Self>, LocateError> {
        let read = |path: &str| Ok::<_, LocateError>(project.workspace().attributes(space, path));
        let attributes = match space {
            Space::Project => SkillAttributes::read(places.places.iter().map(|place| place.path.as_str()), read)?,
            // No commit has them.
            Space::User | Space::System => SkillAttributes::default(),
        };
        let lock = match project.workspace().lock_file(space) {
            Ok(None) => Some(Lock::default()),
            Ok(Some(bytes)) => registry_files::lock(&bytes).ok(),
            Err(_) => None,
        };
        Ok(Arc::new(Self { places, attributes, lock }))
    }

    /// Reads the folders of a skill: those that have its name, and where skills are only offered those that it signs, if there are any.
    pub(super) fn folders(
        &self,
        project: &Project,
        space: Space,
        manifest: &SkillManifest,
    ) -> Result<Vec<(SkillPlace, SkillFolder)>, LocateError> {
        let mut folders = Vec::new();
        for place in self.places.places.iter().filter(|place| place.name == manifest.id.name()) {
            folders.push((place.clone(), project.skill_folder(space, place)?));
        }
        let fits = |folder: &SkillFolder| folder.compare(manifest).is_empty();
        if folders.iter().all(|(place, _)| place.is_offered) && folders.iter().any(|(_, folder)| fits(folder)) {
            folders.retain(|(_, folder)| fits(folder));
        }
        Ok(folders)
    }

    /// Finds what keeps a skill from being used, each with the folder or file that it is about. `signed` is the manifest's file.
    pub(super) fn faults(
        &self,
        project: &Project,
        space: Space,
        manifest: &SkillManifest,
        signed: &Signed<Vec<u8>, Unverified>,
    ) -> Result<Vec<(String, SkillFault)>, LocateError> {
        let name = manifest.id.name();
        let folders = self.folders(project, space, manifest)?.into_iter();
        let folders: Vec<SkillFolder> = folders.map(|(_, folder)| folder).collect();
        // A difference between two folders says more than how each differs from the signed one.
        let rival = |other: &SkillFolder| Some((other.path.clone(), other.rival(folders.first()?)?));
        let mut faults: Vec<(String, SkillFault)> = folders.iter().skip(1).filter_map(rival).collect();
        for folder in &folders {
            faults.extend(folder.compare(manifest).into_iter().map(|fault| (folder.path.clone(), fault)));
            faults.extend(self.attributes.faults(&folder.path));
        }
        if folders.is_empty() {
            faults.push((String::new(), SkillFault::NoFolder));
        }
        faults.extend(self.places.faults_of(name));
        let folders: Vec<&str> = folders.iter().map(|folder| folder.path.as_str()).collect();
        let of_lock = self.lock_fault(project, space, (manifest, signed), &folders)?;
        faults.extend(of_lock.map(|fault| (LOCK_FILE.to_owned(), fault)));
        faults.retain(|(_, fault)| fault.refuses());
        Ok(faults)
    }

    /// Compares what is signed for a skill in these folders with the lock.
    fn lock_fault(
        &self,
        project: &Project,
        space: Space,
        (manifest, signed): (&SkillManifest, &Signed<Vec<u8>, Unverified>),
        folders: &[&str],
    ) -> Result<Option<SkillFault>, LocateError> {
        let Some(lock) = &self.lock else { return Ok(Some(SkillFault::UNREAD_LOCK)) };
        let signers = signed.named_signers(&project.keys());
        let fault = lock.skill_fault(manifest, ContentHash::of(signed.content()), &signers);
        match lock.other_folder(&manifest.id, folders).filter(|_| fault.is_none()) {
            // A folder that leads to another one is that one.
            Some(other) if !folders.contains(&project.linked_skill(space, other)?.as_str()) => {
                Ok(Some(SkillFault::OTHER_FOLDER))
            }
            Some(_) | None => Ok(fault),
        }
    }
}
