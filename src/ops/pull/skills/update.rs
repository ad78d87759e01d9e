//! What a newer commit of their sources brings to skills of the lock.

use super::super::lock;
use super::begin::begin;
use super::error::Error;
use super::found::find;
use super::options::UpdateOptions;
use super::plan::{SkillPlan, planned};
use crate::format::registry_files::LockedSkill;
use crate::git::CommitId;
use crate::id::{GitSource, ItemId, Space};
use crate::ops::locate::Session;
use crate::registry::{Order, Upstream};

/// Finds out what is newer at the sources of skills. Skills of the lock that came from elsewhere are left out.
///
/// # Errors
///
/// As [`super::plan_skills`], and when the lock does not have the skill.
pub fn plan_update(session: &Session, options: &UpdateOptions) -> Result<SkillPlan, Error> {
    let how = &options.how;
    let lock = begin(session, how.space)?;
    if let Some(id) = options.only.as_ref().filter(|id| lock.skill(id).is_none()) {
        return Err(Error::NotLocked { id: id.clone() });
    }
    let is_meant = |locked: &&LockedSkill| options.only.as_ref().is_none_or(|only| locked.id == *only);
    let mut skills = Vec::new();
    for locked in lock.skills().iter().filter(is_meant) {
        let Some(git) = locked.git() else { continue };
        let transport = session.transport(how.terminal)?;
        let mut upstream = Upstream::open(session.context(), &transport, git.source.url())?;
        let commit = match how.is_offline {
            true => offline(&upstream, &git.source.at(Some(&git.commit))?)?,
            false => upstream.fetch(&git.source)?,
        };
        let order = order(&upstream, locked, &commit, how.allow_rollback)?;
        let found = find(session, &upstream, &git.source, &commit, Some(&locked.id))?;
        skills.push(planned(session, how, &lock, None, found, order)?);
    }
    Ok(SkillPlan { skills, space: how.space, lock })
}

/// Lists the skills of the lock that came from git.
///
/// # Errors
///
/// Fails when the lock cannot be read.
pub fn updatable_skills(session: &Session, space: Space) -> Result<Vec<ItemId>, Error> {
    let lock = lock::read(session, space)?;
    Ok(lock.skills().iter().filter(|locked| locked.git().is_some()).map(|locked| locked.id.clone()).collect())
}

/// Returns the commit that a source names by its id, if it was fetched before.
pub(super) fn offline(upstream: &Upstream<'_>, source: &GitSource) -> Result<CommitId, Error> {
    let rev = source.rev().unwrap_or("HEAD");
    let known = CommitId::parse(rev).ok().and_then(|commit| upstream.cached(&commit));
    known.ok_or_else(|| Error::NotFetched { url: upstream.url().to_owned(), commit: rev.to_owned() })
}

/// Tells how a commit stands to that of the lock, and refuses one that is older unless that is asked for.
pub(super) fn order(
    upstream: &Upstream<'_>,
    locked: &LockedSkill,
    commit: &CommitId,
    may_be_older: bool,
) -> Result<Option<Order>, Error> {
    let Some(before) = locked.git().and_then(|git| CommitId::parse(&git.commit).ok()) else { return Ok(None) };
    let order = upstream.order(commit, &before)?;
    if order == Order::Older && !may_be_older {
        let (from, to) = (before.to_string(), commit.to_string());
        return Err(Error::Rollback { id: locked.id.clone(), from, to });
    }
    Ok(Some(order))
}
