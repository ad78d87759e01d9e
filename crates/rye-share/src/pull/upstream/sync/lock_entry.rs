//! A skill of the lock, compared with what is here.

use super::super::super::place::{self, PresentSkill, is_skill_folder};
use super::super::super::signature::{SkillSignature, subject, told};
use super::super::error::Error;
use super::super::options::SyncOptions;
use super::super::outcome::Synced;
use super::restore::{of_registry, restored};
use super::step::{Action, Step};
use crate::format::registry_files::{Lock, LockedSignature, LockedSkill, LockedSource, SkillOrigin};
use crate::id::{ItemId, ItemType, Space};
use crate::item::{SkillFault, SkillFolder};
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signed;
use crate::workspace::SkillPlaces;

/// Compares a skill of the lock with what is here.
pub(super) fn listed(
    session: &Session,
    options: &SyncOptions,
    (lock, locked): (&Lock, &LockedSkill),
    places: &SkillPlaces,
) -> Result<Step, Error> {
    let project = session.project();
    let space = options.how.space;
    if !is_skill_folder(project, space, &locked.folder) {
        let detail = "`skills.paths` does not have this folder".to_owned();
        return Ok(Step::new(&locked.id, &locked.folder, Synced::Refused, Some(detail)));
    }
    if let Some((_, fault)) = places.faults.iter().find(|(path, _)| *path == locked.folder) {
        return Ok(Step::new(&locked.id, &locked.folder, Synced::Refused, Some(told(fault))));
    }
    let folder = place::folder(project, space, &locked.folder)?;
    let present = PresentSkill::of(project, space, &locked.id, (&locked.folder, folder.as_ref()))?;
    let signature = present.signature.as_ref();
    let contradiction = signature.and_then(|here| contradiction(project, space, lock, (&locked.id, here)));
    let (status, detail) = standing(locked, folder.as_ref(), signature, contradiction.as_ref());
    let mut step = Step::new(&locked.id, &locked.folder, status, detail);
    if options.check || status == Synced::Unchanged {
        return Ok(step);
    }
    if let Some(adopted) = adopted(project, options, (lock, locked), &present) {
        step.action = Action::Adopt(Box::new(adopted));
        return Ok(step);
    }
    // What was changed here is somebody's work, and a lock that contradicts the signature says nothing of where it is from.
    let is_work = match status {
        Synced::Changed | Synced::Refused => true,
        Synced::Signature => signature.is_some(),
        Synced::Unchanged
        | Synced::Restored
        | Synced::Adopted
        | Synced::Pruned
        | Synced::Missing
        | Synced::Unlisted => false,
    };
    let is_contradicted = status == Synced::Signature && contradiction.is_some() && is_that_of(locked, signature);
    if is_contradicted || is_work && !options.how.force {
        return Ok(step);
    }
    mend(session, options, (lock, locked), present, &mut step)?;
    Ok(step)
}

/// Plans to make a skill again.
fn mend(
    session: &Session,
    options: &SyncOptions,
    (lock, locked): (&Lock, &LockedSkill),
    present: PresentSkill,
    step: &mut Step,
) -> Result<(), Error> {
    match &locked.origin {
        SkillOrigin::Registry(_) => {
            step.action = Action::Pull(Box::new(of_registry(session, &options.how, lock, locked)?));
        }
        SkillOrigin::Git(_) | SkillOrigin::Local => match restored(session, &options.how, locked, present)? {
            Some(restored) => {
                step.skill.detail = restored.note.clone();
                if !(restored.is_lost && restored.present.digest == Some(locked.digest)) {
                    step.action = Action::Restore { id: locked.id.clone(), restored: Box::new(restored) };
                }
            }
            None => step.skill.detail = Some("it was made here, and nothing else has it".to_owned()),
        },
    }
    Ok(())
}

