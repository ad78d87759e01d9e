//! What a newer commit of their sources brings to skills of the lock.

use super::super::lock;
use super::super::recovery::begin;
use super::error::Error;
use super::options::{How, UpdateOptions};
use super::plan::{SkillPlan, planned};
use super::revision::current;
use crate::format::registry_files::LockedSkill;
use crate::git::CommitId;
use crate::id::{ItemId, Space};
use crate::project::Project;
use crate::registry::{Order, Upstream};
use crate::session::Session;

/// Finds newer versions at the sources of skills. Skills of the lock that came from elsewhere are left out.
///
/// # Errors
///
/// As [`super::plan_skills`], and when the lock does not have the skill.
pub fn plan_update(session: &Session, options: &UpdateOptions) -> Result<SkillPlan, Error> {
    let project = session.project();
    let how = &options.how;
    let lock = begin(project, how.space)?;
    if let Some(id) = options.only.as_ref().filter(|id| lock.skill(id).is_none()) {
        return Err(Error::NotLocked { id: id.clone() });
    }
    let is_meant = |locked: &&LockedSkill| options.only.as_ref().is_none_or(|only| locked.id == *only);
    let mut skills = Vec::new();
    for locked in lock.skills().iter().filter(is_meant) {
        let Some(git) = locked.git() else { continue };
        let pinned = git.source.at(Some(&git.commit))?;
        let (mut upstream, found) = current(session, how, (&git.source, &pinned), Some(&locked.id))?;
        let order = order(&mut upstream, locked, &found.commit, how)?;
        skills.push(planned(project, how, &lock, None, found, order)?);
    }
    Ok(SkillPlan { skills, space: how.space, lock })
}

/// Lists the skills of the lock that came from git.
pub fn updatable_skills(project: &Project, space: Space) -> Result<Vec<ItemId>, Error> {
    let lock = lock::read(project, space)?;
    Ok(lock.skills().iter().filter(|locked| locked.git().is_some()).map(|locked| locked.id.clone()).collect())
}

/// Tells the relation of a commit to that of the lock, and refuses an older one unless requested. The commit of the
/// lock is fetched for that where it is not here: without it nothing can be told.
pub(super) fn order(
    upstream: &mut Upstream<'_>,
    locked: &LockedSkill,
    commit: &CommitId,
    how: &How,
) -> Result<Option<Order>, Error> {
    let Some(git) = locked.git() else { return Ok(None) };
    let Ok(before) = CommitId::parse(&git.commit) else { return Ok(None) };
    if upstream.cached(&before).is_none() && !how.is_offline {
        // One that is gone is told as one.
        drop(upstream.fetch_commit(&before, &git.source));
    }
    let order = upstream.order(commit, &before)?;
    if order == Order::Older && !how.allow_rollback {
        let (from, to) = (format!("commit {before}"), format!("commit {commit}"));
        return Err(Error::Rollback { id: locked.id.clone(), from, to });
    }
    Ok(Some(order))
}
