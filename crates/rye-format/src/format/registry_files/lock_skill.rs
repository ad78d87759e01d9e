//! What `rye.lock` says of a skill: where its folder came from, at which commit, with which files, signed by whom.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::id::{GitSource, ItemId, Segment, Version};
use crate::item::SkillManifest;
use crate::trust::ContentHash;

/// One skill that was pulled or adopted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedSkill {
    /// The id.
    pub id: ItemId,
    /// The version that its manifest says.
    pub version: Option<Version>,
    /// The folder it lies in, from the folder of the lock's space.
    pub folder: String,
    /// The SHA-256 of the manifest's lines about files.
    pub digest: ContentHash,
    /// The facts about its signature; `None` for an unsigned skill.
    pub signed: Option<LockedSignature>,
    /// Where it came from.
    pub origin: SkillOrigin,
}

/// The signature of a skill, as it was when it was pulled or adopted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedSignature {
    /// The fingerprint of the key.
    pub signer: String,
    /// The SHA-256 of the signature's file.
    pub sha256: ContentHash,
}

/// Where a skill came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillOrigin {
    /// It was here.
    Local,
    /// A folder of a git repository.
    Git(LockedSource),
    /// A registry, by the name that the lock's entry of the item has for it.
    Registry(Segment),
}

/// A folder of a git repository, at a commit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockedSource {
    /// The folder, and the branch, tag or commit that was asked for.
    pub source: GitSource,
    /// The commit: 40 or 64 hexadecimal digits.
    pub commit: String,
    /// Whether its signature came with it.
    pub upstream: UpstreamSignature,
}

/// Whether a skill's source has a signature of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpstreamSignature {
    /// It has, and that was taken over.
    Signed,
    /// It has none.
    Unsigned,
}

impl fmt::Display for UpstreamSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Signed => "signed",
            Self::Unsigned => "unsigned",
        })
    }
}

impl LockedSource {
    /// Returns where a manifest says that its skill is from, if that is a commit of a git repository: what a person signs of a source
    /// without a signature says so.
    #[must_use]
    pub fn signed_in(manifest: &SkillManifest) -> Option<Self> {
        let source: GitSource = manifest.source.as_ref()?.parse().ok()?;
        let commit = source.rev().filter(|rev| is_commit(rev))?.to_owned();
        Some(Self { source, commit, upstream: UpstreamSignature::Unsigned })
    }

    /// Tells whether both are one commit of one folder, whatever was asked for.
    fn is_same_commit(&self, other: &Self) -> bool {
        let of = |one: &Self| (one.source.url().to_owned(), one.source.path().to_owned(), one.commit.clone());
        of(self) == of(other)
    }
}

impl LockedSkill {
    /// Says what contradicts the manifest that is signed for the skill. `signature` is the digest of its file, `signers` are the
    /// fingerprints of the keys that may have made it, as far as they are known.
    pub(super) fn contradiction(
        &self,
        manifest: &SkillManifest,
        signature: ContentHash,
        signers: &[String],
    ) -> Option<&'static str> {
        let is_signer = |signed: &LockedSignature| signers.is_empty() || signers.contains(&signed.signer);
        let is_from_elsewhere = match &self.origin {
            SkillOrigin::Local => false,
            SkillOrigin::Git(source) => source.upstream == UpstreamSignature::Signed,
            SkillOrigin::Registry(_) => true,
        };
        let is_source = match (&self.origin, LockedSource::signed_in(manifest)) {
            (SkillOrigin::Local, Some(_)) => false,
            (SkillOrigin::Git(locked), Some(signed)) => match locked.upstream {
                UpstreamSignature::Unsigned => locked.is_same_commit(&signed),
                // No commit has a file that names it: whoever pulled the skill signed this.
                UpstreamSignature::Signed => !locked.is_same_commit(&signed),
            },
            (SkillOrigin::Local | SkillOrigin::Git(_), None) | (SkillOrigin::Registry(_), _) => true,
        };
        match &self.signed {
            _ if self.digest != manifest.digest() => Some("`rye.lock` says that it has other files"),
            Some(signed) if signed.sha256 != signature => Some("`rye.lock` says that it has another signature"),
            Some(signed) if !is_signer(signed) => Some("`rye.lock` says that another key signed it"),
            // What its source does not sign is perhaps signed here since.
            None if is_from_elsewhere => Some("`rye.lock` says that it is not signed"),
            _ if self.version != manifest.version && self.signed.is_some() => {
                Some("`rye.lock` says that it has another version")
            }
            _ if !is_source => Some("`rye.lock` says that it is from elsewhere than its signature says"),
            Some(_) | None => None,
        }
    }

    /// Returns where it came from, if that is a git repository.
    #[must_use]
    pub const fn git(&self) -> Option<&LockedSource> {
        match &self.origin {
            SkillOrigin::Git(source) => Some(source),
            SkillOrigin::Local | SkillOrigin::Registry(_) => None,
        }
    }
}

