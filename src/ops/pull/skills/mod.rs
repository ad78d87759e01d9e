//! Skills from git repositories: pulled, brought to a newer commit, made again as the lock says, and removed.
//!
//! Two steps, as for items: a plan fetches, checks and compares, and changes no skill; `perform` writes the decision to trust, and of each
//! skill its folder, its signature and last the lock. Commit points: the exchange of the folders, the rename of the signature's file, the
//! rename of the lock. A run that was killed leaves the old folder with a journal, by which the next one goes back (`mend`).
//!
//! The lock is a record, not a permission: a signature is judged as any other, and one of a key that is trusted for this skill alone
//! counts only where the lock has that very file.

mod begin;
mod changes;
mod error;
mod former;
mod found;
mod here;
mod listed;
mod mend;
mod options;
mod outcome;
mod outdated;
mod place;
mod place_error;
mod plan;
mod removal;
mod restore;
mod step;
mod sync;
mod unlisted;
mod update;
mod write;

use self::begin::begin;
pub(super) use self::changes::change;
pub use self::error::Error;
use self::found::find;
pub use self::options::{Consent, How, PullOptions, SyncOptions, UpdateOptions};
pub use self::outcome::{PulledSkill, SkillOutcome, SyncOutcome, SyncState, Synced, SyncedSkill};
pub use self::outdated::{OutdatedSkill, SkillStanding, outdated_skills};
use self::place::check_wanted;
pub(super) use self::place::{check_others, place};
pub use self::place_error::PlaceError;
use self::plan::planned;
pub use self::plan::{PlannedSkill, Signing, SkillPlan, UpstreamSigner};
pub use self::removal::{RemovedSkill, remove_skill};
pub use self::sync::{SyncPlan, perform_sync, plan_sync};
pub use self::update::{plan_update, updatable_skills};
use self::write::put;
pub(super) use self::write::{Change, put_in_place};
use super::lock;
use crate::format::registry_files::LockedSkill;
use crate::id::{GitSource, ItemId, Space};
use crate::item::SkillFolder;
use crate::keys::TrustDir;
use crate::project::Project;
use crate::registry::Upstream;
use crate::session::Session;
use crate::trust::{Namespace, Scope, TrustedKey};

/// Returns the folder at a path; `None` if missing.
pub(super) fn folder_here(project: &Project, space: Space, folder: &str) -> Result<Option<SkillFolder>, PlaceError> {
    here::folder(project, space, folder)
}

/// Returns the file with a skill's signature; `None` if missing.
pub(super) fn signature_here(project: &Project, space: Space, id: &ItemId) -> Result<Option<Vec<u8>>, PlaceError> {
    Ok(here::signature(project, space, id)?.map(|here| here.bytes))
}

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
        let transport = session.transport(how.terminal)?;
        let mut upstream = Upstream::open(session.context(), &transport, source.url())?;
        let found = match how.is_offline {
            true => find(project, &upstream, &source, &update::offline(&upstream, &source)?, None)?,
            false => update::fetched(project, &mut upstream, &source, None)?,
        };
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
    let _held = project.workspace().hold(plan.space)?;
    if lock::read(project, plan.space)? != plan.lock {
        return Err(super::Error::LockMoved { path: lock::shown(plan.space) }.into());
    }
    let keys: Vec<TrustedKey> = plan.skills.iter().filter_map(decision).collect();
    if consent.trusts && !keys.is_empty() {
        TrustDir::new(project.context())?.add(&keys)?;
    }
    let mut lock = plan.lock.clone();
    let mut skills = Vec::new();
    for skill in &plan.skills {
        skills.push(put(project, plan.space, &mut lock, skill, consent)?);
    }
    Ok(SkillOutcome { skills, lock: lock::shown(plan.space) })
}

impl SkillPlan {
    /// Returns what [`perform_skills`] would return, as far as it is known before the questions.
    #[must_use]
    pub fn preview(&self) -> SkillOutcome {
        let skills = self.skills.iter().map(|skill| write::pulled(self.space, skill, None, false));
        SkillOutcome { skills: skills.collect(), lock: lock::shown(self.space) }
    }
}

/// Trusts a key for one skill, or those of its namespace, and for nothing else.
fn decision(skill: &PlannedSkill) -> Option<TrustedKey> {
    let signer = skill.new_signer()?;
    let key = skill.found.signature.as_ref()?.key;
    let (registry, namespace) = skill.scope();
    Some(TrustedKey {
        namespaces: vec![Namespace::Item.as_str().to_owned()],
        scope: Scope::Namespace { registry, namespace },
        ..TrustedKey::new(key, principal(&signer.principal), "")
    })
}

/// Makes what a source calls a person one word of an allowed_signers line.
fn principal(text: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "@._+-".contains(*letter);
    let name: String = text.chars().filter(is_plain).take(100).collect();
    if name.is_empty() { "upstream".to_owned() } else { name }
}
