//! What would be pulled: each skill with its files, its place, its signer, and what it changes.

use super::super::error::Error as PullError;
use super::super::lock::shown;
use super::super::place::{SkillTarget, check_others, place};
use super::super::plan::Status;
use super::error::Error;
use super::options::How;
use super::outcome::{PulledSkill, SkillOutcome};
use super::predecessor::Predecessor;
use super::revision::Revision;
use super::signing::{NewSignature, Signing, UpstreamSigner};
use crate::capability::ProjectPath;
use crate::format::registry_files::Lock;
use crate::id::{ItemId, Space};
use crate::project::Project;
use crate::registry::Order;
use crate::trust::Verdict;

/// What would be pulled.
#[derive(Debug, Clone)]
pub struct SkillPlan {
    /// The skills.
    pub skills: Vec<PlannedSkill>,
    pub(super) space: Space,
    pub(super) lock: Lock,
}

/// One skill.
#[derive(Debug, Clone)]
pub struct PlannedSkill {
    pub(super) found: Revision,
    /// Its place.
    pub target: SkillTarget,
    /// What becomes of the folder.
    pub status: Status,
    /// The relation of its commit to the one of the lock.
    pub order: Option<Order>,
    /// Who signed it.
    pub signing: Signing,
}

impl PlannedSkill {
    /// Returns its id.
    #[must_use]
    pub const fn id(&self) -> &ItemId {
        &self.found.id
    }

    /// Returns its commit.
    #[must_use]
    pub fn commit(&self) -> &str {
        self.found.commit.as_str()
    }

    /// Returns its source, with the request.
    #[must_use]
    pub fn source(&self) -> String {
        self.found.source.to_string()
    }

    /// Returns the signer about whom the person has to decide.
    #[must_use]
    pub fn new_signer(&self) -> Option<&UpstreamSigner> {
        match &self.signing {
            Signing::Upstream(signer) if signer.is_new => Some(signer),
            Signing::Upstream(_) | Signing::Here | Signing::Unsigned => None,
        }
    }

    /// Tells whether the commit of the lock is not among those it came from.
    #[must_use]
    pub fn is_rewritten(&self) -> bool {
        self.order == Some(Order::Apart) && self.status != Status::Unchanged
    }

    /// Says what becomes of it, with the signature that it gets.
    pub(super) fn pulled(&self, space: Space, signature: Option<&NewSignature>, trusts: bool) -> PulledSkill {
        let (verdict, signer) = match &self.signing {
            Signing::Upstream(signer) => {
                let verdict = if signer.is_new && trusts { Verdict::Good } else { signer.verdict };
                (verdict, Some(signer.fingerprint.clone()))
            }
            Signing::Here => (Verdict::Good, signature.map(|signature| signature.signer.clone())),
            Signing::Unsigned => {
                let verdict = if signature.is_some() { Verdict::Good } else { Verdict::Unsigned };
                (verdict, signature.map(|signature| signature.signer.clone()))
            }
        };
        let Revision { id, source, commit, signature: upstream, .. } = &self.found;
        PulledSkill {
            status: self.status,
            item_id: id.clone(),
            version: self.found.version(),
            space,
            folder: self.target.folder().to_owned(),
            source: source.to_string(),
            commit: commit.to_string(),
            digest: self.found.digest(),
            verdict,
            signer,
            upstream: if upstream.is_some() { "signed" } else { "unsigned" }.to_owned(),
            rewritten: self.is_rewritten(),
            change: self.target.change.clone(),
        }
    }
}

impl SkillPlan {
    /// Returns what [`super::perform_skills`] would return, as far as it is known before the questions.
    #[must_use]
    pub fn preview(&self) -> SkillOutcome {
        let skills = self.skills.iter().map(|skill| skill.pulled(self.space, None, false));
        SkillOutcome { skills: skills.collect(), lock: shown(self.space) }
    }
}

/// Makes the plan for one skill that was found.
pub(super) fn planned(
    project: &Project,
    how: &How,
    lock: &Lock,
    to: Option<&ProjectPath>,
    found: Revision,
    order: Option<Order>,
) -> Result<PlannedSkill, Error> {
    let (locked, after) = (lock.skill(&found.id), found.digest());
    let folder = place(project, how.space, lock, to, &found.id)?;
    let target = SkillTarget::look(project, how.space, &found.id, &folder, &found.read)?;
    check_others(project, how.space, lock, (&found.id, &folder), after)?;
    if !target.present.is_known(locked, after) && !how.force {
        return Err(PullError::LocalFolder { id: found.id.clone(), folder }.into());
    }
    let here = target.present.signature.as_ref();
    let former = Predecessor::of(project, how.space, locked, &found, here);
    let signing = Signing::of(project, how, locked, &found, (&former, here))?;
    let rollback = former.rollback(&found);
    let is_back = order == Some(Order::Older) || rollback.is_some();
    if let Some(error) = rollback.filter(|_| !how.allow_rollback) {
        return Err(error);
    }
    let status = match target.present.digest {
        None => Status::Added,
        Some(digest) if digest == after => Status::Unchanged,
        Some(_) if is_back => Status::Downgraded,
        Some(_) => Status::Replaced,
    };
    Ok(PlannedSkill { found, target, status, order, signing })
}
