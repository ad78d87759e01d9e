//! Skills from git repositories: pulled, brought to a newer commit, and made again as the lock says.
//!
//! Two steps, as for items: a plan fetches, checks and compares, and changes no skill; `perform` writes the decision to trust, and of each
//! skill its folder, its signature and last the lock. Commit points: the exchange of the folders, the rename of the signature's file, the
//! rename of the lock. A run that was killed leaves the old folder with a journal, by which the next one goes back (`recovery`).
//!
//! The lock is a record, not a permission: a signature is judged as any other, and one of a key that is trusted for this skill alone
//! counts only where the lock has that very file.

mod error;
mod listing;
mod options;
mod outcome;
mod outdated;
mod plan;
mod predecessor;
mod revision;
mod signing;
mod sync;
mod update;

pub use self::error::Error;
pub use self::listing::{ListedSkill, SkillList, list_skills};
pub use self::options::{Consent, How, PullOptions, SyncOptions, UpdateOptions};
pub use self::outcome::{PulledSkill, SkillOutcome, SyncOutcome, SyncState, Synced, SyncedSkill};
pub use self::outdated::{OutdatedSkill, SkillStanding, outdated_skills};
use self::plan::planned;
pub use self::plan::{PlannedSkill, SkillPlan};
use self::revision::{Revision, current};
use self::signing::{NewSignature, trusted};
pub use self::signing::{Signing, UpstreamSigner};
pub use self::sync::{SyncPlan, perform_sync, plan_sync};
pub use self::update::{plan_update, updatable_skills};
use super::lock;
use super::place::check_wanted;
use super::plan::decide;
use super::recovery::begin;
use super::write::{Change, write};
use crate::format::registry_files::{Lock, LockedSkill, LockedSource, SkillOrigin, UpstreamSignature};
use crate::id::{GitSource, Space};
use crate::project::Project;
use crate::registry::Upstream;
use crate::session::Session;
use crate::trust::TrustedKey;

/// Finds out what would be pulled, and whose keys would have to be trusted for it.
///
/// # Errors
///
/// Fails when a source cannot be read or its folder cannot be a skill, when its signature does not count or is by another key than before,
/// when it would go back, and when something else is in its place.
pub fn plan_skills(session: &Session, options: &PullOptions) -> Result<SkillPlan, Error> {
    let project = session.project();
    let how = &options.how;
    let lock = begin(project, how.space)?;
    // Before the network is used.
    check_wanted(project, how.space, options.to.as_ref())?;
    let mut skills = Vec::new();
    for source in &options.sources {
        let source = Upstream::absolute(session.context().current_dir(), source)?;
        let (mut upstream, found) = current(session, how, (&source, &source), None)?;
        let locked = lock.skill(&found.id);
        if let Some(locked) = locked.filter(|locked| !is_from(locked, &source) && !how.force) {
            let from = locked.git().map_or_else(|| locked.folder.clone(), |git| git.source.to_string());
            return Err(Error::OtherSource { id: found.id, locked: from });
        }
        // Another revision that was asked for may be an older one.
        let is_asked = |locked: &LockedSkill| locked.git().is_some_and(|git| git.source.rev() != source.rev());
        let how = How { allow_rollback: how.allow_rollback || locked.is_some_and(is_asked), ..how.clone() };
        let order = match locked {
            Some(locked) => update::order(&mut upstream, locked, &found.commit, &how)?,
            None => None,
        };
        skills.push(planned(project, &how, &lock, options.to.as_ref(), found, order)?);
    }
    Ok(SkillPlan { skills, space: how.space, lock })
}

/// Tells whether a skill of the lock came from a folder, at whatever revision.
fn is_from(locked: &LockedSkill, source: &GitSource) -> bool {
    locked.git().is_some_and(|git| (git.source.url(), git.source.path()) == (source.url(), source.path()))
}

/// Writes the plan.
///
/// # Errors
///
/// Fails with [`super::Error::LockMoved`], and nothing written, when another program pulled since the plan was made. Fails when a decision
/// or a file cannot be written, or a folder changed meanwhile: that skill stays as it was, and those before it are done.
pub fn perform_skills(project: &Project, plan: &SkillPlan, consent: Consent<'_>) -> Result<SkillOutcome, Error> {
    let _held = lock::hold(project, plan.space, &plan.lock)?;
    if consent.trusts {
        let trusted = |skill: &PlannedSkill| trusted(skill.new_signer()?, &skill.found);
        decide(project, &plan.skills.iter().filter_map(trusted).collect::<Vec<TrustedKey>>())?;
    }
    let mut lock = plan.lock.clone();
    let mut skills = Vec::new();
    for skill in &plan.skills {
        skills.push(put(project, plan.space, &mut lock, skill, consent)?);
    }
    Ok(SkillOutcome { skills, lock: lock::shown(plan.space) })
}

/// Writes one skill of a plan, and puts it into the lock.
fn put(
    project: &Project,
    space: Space,
    lock: &mut Lock,
    skill: &PlannedSkill,
    consent: Consent<'_>,
) -> Result<PulledSkill, Error> {
    let PlannedSkill { found, target, signing, .. } = skill;
    let Revision { id, source, commit, read, signature, .. } = found;
    let here = target.present.signature.as_ref();
    let signed = NewSignature::of(project, space, (signing, found), here, consent)?;
    let version = signed.as_ref().map_or_else(|| found.version(), |signed| signed.version);
    // A signature that stays names the commit that it was made at; the same files at a later one are the same skill.
    let kept = here.filter(|_| matches!(signing, Signing::Here)).and_then(|here| here.commit_of(source));
    let commit = kept.unwrap_or_else(|| commit.to_string());
    let upstream = if signature.is_some() { UpstreamSignature::Signed } else { UpstreamSignature::Unsigned };
    let mut after = lock.clone();
    after.put_skill(LockedSkill {
        id: id.clone(),
        version,
        folder: target.folder().to_owned(),
        digest: found.digest(),
        signed: signed.as_ref().map(NewSignature::locked),
        origin: SkillOrigin::Git(LockedSource { source: source.clone(), commit, upstream }),
    });
    let signature = signed.as_ref().map(|signed| signed.file.bytes.as_slice());
    let change = Change { id, present: &target.present, files: Some(read), signature };
    write(project, space, (lock, &after), &change)?;
    *lock = after;
    Ok(skill.pulled(space, signed.as_ref(), consent.trusts))
}
