//! What would be pulled: each skill with its files, its place, its signer, and what it changes.

use super::super::target::Status;
use super::changes::change;
use super::error::Error;
use super::former::Former;
use super::found::{Found, Signature};
use super::here::{self, SignatureHere};
use super::options::How;
use super::place::{check_others, place};
use crate::capability::ProjectPath;
use crate::format::SkillChange;
use crate::format::registry_files::{Lock, LockedSkill};
use crate::id::{ItemId, Segment, Space};
use crate::item::SkillManifest;
use crate::ops::locate::manifest_of;
use crate::project::Project;
use crate::registry::Order;
use crate::trust::{ContentHash, Verdict};

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
    pub(super) found: Found,
    /// Its folder, from the folder of its space.
    pub folder: String,
    /// What becomes of the folder.
    pub status: Status,
    /// The relation of its commit to the one of the lock.
    pub order: Option<Order>,
    /// Its changes to existing files.
    pub change: SkillChange,
    /// Who signed it.
    pub signing: Signing,
    pub(super) before: Option<ContentHash>,
    pub(super) signature_here: Option<SignatureHere>,
}

/// Who signed a skill.
#[derive(Debug, Clone)]
pub enum Signing {
    /// Whoever publishes it: the signature is taken over.
    Upstream(UpstreamSigner),
    /// Its source has no signature, and somebody who is trusted here signed these files.
    Here,
    /// No signer: the person may sign it.
    Unsigned,
}

/// Who signed a skill at its source.
#[derive(Debug, Clone)]
pub struct UpstreamSigner {
    /// Whom the source says the key belongs to.
    pub principal: String,
    /// The fingerprint of the key.
    pub fingerprint: String,
    /// What the signature is worth now.
    pub verdict: Verdict,
    /// Whether the person has to decide about the key.
    pub is_new: bool,
    /// The fingerprint of the key that signed it before, if that is another one.
    pub changed_from: Option<String>,
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

    /// Returns the manifest that the person would sign.
    pub(super) fn manifest(&self) -> Result<SkillManifest, Error> {
        let source = Some(self.found.pinned()?.to_string());
        let Found { id, read, document, .. } = &self.found;
        Ok(SkillManifest { source, ..manifest_of(id, &read.folder, document) })
    }

    /// Returns the names under which a key is trusted for this skill: the name of its source, and the namespace of its
    /// id.
    pub(super) fn scope(&self) -> (String, String) {
        let namespace = self.found.id.as_str().split('/').next().unwrap_or_default();
        (slug(self.found.source.url()), namespace.to_owned())
    }
}

/// Makes the plan for one skill that was found.
pub(super) fn planned(
    project: &Project,
    how: &How,
    lock: &Lock,
    to: Option<&ProjectPath>,
    found: Found,
    order: Option<Order>,
) -> Result<PlannedSkill, Error> {
    let locked = lock.skill(&found.id);
    let folder = place(project, how.space, lock, to, &found.id)?;
    let before = here::folder(project, how.space, &folder)?;
    let change = change(project, how.space, before.as_ref(), found.id.name(), &found.read);
    let before = before.map(|folder| folder.digest());
    let after = found.digest();
    check_others(project, how.space, lock, (&found.id, &folder), after)?;
    let is_ours = |digest: ContentHash| {
        digest == after || locked.is_some_and(|locked| locked.folder == folder && locked.digest == digest)
    };
    if before.is_some_and(|digest| !is_ours(digest)) && !how.force {
        return Err(Error::LocalChange { id: found.id.clone(), folder });
    }
    let signature_here = here::signature(project, how.space, &found.id)?;
    let former = Former::of(project, how.space, locked, &found, signature_here.as_ref());
    let signing = signing(project, how, locked, &found, (&former, signature_here.as_ref()))?;
    let rollback = former.rollback(&found);
    let is_back = order == Some(Order::Older) || rollback.is_some();
    if let Some(error) = rollback.filter(|_| !how.allow_rollback) {
        return Err(error);
    }
    let status = match before {
        None => Status::Added,
        Some(digest) if digest == after => Status::Unchanged,
        Some(_) if is_back => Status::Downgraded,
        Some(_) => Status::Replaced,
    };
    Ok(PlannedSkill { found, folder, status, order, change, signing, before, signature_here })
}

fn signing(
    project: &Project,
    how: &How,
    locked: Option<&LockedSkill>,
    found: &Found,
    (former, here): (&Former, Option<&SignatureHere>),
) -> Result<Signing, Error> {
    let id = &found.id;
    let before = former.source_signer.as_ref();
    let Some(Signature { bytes, key, principal, .. }) = &found.signature else {
        if let Some(before) = before {
            return Err(Error::SignatureGone { id: id.clone(), from: before.shown.clone() });
        }
        if let Some(accepted) = &how.accept_signer {
            let found = "no key".to_owned();
            return Err(Error::OtherSigner { id: id.clone(), accepted: accepted.clone(), found });
        }
        let files = found.read.folder.files();
        let is_it = |here: &&SignatureHere| here.manifest().is_some_and(|manifest| manifest.files == files);
        let here = here.filter(is_it);
        let is_good = here.is_some_and(|here| here::signer(project, how.space, id, &here.bytes).is_some());
        return Ok(if is_good { Signing::Here } else { Signing::Unsigned });
    };
    let fingerprint = key.fingerprint();
    if let Some(accepted) = how.accept_signer.as_ref().filter(|accepted| **accepted != fingerprint) {
        return Err(Error::OtherSigner { id: id.clone(), accepted: accepted.clone(), found: fingerprint });
    }
    let changed_from = before.filter(|before| !before.is_same).map(|before| before.shown.clone());
    if let Some(from) = changed_from.clone().filter(|_| how.accept_signer.is_none()) {
        return Err(Error::SignerChanged { id: id.clone(), from, to: fingerprint });
    }
    let is_known = locked.and_then(|locked| locked.signed.as_ref()).map(|signed| signed.sha256);
    let is_others = |here: &SignatureHere| here.bytes != *bytes && Some(here.sha256()) != is_known;
    if here.is_some_and(is_others) && !how.force {
        return Err(Error::LocalSignature { id: id.clone() });
    }
    let (verdict, is_new) = here::judged(project, how.space, id, bytes)?;
    Ok(Signing::Upstream(UpstreamSigner { principal: principal.clone(), fingerprint, verdict, is_new, changed_from }))
}

/// Makes a name of a URL, such as `git--github-com-acme-skills`, that can be one of a folder of trust decisions.
fn slug(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let mut name = String::new();
    for letter in rest.trim_end_matches(".git").chars() {
        if letter.is_ascii_alphanumeric() {
            name.push(letter);
        } else if !name.ends_with('-') && !name.is_empty() {
            name.push('-');
        }
    }
    let skipped = name.len().saturating_sub(56);
    let name = match name[skipped..].trim_matches('-') {
        "" => "git--source".to_owned(),
        name => format!("git--{name}"),
    };
    name.parse::<Segment>().map_or_else(|_| "git--source".to_owned(), |name| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_becomes_a_name() {
        for (url, name) in [
            ("https://github.com/acme/skills", "git--github-com-acme-skills"),
            ("git@host:team/x.git", "git--git-host-team-x"),
            ("/srv/repo", "git--srv-repo"),
            ("https://ü/", "git--source"),
        ] {
            assert_eq!(slug(url), name);
        }
        assert!(slug(&"ab/".repeat(60)).len() <= 64);
    }
}
