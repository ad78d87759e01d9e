//! The folders of skills as the lock says: compared, made again, taken into the lock, removed.
//!
//! A folder whose files are those of the lock needs nothing from its source. Nothing is trusted and nothing is asked here: a signature that
//! comes back is the one that the lock has.

use std::collections::BTreeSet;

use super::super::lock;
use super::error::Error;
use super::here::{self, SignatureHere};
use super::mend;
use super::options::SyncOptions;
use super::outcome::{SyncOutcome, SyncState, Synced, SyncedSkill};
use super::place::is_skill_folder;
use super::restore::{Restored, restored};
use super::write::{Change, write};
use crate::format::registry_files::{self, Lock, LockedSignature, LockedSkill, SkillOrigin};
use crate::id::{ItemId, ItemType, Space};
use crate::item::files_digest;
use crate::ops::locate::Session;
use crate::trust::ContentHash;
use crate::workspace::LOCK_FILE;

/// What would be made of the folders.
#[derive(Debug)]
pub struct SyncPlan {
    pub(super) space: Space,
    pub(super) lock: Lock,
    pub(super) steps: Vec<Step>,
}

/// What would be made of one skill.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) skill: SyncedSkill,
    pub(super) action: Action,
}

/// The work.
#[derive(Debug)]
pub(super) enum Action {
    Nothing,
    Restore(Box<Restored>),
    Adopt(Box<LockedSkill>),
    Prune { digest: ContentHash, signature: Option<SignatureHere> },
}

impl SyncPlan {
    /// Lists the folders that would be removed.
    #[must_use]
    pub fn pruned(&self) -> Vec<&str> {
        let is_pruned = |step: &&Step| matches!(step.action, Action::Prune { .. });
        self.steps.iter().filter(is_pruned).map(|step| step.skill.folder.as_str()).collect()
    }

    /// Tells whether anything would be written.
    #[must_use]
    pub fn is_changing(&self) -> bool {
        self.steps.iter().any(|step| !matches!(step.action, Action::Nothing))
    }

    /// Returns how everything is now.
    #[must_use]
    pub fn now(&self) -> SyncOutcome {
        outcome(self.space, self.steps.iter().map(|step| step.skill.clone()).collect())
    }
}

/// Compares the folders with the lock, and fetches missing skills. With `check` nothing is fetched or mended.
///
/// # Errors
///
/// Fails when the lock or a folder cannot be read, when a source is not reached, and when it has other files than the lock says.
pub fn plan_sync(session: &Session, options: &SyncOptions) -> Result<SyncPlan, Error> {
    let space = options.how.space;
    let lock = lock::read(session, space)?;
    let mut steps = Vec::new();
    if options.check {
        for left in mend::left(session, space)? {
            steps.push(step(&left.id, &left.folder, Synced::Changed, Some("a run was killed".to_owned())));
        }
    } else {
        let _held = session.workspace().hold(space)?;
        for folder in mend::mend(session, space, &lock)? {
            let id = folder.rsplit('/').next().and_then(|name| name.parse().ok());
            let detail = Some("a run was killed, and its staging folder next to the folder was left".to_owned());
            steps.extend(id.map(|id: ItemId| step(&id, &folder, Synced::Changed, detail)));
        }
    }
    for locked in lock.skills() {
        steps.push(listed(session, options, locked)?);
    }
    steps.extend(unlisted(session, options, &lock)?);
    Ok(SyncPlan { space, lock, steps })
}

fn step(id: &ItemId, folder: &str, status: Synced, detail: Option<String>) -> Step {
    let skill = SyncedSkill { status, item_id: id.clone(), folder: folder.to_owned(), detail };
    Step { skill, action: Action::Nothing }
}

