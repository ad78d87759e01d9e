//! What was signed for a skill that is here, so that a source that changes its signer, or goes back, is seen whatever `rye.lock` says.

use super::super::signature::{SkillSignature, subject};
use super::error::Error;
use super::revision::{Revision, Signature};
use crate::format::registry_files::{LockedSkill, LockedSource, UpstreamSignature};
use crate::id::{Space, Timestamp, Version};
use crate::item::SkillManifest;
use crate::project::Project;
use crate::trust::{LineState, PublicKey, Scope, SignatureLine, Signed, TrustedKey, Unverified};

/// What was signed for a skill of the lock.
#[derive(Debug)]
pub(super) struct Predecessor {
    /// Who signed it at its source; none if the source has no signature that is known.
    pub(super) source_signer: Option<Signer>,
    version: Option<Version>,
    /// When its source signed it.
    signed_at: Option<Timestamp>,
}

/// Whoever signed a skill at its source.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signer {
    /// The fingerprint of the key, or its id where only that is known.
    pub(super) shown: String,
    /// Whether it is the key that signs it now.
    pub(super) is_same: bool,
}

impl Predecessor {
    /// Takes in the signature that is here. Without one, or where it cannot be read, the lock is all that is known.
    pub(super) fn of(
        project: &Project,
        space: Space,
        locked: Option<&LockedSkill>,
        found: &Revision,
        here: Option<&SkillSignature>,
    ) -> Self {
        let nothing = Self { source_signer: None, version: None, signed_at: None };
        let Some((locked, source)) = locked.and_then(|locked| Some((locked, locked.git()?))) else { return nothing };
        let signed = here.map(|here| Signed::new(subject(&found.id), here.bytes.clone()).in_space(space));
        let line = signed.as_ref().and_then(|signed| match signed.split().line {
            LineState::Present(line) => Some(line),
            LineState::Absent | LineState::Legacy | LineState::Malformed { .. } | LineState::Doubled => None,
        });
        let manifest = here.and_then(SkillSignature::manifest);
        let (Some(here), Some(signed), Some(line), Some(manifest)) = (here, signed, line, manifest) else {
            return Self { source_signer: of_lock(locked, source, found), version: locked.version, ..nothing };
        };
        let version = manifest.version;
        let counts = || here.signer(project, space, &found.id).is_some();
        if is_own(project, source, found, (&signed, &line, &manifest)) && counts() {
            return Self { version, ..nothing };
        }
        let now = found.signature.as_ref().map(|signature| signature.key);
        let makers: Vec<PublicKey> = signed.named_keys(&project.keys()).into_iter().chain(now).collect();
        let maker = makers.into_iter().find(|key| signed.is_line_by(key));
        let shown = maker.map_or_else(|| format!("the key {}", line.key_id), |key| key.fingerprint());
        let is_same = maker.is_some() && maker == now;
        Self { source_signer: Some(Signer { shown, is_same }), version, signed_at: Some(line.timestamp) }
    }

    /// Says from what to what a skill would go back, if it would.
    pub(super) fn rollback(&self, found: &Revision) -> Option<Error> {
        let back = |from: String, to: String| Some(Error::Rollback { id: found.id.clone(), from, to });
        if let (Some(before), Some(now)) = (self.version, found.version())
            && now < before
        {
            return back(format!("version {before}"), format!("version {now}"));
        }
        match (self.signed_at, &found.signature) {
            (Some(before), Some(Signature { signed_at, .. })) if *signed_at < before => {
                back(format!("the signature of {before}"), format!("that of {signed_at}"))
            }
            _ => None,
        }
    }
}

fn of_lock(locked: &LockedSkill, source: &LockedSource, found: &Revision) -> Option<Signer> {
    let signed = locked.signed.as_ref().filter(|_| source.upstream == UpstreamSignature::Signed)?;
    let now = found.signature.as_ref().map(|signature| signature.key.fingerprint());
    Some(Signer { shown: signed.signer.clone(), is_same: now.as_ref() == Some(&signed.signer) })
}

/// Tells whether somebody here signed what the source does not sign: they say so in the manifest. A manifest without a source may be one's
/// own as well, if its key counts here for more than what was pulled.
fn is_own(
    project: &Project,
    source: &LockedSource,
    found: &Revision,
    (signed, line, manifest): (&Signed<Vec<u8>, Unverified>, &SignatureLine, &SkillManifest),
) -> bool {
    let is_person = |key: &TrustedKey| !matches!(key.scope, Scope::Namespace { .. }) && signed.is_line_by(&key.key);
    match LockedSource::signed_in(manifest) {
        Some(signed) => (signed.source.url(), signed.source.path()) == (found.source.url(), found.source.path()),
        None => {
            source.upstream == UpstreamSignature::Unsigned
                && found.signature.is_none()
                && project.keys().with_id(&line.key_id).iter().any(is_person)
        }
    }
}
