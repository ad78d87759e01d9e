//! What a newer commit of their sources brings to skills of the lock.

use super::super::lock;
use super::begin::begin;
use super::error::Error;
use super::found::{Found, find};
use super::options::{How, UpdateOptions};
use super::plan::{SkillPlan, planned};
use crate::format::registry_files::LockedSkill;
use crate::git::CommitId;
use crate::id::{GitSource, ItemId, Space};
use crate::project::Project;
use crate::registry::{Order, Upstream, UpstreamError};
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
        let transport = session.transport(how.terminal)?;
        let mut upstream = Upstream::open(session.context(), &transport, git.source.url())?;
        let found = match how.is_offline {
            true => {
                let commit = offline(&upstream, &git.source.at(Some(&git.commit))?)?;
                find(project, &upstream, &git.source, &commit, Some(&locked.id))?
            }
            false => fetched(project, &mut upstream, &git.source, Some(&locked.id))?,
        };
        let order = order(&mut upstream, locked, &found.commit, how)?;
        skills.push(planned(project, how, &lock, None, found, order)?);
    }
    Ok(SkillPlan { skills, space: how.space, lock })
}

/// Lists the skills of the lock that came from git.
///
/// # Errors
///
/// Fails when the lock cannot be read.
pub fn updatable_skills(project: &Project, space: Space) -> Result<Vec<ItemId>, Error> {
    let lock = lock::read(project, space)?;
    Ok(lock.skills().iter().filter(|locked| locked.git().is_some()).map(|locked| locked.id.clone()).collect())
}

/// Returns the commit that a source names by its id, if it was fetched before.
pub(super) fn offline(upstream: &Upstream<'_>, source: &GitSource) -> Result<CommitId, Error> {
    let rev = source.rev().unwrap_or("HEAD");
    let known = CommitId::parse(rev).ok().and_then(|commit| upstream.cached(&commit));
    known.ok_or_else(|| Error::NotFetched { url: upstream.url().to_owned(), commit: rev.to_owned() })
}

/// Fetches a skill; from the beginning where the cache turns out to be damaged.
pub(super) fn fetched(
    project: &Project,
    upstream: &mut Upstream<'_>,
    source: &GitSource,
    known: Option<&ItemId>,
) -> Result<Found, Error> {
    let commit = upstream.fetch(source)?;
    match find(project, upstream, source, &commit, known) {
        Err(Error::Upstream(UpstreamError::Git(_))) => {
            upstream.make_again()?;
            let commit = upstream.fetch(source)?;
            find(project, upstream, source, &commit, known)
        }
        found => found,
    }
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