/// Compares a skill of the lock with the local one.
fn listed(session: &Session, options: &SyncOptions, locked: &LockedSkill) -> Result<Step, Error> {
    let space = options.how.space;
    if !is_skill_folder(session, space, &locked.folder) {
        let detail = "`skills.paths` does not have this folder".to_owned();
        return Ok(step(&locked.id, &locked.folder, Synced::Refused, Some(detail)));
    }
    let digest = here::digest(session, space, &locked.folder)?;
    let signature = here::signature(session, space, &locked.id)?;
    let is_signed = signature.as_ref().map(SignatureHere::sha256) == locked.signed.as_ref().map(|signed| signed.sha256);
    let (status, detail) = match digest {
        None => (Synced::Missing, None),
        Some(digest) if digest != locked.digest => (Synced::Changed, changed(session, space, locked)),
        Some(_) if !is_signed => (Synced::Signature, Some(of_signature(locked, signature.as_ref()))),
        Some(_) => (Synced::Unchanged, None),
    };
    let mut step = step(&locked.id, &locked.folder, status, detail);
    if options.check || status == Synced::Unchanged {
        return Ok(step);
    }
    let is_own = signature.as_ref().filter(|here| here.manifest().is_some_and(|it| it.digest() == locked.digest));
    if status == Synced::Signature
        && options.adopt
        && let Some(here) = is_own
        && let Some(signer) = here::signer(session, space, &locked.id, &here.bytes)
    {
        let signed = Some(LockedSignature { signer, sha256: here.sha256() });
        step.action = Action::Adopt(Box::new(LockedSkill { signed, ..locked.clone() }));
        return Ok(step);
    }
    // After signing an own skill anew, adopting it updates the lock.
    let is_renewed = signature.as_ref().zip(digest).filter(|(here, digest)| {
        let fits = here.manifest().is_some_and(|manifest| manifest.digest() == *digest);
        fits && locked.origin == SkillOrigin::Local && options.adopt
    });
    if let Some((here, digest)) = is_renewed
        && let Some(signer) = here::signer(session, space, &locked.id, &here.bytes)
    {
        let signed = Some(LockedSignature { signer, sha256: here.sha256() });
        let version = here.manifest().and_then(|manifest| manifest.version);
        step.action = Action::Adopt(Box::new(LockedSkill { signed, digest, version, ..locked.clone() }));
        return Ok(step);
    }
    // A local change is a person's work.
    let is_work = status == Synced::Changed || status == Synced::Signature && signature.is_some();
    if is_work && !options.force() {
        return Ok(step);
    }
    match restored(session, &options.how, locked, digest, signature)? {
        Some(restored) => {
            step.skill.detail = restored.note.clone();
            if !(restored.is_lost && restored.before == Some(locked.digest)) {
                step.action = Action::Restore(Box::new(restored));
            }
        }
        None => {
            step.skill.detail = Some(match &locked.origin {
                SkillOrigin::Registry(_) => "run `rye pull --locked`, with `--force` if it was changed here".to_owned(),
                SkillOrigin::Local | SkillOrigin::Git(_) => "it was made here, and nothing else has it".to_owned(),
            });
        }
    }
    Ok(step)
}

impl SyncOptions {
    const fn force(&self) -> bool {
        self.how.force
    }
}

fn of_signature(locked: &LockedSkill, here: Option<&SignatureHere>) -> String {
    match (&locked.signed, here) {
        (Some(_), None) => "its signature is missing".to_owned(),
        (None, Some(_)) => "it has a signature that `rye.lock` does not have".to_owned(),
        _ => "its signature is another one than `rye.lock` says".to_owned(),
    }
}