/// The entry as TOML has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    id: ItemId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    version: Option<Version>,
    folder: String,
    digest: ContentHash,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signature: Option<ContentHash>,
    origin: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<GitSource>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rev: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    upstream: Option<UpstreamSignature>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    registry: Option<Segment>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Local,
    Git,
    Registry,
}

impl From<LockedSkill> for Written {
    fn from(skill: LockedSkill) -> Self {
        let LockedSkill { id, version, folder, digest, signed, origin } = skill;
        let (signer, signature) = signed.map(|signed| (signed.signer, signed.sha256)).unzip();
        let local = Self {
            id,
            version,
            folder,
            digest,
            signer,
            signature,
            origin: Kind::Local,
            source: None,
            rev: None,
            commit: None,
            upstream: None,
            registry: None,
        };
        match origin {
            SkillOrigin::Local => local,
            SkillOrigin::Registry(registry) => Self { origin: Kind::Registry, registry: Some(registry), ..local },
            SkillOrigin::Git(LockedSource { source, commit, upstream }) => Self {
                origin: Kind::Git,
                rev: source.rev().map(str::to_owned),
                source: Some(source.at(None).expect("because no revision is always one")),
                commit: Some(commit),
                upstream: Some(upstream),
                ..local
            },
        }
    }
}

impl TryFrom<Written> for LockedSkill {
    type Error = String;

    fn try_from(written: Written) -> Result<Self, String> {
        let Written { id, version, folder, digest, signer, signature, origin, source, rev, commit, upstream, registry } =
            written;
        let wrong = |what: &str| Err(format!("skill `{id}` {what}"));
        if !is_folder(&folder) {
            return wrong("has a folder that is not a plain path in the project");
        }
        if folder.rsplit('/').next() != Some(id.name()) {
            return wrong("has a folder with another name");
        }
        let signed = match (signer, signature) {
            (Some(signer), Some(sha256)) => Some(LockedSignature { signer, sha256 }),
            (None, None) => None,
            _ => return wrong("has only one of `signer` and `signature`"),
        };
        let has_rev = rev.is_some();
        let origin = match (origin, source, commit, upstream) {
            (Kind::Local, None, None, None) if !has_rev && registry.is_none() => SkillOrigin::Local,
            (Kind::Registry, None, None, None) if !has_rev => match registry {
                Some(registry) => SkillOrigin::Registry(registry),
                None => return wrong("has the origin registry without `registry`"),
            },
            (Kind::Registry, ..) => return wrong("is from a registry and has a source"),
            (Kind::Git, Some(source), Some(commit), Some(upstream)) if registry.is_none() => {
                if source.rev().is_some() {
                    return wrong("has a revision in `source` (expected it in `rev`)");
                }
                if !is_commit(&commit) {
                    return wrong("has a `commit` that is not the full id of one");
                }
                let source = source.at(rev.as_deref()).map_err(|error| format!("skill `{id}`: {error}"))?;
                SkillOrigin::Git(LockedSource { source, commit, upstream })
            }
            (Kind::Local, ..) => return wrong("is local and has a source"),
            (Kind::Git, ..) => return wrong("has the origin git without `source`, `commit` and `upstream`"),
        };
        Ok(Self { id, version, folder, digest, signed, origin })
    }
}

/// Tells whether a text is a path of plain names that cannot leave the folder it is taken from.
fn is_folder(text: &str) -> bool {
    let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let is_odd = |letter: char| letter.is_control() || letter == '\\';
    text.len() <= 1024 && text.split('/').all(is_name) && !text.contains(is_odd)
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
