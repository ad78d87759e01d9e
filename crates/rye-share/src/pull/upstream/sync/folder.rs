//! The folders of skills that the lock does not have.

use std::collections::BTreeSet;

use super::super::super::place::{self, PresentSkill};
use super::super::super::signature::SkillSignature;
use super::super::error::Error;
use super::super::options::SyncOptions;
use super::super::outcome::Synced;
use super::step::{Action, Step};
use crate::format::registry_files::{self, Lock, LockedSignature, LockedSkill, LockedSource, SkillOrigin};
use crate::id::{ItemId, ItemType, Space};
use crate::project::Project;
use crate::trust::ContentHash;
use crate::workspace::{LOCK_FILE, SkillPlaces};

/// A folder of a skill that can be one.
struct Unlisted<'a> {
    id: &'a ItemId,
    digest: ContentHash,
    present: PresentSkill,
    /// Who signed it, if that counts here.
    signer: Option<String>,
}

/// Lists the folders that the lock does not have. A copy of a skill in the lock is not listed.
pub(super) fn unlisted(
    project: &Project,
    options: &SyncOptions,
    lock: &Lock,
    places: &SkillPlaces,
) -> Result<Vec<Step>, Error> {
    let space = options.how.space;
    let recorded = if options.prune { recorded(project, space)? } else { BTreeSet::new() };
    // With what is adopted.
    let mut known = lock.clone();
    let mut steps = Vec::new();
    // What is only offered was not pulled.
    for place in places.places.iter().filter(|place| !place.is_offered) {
        if lock.skills().iter().any(|locked| locked.folder == place.path) {
            continue;
        }
        let Ok(name) = place.name.parse::<ItemId>() else { continue };
        let folder = project.skill_folder(space, place)?;
        if let Some(fault) = folder.faults().first() {
            steps.push(Step::refused(&place.path, fault));
            continue;
        }
        let digest = folder.digest();
        if known.skills().iter().any(|locked| locked.id.name() == place.name && locked.digest == digest) {
            continue;
        }
        let (id, signature) = signature_of(project, space, &name, digest)?;
        let is_half_listed = lock.find(ItemType::Skill, &id).is_some() && lock.skill(&id).is_none();
        if is_half_listed {
            continue;
        }
        let signer = signature.as_ref().and_then(|here| here.signer(project, space, &id));
        let present = PresentSkill { folder: place.path.clone(), digest: Some(digest), signature };
        let step = step(options, &known, &recorded, Unlisted { id: &id, digest, present, signer });
        if let Action::Adopt(locked) = &step.action {
            known.put_skill((**locked).clone());
        }
        steps.push(step);
    }
    Ok(steps)
}

/// Decides about one folder. A skill of the project's own that is signed needs no lock, and is nothing to prune.
fn step(options: &SyncOptions, known: &Lock, recorded: &BTreeSet<ContentHash>, unlisted: Unlisted<'_>) -> Step {
    let Unlisted { id, digest, present, signer } = unlisted;
    let folder = present.folder.as_str();
    let manifest = present.signature.as_ref().and_then(SkillSignature::manifest);
    let source = manifest.as_ref().and_then(LockedSource::signed_in);
    let told = |status: Synced, detail: &str| Step::new(id, folder, status, Some(detail.to_owned()));
    let act = |action: Action| Step { action, ..Step::new(id, folder, Synced::Unlisted, None) };
    if options.prune && (signer.is_none() || options.how.force) {
        return match recorded.contains(&digest) || options.how.force {
            true => act(Action::Prune { id: id.clone(), present: present.clone() }),
            false => told(Synced::Unlisted, "the committed lock does not have these files"),
        };
    }
    if known.skill(id).is_some() {
        return told(Synced::Unlisted, &format!("`rye.lock` has skill `{id}` in another folder"));
    }
    if present.signature.is_some() && signer.is_none() {
        return told(Synced::Unlisted, "its signature is not trusted here; if it was pulled, pull it again");
    }
    if options.adopt {
        let signed = present.signature.as_ref().zip(signer);
        let signed = signed.map(|(here, signer)| LockedSignature { signer, sha256: here.sha256() });
        let version = manifest.and_then(|manifest| manifest.version);
        let origin = source.map_or(SkillOrigin::Local, SkillOrigin::Git);
        let (id, folder) = (id.clone(), folder.to_owned());
        return act(Action::Adopt(Box::new(LockedSkill { id, version, folder, digest, signed, origin })));
    }
    match (signer, source) {
        (None, _) => Step::new(id, folder, Synced::Unlisted, None),
        (Some(_), None) => told(Synced::Unchanged, "signed here, and not in `rye.lock`"),
        (Some(_), Some(_)) => told(Synced::Unlisted, "its signature names a source, and `rye.lock` does not have it"),
    }
}

/// Finds the signature that is about these files: under the folder's name, or below a namespace.
fn signature_of(
    project: &Project,
    space: Space,
    name: &ItemId,
    digest: ContentHash,
) -> Result<(ItemId, Option<SkillSignature>), Error> {
    let listing = project.workspace().list(Some(ItemType::Skill), Some(space))?;
    for candidate in listing.items.into_iter().filter(|candidate| candidate.id.name() == name.as_str()) {
        let Some(here) = place::signature(project, space, &candidate.id)? else { continue };
        if here.manifest().is_some_and(|manifest| manifest.digest() == digest) {
            return Ok((candidate.id, Some(here)));
        }
    }
    Ok((name.clone(), None))
}

/// Returns the digests of every folder that the lock of the last commit has: what it names can be had again.
fn recorded(project: &Project, space: Space) -> Result<BTreeSet<ContentHash>, Error> {
    let mut recorded = BTreeSet::new();
    if space == Space::Project
        && let Some(repository) = project.repository()
        && let Some(commit_id) = repository.head().ok().and_then(|head| head.commit_id().cloned())
        && let Some(bytes) = repository.file_at(&commit_id, LOCK_FILE).ok().flatten()
    {
        let lock = registry_files::lock(&bytes).unwrap_or_default();
        recorded.extend(lock.skills().iter().map(|locked| locked.digest));
    }
    Ok(recorded)
}
