//! `trust list`: whose signatures count, how far, since when and why; whose never do; what the project proposes.

use std::path::PathBuf;

use serde::Serialize;

use super::{Error, ProjectState, Trusted, project_state};
use crate::keys::TrustDir;
use crate::project::{self, Project};
use crate::trust::{KeyId, Place, Scope, TrustedKey};

/// Everything a verification here relies on.
#[derive(Debug, Clone, Serialize)]
pub struct Outcome {
    /// Each decision, by key id.
    pub keys: Vec<ListedKey>,
    /// The keys whose signatures are always bad.
    pub revoked: Vec<ListedRevoked>,
    /// What the project at hand proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectState>,
    /// The file that decisions without a narrower scope are written in.
    pub path: PathBuf,
    /// The file for git's `gpg.ssh.allowedSignersFile`.
    pub git_allowed_signers: PathBuf,
    /// The file for git's `gpg.ssh.revocationFile`.
    pub git_revoked: PathBuf,
}

/// A decision and what has become of it.
#[derive(Debug, Clone, Serialize)]
pub struct ListedKey {
    /// The decision.
    #[serde(flatten)]
    pub key: Trusted,
    /// Whether it counts now.
    pub state: KeyState,
}

/// Whether a key counts now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// It does.
    Trusted,
    /// Not yet.
    NotYet,
    /// Its earlier signatures do.
    Retired,
    /// Never.
    Revoked,
}

/// A revoked key.
#[derive(Debug, Clone, Serialize)]
pub struct ListedRevoked {
    /// The key.
    pub key_id: KeyId,
    /// OpenSSH's fingerprint.
    pub fingerprint: String,
    /// Whose it was, or why it is revoked.
    pub comment: String,
    /// How far that reaches.
    pub reach: String,
    /// Where it is written.
    pub origin: String,
}

/// Lists whom the person trusts here.
pub fn list(project: &Project) -> Result<Outcome, Error> {
    let dir = TrustDir::new(project.context())?;
    let identity = project.repository().and_then(|repository| project::identity(&repository).ok().flatten());
    let git = dir.git_files(identity.as_ref());
    let mut revoked = listed(dir.revoked()?.iter(), &Scope::Everything, &dir.revoked_path().display().to_string());
    if let Some(accepted) = identity.as_ref().map(|identity| dir.accepted(identity)).transpose()?.flatten() {
        revoked.extend(listed(accepted.proposal.revoked().iter(), &Scope::Project, ".ai/trust/revoked"));
    }
    Ok(Outcome {
        keys: project.keys().iter().map(|key| ListedKey { key: key.into(), state: state(project, key) }).collect(),
        revoked,
        project: project_state(project)?,
        path: dir.path(),
        git_allowed_signers: git.allowed_signers,
        git_revoked: git.revoked,
    })
}

fn state(project: &Project, key: &TrustedKey) -> KeyState {
    let place = if key.scope == Scope::Project { Place::PROJECT } else { Place::default() };
    let now = project.context().now();
    if project.keys().is_revoked(&key.key, place) {
        KeyState::Revoked
    } else if key.valid_before.is_some_and(|end| end <= now) {
        KeyState::Retired
    } else if key.valid_after.is_some_and(|begin| begin > now) {
        KeyState::NotYet
    } else {
        KeyState::Trusted
    }
}

fn listed<'a>(
    list: impl Iterator<Item = &'a crate::trust::RevokedKey>,
    scope: &Scope,
    origin: &str,
) -> Vec<ListedRevoked> {
    list.map(|revoked| ListedRevoked {
        key_id: revoked.key.key_id(),
        fingerprint: revoked.key.fingerprint(),
        comment: revoked.comment.clone(),
        reach: scope.to_string(),
        origin: origin.to_owned(),
    })
    .collect()
}
