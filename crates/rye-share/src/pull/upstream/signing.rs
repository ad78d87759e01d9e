//! Who signed a skill, and the signature that it gets here: that of its source, the one that is here, or the person's.

use super::super::error::Error as PullError;
use super::super::plan::{decision, judged};
use super::super::signature::{SkillSignature, subject};
use super::error::Error;
use super::options::{Consent, How};
use super::predecessor::Predecessor;
use super::revision::{Revision, Signature};
use crate::format;
use crate::format::registry_files::{LockedSignature, LockedSkill};
use crate::id::{Segment, Space, Version};
use crate::item::SkillManifest;
use crate::locate::manifest_of;
use crate::project::Project;
use crate::trust::{Signed, TrustedKey, Verdict};

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

impl Signing {
    /// Tells who signed a skill, and refuses another signer than before.
    pub(super) fn of(
        project: &Project,
        how: &How,
        locked: Option<&LockedSkill>,
        found: &Revision,
        (former, here): (&Predecessor, Option<&SkillSignature>),
    ) -> Result<Self, Error> {
        let (id, before) = (&found.id, former.source_signer.as_ref());
        let key = found.signature.as_ref().map(|signature| signature.key.fingerprint());
        if let (None, Some(before)) = (&key, before) {
            return Err(Error::SignatureGone { id: id.clone(), from: before.shown.clone() });
        }
        if let Some(accepted) = how.accept_signer.clone().filter(|accepted| key.as_ref() != Some(accepted)) {
            let found = key.unwrap_or_else(|| "no key".to_owned());
            return Err(Error::OtherSigner { id: id.clone(), accepted, found });
        }
        let (Some(Signature { bytes, principal, .. }), Some(fingerprint)) = (&found.signature, key) else {
            let files = found.read.folder.files();
            let is_it = |here: &&SkillSignature| here.manifest().is_some_and(|manifest| manifest.files == files);
            let is_good = here.filter(is_it).is_some_and(|here| here.signer(project, how.space, id).is_some());
            return Ok(if is_good { Self::Here } else { Self::Unsigned });
        };
        let changed_from = before.filter(|before| !before.is_same).map(|before| before.shown.clone());
        if let Some(from) = changed_from.clone().filter(|_| how.accept_signer.is_none()) {
            return Err(Error::SignerChanged { id: id.clone(), from, to: fingerprint });
        }
        let is_known = locked.and_then(|locked| locked.signed.as_ref()).map(|signed| signed.sha256);
        let is_others = |here: &SkillSignature| here.bytes != *bytes && Some(here.sha256()) != is_known;
        if here.is_some_and(is_others) && !how.force {
            return Err(PullError::LocalSignature { id: id.clone() }.into());
        }
        let (verdict, is_new) = judged(project, how.space, subject(id), bytes)?;
        let principal = principal.clone();
        Ok(Self::Upstream(UpstreamSigner { principal, fingerprint, verdict, is_new, changed_from }))
    }
}

/// A skill's signature as it is to be.
pub(super) struct NewSignature {
    pub(super) file: SkillSignature,
    pub(super) signer: String,
    pub(super) version: Option<Version>,
}

impl NewSignature {
    /// Returns the signature that a skill gets; none leaves it unsigned.
    pub(super) fn of(
        project: &Project,
        space: Space,
        (signing, found): (&Signing, &Revision),
        here: Option<&SkillSignature>,
        consent: Consent<'_>,
    ) -> Result<Option<Self>, Error> {
        match (signing, &found.signature) {
            (Signing::Upstream(signer), Some(signature)) => {
                let (file, version) = (SkillSignature { bytes: signature.bytes.clone() }, signature.manifest.version);
                Ok(Some(Self { file, signer: signer.fingerprint.clone(), version }))
            }
            (Signing::Here, _) => {
                let signer = here.and_then(|here| here.signer(project, space, &found.id));
                Ok(here.zip(signer).map(|(here, signer)| {
                    let version = here.manifest().and_then(|manifest| manifest.version);
                    Self { file: here.clone(), signer, version }
                }))
            }
            _ => {
                let Some(signer) = consent.signer else { return Ok(None) };
                let manifest = own_manifest(found)?;
                let text = format::manifest_text(&manifest).into_bytes();
                let raw = Signed::new(subject(&found.id), text).in_space(space);
                let (_, bytes) = raw.sign(signer, project.context().now())?;
                let (file, signer) = (SkillSignature { bytes }, signer.public().fingerprint());
                Ok(Some(Self { file, signer, version: manifest.version }))
            }
        }
    }

    /// Returns what the lock says of it.
    pub(super) fn locked(&self) -> LockedSignature {
        LockedSignature { signer: self.signer.clone(), sha256: self.file.sha256() }
    }
}

/// Returns the manifest that the person signs.
fn own_manifest(found: &Revision) -> Result<SkillManifest, Error> {
    let source = Some(found.pinned()?.to_string());
    Ok(SkillManifest { source, ..manifest_of(&found.id, &found.read.folder, &found.document) })
}

/// Trusts the key of a skill's source for this skill, or those of its namespace.
pub(super) fn trusted(signer: &UpstreamSigner, found: &Revision) -> Option<TrustedKey> {
    let key = found.signature.as_ref()?.key;
    let namespace = found.id.as_str().split('/').next().unwrap_or_default();
    Some(decision(key, principal(&signer.principal), slug(found.source.url()), namespace.to_owned()))
}

/// Makes what a source calls a person one word of an allowed_signers line.
fn principal(text: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "@._+-".contains(*letter);
    let name: String = text.chars().filter(is_plain).take(100).collect();
    if name.is_empty() { "upstream".to_owned() } else { name }
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