/// Names the first files that differ from the signed ones.
fn changed(session: &Session, space: Space, locked: &LockedSkill) -> Option<String> {
    const SHOWN: usize = 3;
    let manifest = here::signature(session, space, &locked.id).ok()??.manifest()?;
    let folder = here::folder(session, space, &locked.folder).ok()??;
    let faults = folder.compare(&manifest);
    let told: Vec<String> =
        faults.iter().take(SHOWN).map(|fault| format!("`{}`: {fault}", fault.path().unwrap_or_default())).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// Lists the folders that the lock does not have. A copy of a skill that it has does not count.
fn unlisted(session: &Session, options: &SyncOptions, lock: &Lock) -> Result<Vec<Step>, Error> {
    let space = options.how.space;
    let recorded = if options.prune { recorded(session, space)? } else { BTreeSet::new() };
    let mut steps = Vec::new();
    for place in session.skill_places(space)?.places {
        if lock.skills().iter().any(|locked| locked.folder == place.path) {
            continue;
        }
        let Ok(name) = place.name.parse::<ItemId>() else { continue };
        let folder = session.workspace().skill_folder(space, &place)?;
        let digest = files_digest(&folder.files());
        if lock.skills().iter().any(|locked| locked.id.name() == place.name && locked.digest == digest) {
            continue;
        }
        let faults = folder.faults();
        if let Some(fault) = faults.first() {
            let path = fault.path().unwrap_or_default();
            steps.push(step(
                &name,
                &place.path,
                Synced::Refused,
                Some(format!("`{path}`: {fault} ({})", fault.rule())),
            ));
            continue;
        }
        let (id, signature) = signature_of(session, space, &name, digest)?;
        let signer = signature.as_ref().and_then(|here| here::signer(session, space, &id, &here.bytes));
        // A skill of the project's own that is signed needs no lock, and is nothing to prune.
        if signer.is_some() && !options.adopt && !(options.prune && options.force()) {
            steps.push(step(
                &id,
                &place.path,
                Synced::Unchanged,
                Some("signed here, and not in `rye.lock`".to_owned()),
            ));
            continue;
        }
        let mut step = step(&id, &place.path, Synced::Unlisted, None);
        let is_free = lock.skill(&id).is_none();
        if options.prune && !options.check {
            if recorded.contains(&digest) || options.force() {
                step.action = Action::Prune { digest, signature };
            } else {
                step.skill.detail = Some("the committed lock does not have these files".to_owned());
            }
        } else if options.adopt && !options.check && is_free {
            step.action =
                Action::Adopt(Box::new(adopted(session, space, &id, &place.path, digest, signature.as_ref())));
        } else if !is_free {
            step.skill.detail = Some(format!("`rye.lock` has skill `{id}` in another folder"));
        }
        steps.push(step);
    }
    Ok(steps)
}

fn adopted(
    session: &Session,
    space: Space,
    id: &ItemId,
    folder: &str,
    digest: ContentHash,
    signature: Option<&SignatureHere>,
) -> LockedSkill {
    let signed = signature.and_then(|here| {
        let signer = here::signer(session, space, id, &here.bytes)?;
        Some(LockedSignature { signer, sha256: here.sha256() })
    });
    let version = signature.and_then(|here| here.manifest()?.version);
    LockedSkill { id: id.clone(), version, folder: folder.to_owned(), digest, signed, origin: SkillOrigin::Local }
}

/// Finds the signature that is about these files: under the folder's name, or below a namespace.
fn signature_of(
    session: &Session,
    space: Space,
    name: &ItemId,
    digest: ContentHash,
) -> Result<(ItemId, Option<SignatureHere>), Error> {
    let listing = session.workspace().list(Some(ItemType::Skill), Some(space))?;
    for candidate in listing.items.into_iter().filter(|candidate| candidate.id.name() == name.as_str()) {
        let Some(here) = here::signature(session, space, &candidate.id)? else { continue };
        if here.manifest().is_some_and(|manifest| manifest.digest() == digest) {
            return Ok((candidate.id, Some(here)));
        }
    }
    Ok((name.clone(), None))
}

/// Returns the digests of every folder that the lock of the last commit has: these can be restored.
fn recorded(session: &Session, space: Space) -> Result<BTreeSet<ContentHash>, Error> {
    let mut recorded = BTreeSet::new();
    if space == Space::Project
        && let Some(repository) = session.repository()
        && let Some(commit_id) = repository.head().ok().and_then(|head| head.commit_id().cloned())
        && let Some(bytes) = repository.file_at(&commit_id, LOCK_FILE).ok().flatten()
    {
        let lock = registry_files::lock(&bytes).unwrap_or_default();
        recorded.extend(lock.skills().iter().map(|locked| locked.digest));
    }
    Ok(recorded)
}

/// Applies the plan to the folders and the lock.
///
/// # Errors
///
/// Fails when the lock is another one by now, a folder changed meanwhile, or something cannot be written: changes made
/// before stay.
pub fn perform_sync(session: &Session, plan: SyncPlan) -> Result<SyncOutcome, Error> {
    let space = plan.space;
    let _held = session.workspace().hold(space)?;
    if lock::read(session, space)? != plan.lock {
        return Err(super::super::Error::LockMoved { path: lock::shown(space) }.into());
    }
    let mut lock = plan.lock;
    let mut skills = Vec::new();
    for Step { mut skill, action } in plan.steps {
        match action {
            Action::Nothing => {}
            Action::Restore(restored) => {
                let signature = restored.signature_before.as_ref().map(|here| here.bytes.as_slice());
                let change = Change {
                    id: &skill.item_id,
                    folder: &skill.folder,
                    before: restored.before,
                    files: Some(&restored.read),
                    signature_before: signature,
                    signature_after: restored.signature_after.as_deref(),
                };
                write(session, space, (&lock, &lock), &change)?;
                skill.status = if restored.is_lost { Synced::Signature } else { Synced::Restored };
            }
            Action::Adopt(locked) => {
                let mut after = lock.clone();
                after.put_skill(*locked);
                lock::write(session, space, &lock, &after)?;
                lock = after;
                (skill.status, skill.detail) = (Synced::Adopted, None);
            }
            Action::Prune { digest, signature } => {
                let change = Change {
                    id: &skill.item_id,
                    folder: &skill.folder,
                    before: Some(digest),
                    files: None,
                    signature_before: signature.as_ref().map(|here| here.bytes.as_slice()),
                    signature_after: None,
                };
                write(session, space, (&lock, &lock), &change)?;
                skill.status = Synced::Pruned;
            }
        }
        skills.push(skill);
    }
    Ok(outcome(space, skills))
}

fn outcome(space: Space, skills: Vec<SyncedSkill>) -> SyncOutcome {
    let differs = skills.iter().any(|skill| skill.status.is_difference());
    let status = if differs { SyncState::Differs } else { SyncState::Synced };
    SyncOutcome { status, skills, lock: lock::shown(space) }
}
