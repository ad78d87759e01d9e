//! The file with a skill's signature: its manifest, and who signed it.

use crate::format;
use crate::id::{Extension, GitSource, ItemId, ItemType, Space};
use crate::item::{SkillFault, SkillManifest};
use crate::project::Project;
use crate::trust::{ContentHash, PublicKey, Signed, Subject};

/// The file with a skill's signature.
#[derive(Debug, Clone)]
pub(super) struct SkillSignature {
    pub(super) bytes: Vec<u8>,
}

impl SkillSignature {
    pub(super) fn sha256(&self) -> ContentHash {
        ContentHash::of(&self.bytes)
    }

    /// Returns the manifest; none if the file cannot be read as one.
    pub(super) fn manifest(&self) -> Option<SkillManifest> {
        format::skill_manifest(&self.bytes)
    }

    /// Returns the commit of a source that its manifest names; none if that is from elsewhere.
    pub(super) fn commit_of(&self, source: &GitSource) -> Option<String> {
        let named: GitSource = self.manifest()?.source?.parse().ok()?;
        let is_same = (named.url(), named.path()) == (source.url(), source.path());
        named.rev().filter(|_| is_same).map(str::to_owned)
    }

    /// Returns the fingerprint of the key that made it, if it counts here; none for any other. A key that is trusted for what was
    /// pulled alone counts only if the lock has this very file.
    pub(super) fn signer(&self, project: &Project, space: Space, id: &ItemId) -> Option<String> {
        let keys = project.keys();
        let signed = Signed::new(subject(id), self.bytes.clone()).in_space(space);
        signed.judge_line(&keys).ok()?;
        signed.named_keys(&keys).iter().find(|key| signed.is_line_by(key)).map(PublicKey::fingerprint)
    }
}

/// Returns what a signature of a skill binds.
pub(super) fn subject(id: &ItemId) -> Subject {
    Subject { item_type: ItemType::Skill, item_id: id.clone(), extension: Extension::MANIFEST }
}

/// Says what is wrong with a skill, and where.
pub(super) fn told(fault: &SkillFault) -> String {
    match fault.path().filter(|path| !path.is_empty()) {
        Some(path) => format!("`{path}`: {fault} ({})", fault.rule()),
        None => format!("{fault} ({})", fault.rule()),
    }
}