/// Tells how a skill stands to the lock.
fn standing(
    locked: &LockedSkill,
    folder: Option<&SkillFolder>,
    signature: Option<&SkillSignature>,
    contradiction: Option<&SkillFault>,
) -> (Synced, Option<String>) {
    let is_signed = is_that_of(locked, signature);
    let contradicted = || contradiction.filter(|_| is_signed).map(|fault| (Synced::Signature, Some(told(fault))));
    let Some(folder) = folder else {
        return contradicted().unwrap_or((Synced::Missing, None));
    };
    if let Some(fault) = folder.faults().first() {
        return (Synced::Refused, Some(told(fault)));
    }
    if folder.digest() != locked.digest {
        return (Synced::Changed, changed(folder, signature));
    }
    if !is_signed {
        return (Synced::Signature, Some(of_signature(locked, signature)));
    }
    contradicted().unwrap_or((Synced::Unchanged, None))
}

/// Tells whether a signature, or that there is none, is what the lock says.
fn is_that_of(locked: &LockedSkill, signature: Option<&SkillSignature>) -> bool {
    signature.map(SkillSignature::sha256) == locked.signed.as_ref().map(|signed| signed.sha256)
}

/// Says what in the lock contradicts the signature that is here.
fn contradiction(
    project: &Project,
    space: Space,
    lock: &Lock,
    (id, here): (&ItemId, &SkillSignature),
) -> Option<SkillFault> {
    let signed = Signed::new(subject(id), here.bytes.clone()).in_space(space);
    lock.skill_fault(&here.manifest()?, here.sha256(), &signed.named_signers(&project.keys()))
}

/// Returns what the lock is to say of a skill that was signed anew, or whose entry contradicts its signature. Only a signature that counts
/// is followed, of files that are here; where the files are others than those of the lock, only one's own skill.
fn adopted(
    project: &Project,
    options: &SyncOptions,
    (lock, locked): (&Lock, &LockedSkill),
    present: &PresentSkill,
) -> Option<LockedSkill> {
    let (here, space) = (present.signature.as_ref().filter(|_| options.adopt)?, options.how.space);
    let manifest = here.manifest()?;
    let is_meant = manifest.digest() == locked.digest || locked.origin == SkillOrigin::Local;
    if present.digest != Some(manifest.digest()) || !is_meant {
        return None;
    }
    let signer = here.signer(project, space, &locked.id)?;
    let origin = match &locked.origin {
        SkillOrigin::Local => LockedSource::signed_in(&manifest).map_or(SkillOrigin::Local, SkillOrigin::Git),
        SkillOrigin::Git(_) | SkillOrigin::Registry(_) => locked.origin.clone(),
    };
    let adopted = LockedSkill {
        version: manifest.version,
        digest: manifest.digest(),
        signed: Some(LockedSignature { signer, sha256: here.sha256() }),
        origin,
        ..locked.clone()
    };
    let mut after = lock.clone();
    after.put_skill(adopted.clone());
    contradiction(project, space, &after, (&locked.id, here)).is_none().then_some(adopted)
}

fn of_signature(locked: &LockedSkill, here: Option<&SkillSignature>) -> String {
    match (&locked.signed, here) {
        (Some(_), None) => "its signature is missing".to_owned(),
        (None, Some(_)) => "it has a signature that `rye.lock` does not have".to_owned(),
        _ => "its signature is another one than `rye.lock` says".to_owned(),
    }
}

/// Names the first files that differ from what is signed.
fn changed(folder: &SkillFolder, signature: Option<&SkillSignature>) -> Option<String> {
    const SHOWN: usize = 3;
    let faults = folder.compare(&signature?.manifest()?);
    let told: Vec<String> =
        faults.iter().take(SHOWN).map(|fault| format!("`{}`: {fault}", fault.path().unwrap_or_default())).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Lists the skills that the lock has as items of a registry and not as skills.
pub(super) fn half_listed(lock: &Lock, places: &SkillPlaces) -> Vec<Step> {
    let is_half = |id: &ItemId| lock.skill(id).is_none();
    let entries = lock.entries().iter().filter(|entry| entry.item_type == ItemType::Skill && is_half(&entry.id));
    let step = |id: &ItemId| {
        let place = places.places.iter().find(|place| place.name == id.name());
        let detail = "`rye.lock` has it in `[[item]]` and not in `[[skill]]`: run `rye pull --locked`".to_owned();
        Step::new(id, place.map_or("", |place| &place.path), Synced::Unlisted, Some(detail))
    };
    entries.map(|entry| step(&entry.id)).collect()
}
