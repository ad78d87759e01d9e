//! `rye.lock`: the pulled items of a project, from which registry or git repository, signed by whom.

use serde::{Deserialize, Serialize};

use super::lock_skill::{LockedSignature, LockedSkill, SkillOrigin, Written};
use super::read;
use crate::id::{ItemId, ItemType, Segment, Version};
use crate::item::{SkillFault, SkillManifest};
use crate::trust::ContentHash;

/// The version of the format. In format 1 `registry` was the name that the puller had given it, without a
/// `registry_key`; format 2 has no skills. A lock without skills is written in format 2, which older programs read.
const LOCK_FORMAT: u32 = 3;
const LOCK_FORMAT_WITHOUT_SKILLS: u32 = 2;

/// The most entries of a lock.
const MOST: usize = 10_000;

/// The pulled item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    entries: Vec<LockEntry>,
    skills: Vec<LockedSkill>,
}

/// One item that was pulled.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockEntry {
    /// The id.
    pub id: ItemId,
    /// The type.
    #[serde(rename = "type")]
    pub item_type: ItemType,
    /// The version.
    pub version: Version,
    /// The SHA-256 of the item's file.
    pub sha256: ContentHash,
    /// The registry it came from, as it calls itself; without `registry_key`, as its puller calls it.
    pub registry: Segment,
    /// The fingerprint of the registry's first key: names of registries are not unique. None in an entry of format 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry_key: Option<String>,
    /// The fingerprint of the key that signed it.
    pub signer: String,
    /// Whether it was asked for, or came because another item needs it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needed: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    item: Vec<LockEntry>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skill: Vec<Written>,
}

impl Lock {
    /// Lists the entries, sorted by id and type.
    #[must_use]
    pub fn entries(&self) -> &[LockEntry] {
        &self.entries
    }

    /// Returns the entry of an item.
    #[must_use]
    pub fn find(&self, item_type: ItemType, id: &ItemId) -> Option<&LockEntry> {
        self.entries.iter().find(|entry| entry.item_type == item_type && entry.id == *id)
    }

    /// Puts an entry in, in the place of one of the same item.
    pub fn put(&mut self, entry: LockEntry) {
        self.remove(entry.item_type, &entry.id);
        self.entries.push(entry);
        self.entries.sort();
    }

    /// Takes out the entry of an item.
    pub fn remove(&mut self, item_type: ItemType, id: &ItemId) {
        self.entries.retain(|known| known.item_type != item_type || known.id != *id);
    }

    /// Lists the skills, sorted by id.
    #[must_use]
    pub fn skills(&self) -> &[LockedSkill] {
        &self.skills
    }

    /// Returns the entry of a skill.
    #[must_use]
    pub fn skill(&self, id: &ItemId) -> Option<&LockedSkill> {
        let at = self.skills.binary_search_by(|skill| skill.id.cmp(id)).ok()?;
        self.skills.get(at)
    }

    /// Compares the signed manifest of a skill with its entry. `signature` is the digest of the manifest's file, `signers` are the
    /// fingerprints of the keys that may have made it, as far as they are known.
    #[must_use]
    pub fn skill_fault(
        &self,
        manifest: &SkillManifest,
        signature: ContentHash,
        signers: &[String],
    ) -> Option<SkillFault> {
        let entry = self.find(ItemType::Skill, &manifest.id);
        let reason = match (self.skill(&manifest.id), entry) {
            (Some(locked), entry) => locked
                .contradiction(manifest, signature, signers)
                .or_else(|| (!is_entry_of(locked, entry)).then_some("`rye.lock` has it twice, with different origins")),
            (None, Some(_)) => Some("`rye.lock` has it in `[[item]]` and not in `[[skill]]`"),
            (None, None) => None,
        };
        reason.map(|reason| SkillFault::Lock { reason })
    }

    /// Returns the recorded folder of a skill, if the skill is in other folders only.
    #[must_use]
    pub fn other_folder(&self, id: &ItemId, folders: &[&str]) -> Option<&str> {
        let folder = self.skill(id)?.folder.as_str();
        (!folders.is_empty() && !folders.contains(&folder)).then_some(folder)
    }

    /// Puts a skill in, in the place of one with the same id.
    pub fn put_skill(&mut self, skill: LockedSkill) {
        self.remove_skill(&skill.id);
        self.skills.push(skill);
        self.skills.sort();
    }

    /// Takes out a skill.
    pub fn remove_skill(&mut self, id: &ItemId) {
        self.skills.retain(|known| known.id != *id);
    }
}

/// Tells whether the entry of an item, or that there is none, is what belongs to a skill.
fn is_entry_of(skill: &LockedSkill, entry: Option<&LockEntry>) -> bool {
    match (&skill.origin, entry) {
        (SkillOrigin::Registry(registry), Some(entry)) => {
            let is_same = |signed: &LockedSignature| (signed.sha256, &signed.signer) == (entry.sha256, &entry.signer);
            entry.registry == *registry && skill.signed.as_ref().is_some_and(is_same)
        }
        (SkillOrigin::Registry(_), None) | (SkillOrigin::Local | SkillOrigin::Git(_), Some(_)) => false,
        (SkillOrigin::Local | SkillOrigin::Git(_), None) => true,
    }
}

/// Reads a `rye.lock`.
///
/// # Errors
///
/// Says what is not understood.
pub fn lock(bytes: &[u8]) -> Result<Lock, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let File { format, item, skill } = read(text, LOCK_FORMAT)?;
    if !skill.is_empty() && format < LOCK_FORMAT {
        return Err(format!("it has skills, which format {format} does not have"));
    }
    if item.len() + skill.len() > MOST {
        return Err(format!("it has more than {MOST} entries"));
    }
    let mut lock = Lock::default();
    for entry in item {
        if lock.find(entry.item_type, &entry.id).is_some() {
            return Err(format!("{} `{}` is there twice", entry.item_type, entry.id));
        }
        lock.put(entry);
    }
    for written in skill {
        let skill = LockedSkill::try_from(written)?;
        if lock.skill(&skill.id).is_some() {
            return Err(format!("skill `{}` is there twice", skill.id));
        }
        if let Some(other) = lock.skills.iter().find(|other| other.folder == skill.folder) {
            return Err(format!("skills `{}` and `{}` have the same folder", other.id, skill.id));
        }
        lock.put_skill(skill);
    }
    Ok(lock)
}

/// Writes a `rye.lock`.
#[must_use]
pub fn lock_text(lock: &Lock) -> String {
    let format = if lock.skills.is_empty() { LOCK_FORMAT_WITHOUT_SKILLS } else { LOCK_FORMAT };
    let skill = lock.skills.iter().cloned().map(Written::from).collect();
    let text = toml::to_string(&File { format, item: lock.entries.clone(), skill });
    let text = text.expect("because numbers and texts can always be written");
    format!("# Written by `rye pull`. Commit it: it records what was pulled, from where, and signed by whom.\n{text}")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::super::{LockedSource, UpstreamSignature};
    use super::*;

    fn skill(id: &str, origin: SkillOrigin) -> LockedSkill {
        let (folder, digest) = (format!(".claude/skills/{id}"), ContentHash::of(id.as_bytes()));
        LockedSkill { id: id.parse().unwrap(), version: None, folder, digest, signed: None, origin }
    }

    fn pulled(id: &str) -> LockedSkill {
        let source = "git+https://host/repo//skills/pdf@v1".parse().unwrap();
        let (commit, upstream) = ("a".repeat(40), UpstreamSignature::Signed);
        let signed = LockedSignature { signer: "SHA256:x".to_owned(), sha256: ContentHash::of(b"sig") };
        let (version, signed) = (Some("1.2.0".parse().unwrap()), Some(signed));
        let origin = SkillOrigin::Git(LockedSource { source, commit, upstream });
        LockedSkill { version, signed, ..skill(id, origin) }
    }

    #[test]
    fn a_lock_with_skills_is_read_as_it_was_written() {
        let mut written = Lock::default();
        assert!(lock_text(&written).contains("format = 2\n"), "what older programs read");
        assert!(!lock_text(&written).contains("[[item"), "no list without entries");
        written.put_skill(pulled("pdf"));
        written.put_skill(skill("mine", SkillOrigin::Local));
        let text = lock_text(&written);
        assert!(
            text.contains("format = 3\n")
                && !text.contains("[[item")
                && text.contains("origin = \"local\"")
                && text.contains("rev = \"v1\""),
            "{text}"
        );
        assert_eq!(lock(text.as_bytes()).unwrap(), written, "{text}");
        assert_eq!(written.skill(&"pdf".parse().unwrap()), Some(&pulled("pdf")));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut good = Lock::default();
        good.put_skill(pulled("pdf"));
        let good = lock_text(&good);
        for (from, to, said) in [
            ("format = 3", "format = 2", "which format 2 does not have"),
            ("format = 3", "format = 4", "newer format"),
            (".claude/skills/pdf", "../pdf", "not a plain path"),
            (".claude/skills/pdf", "/pdf", "not a plain path"),
            (".claude/skills/pdf", "a/.git/pdf", "not a plain path"),
            (".claude/skills/pdf", ".claude/skills/other", "another name"),
            ("signer = \"SHA256:x\"\n", "", "only one of"),
            ("rev = \"v1\"", "rev = \"--upload-pack=x\"", "begins with `-`"),
            ("https://host", "https://ada:secret@host", "user or a password"),
            ("origin = \"git\"", "origin = \"local\"", "is local and has a source"),
            ("upstream = \"signed\"\n", "", "without `source`"),
            (&"a".repeat(40), "abc", "not the full id"),
            ("folder", "color = 1\nfolder", "unknown field"),
        ] {
            let text = good.replacen(from, to, 1);
            assert_ne!(text, good, "{from}");
            let error = lock(text.as_bytes()).unwrap_err();
            assert!(error.contains(said) && !error.contains("secret"), "{from}: {error}");
        }
        let twofold = good.replacen("\n[[skill]]", "item = []\n\n[[item]]\n\n[[skill]]", 1);
        assert_eq!(lock(twofold.as_bytes()).unwrap_err(), "line 5: duplicate key `item`", "{twofold}");
        let twice = format!("{good}{}", &good[good.find("[[skill]]").unwrap()..]);
        assert!(lock(twice.as_bytes()).unwrap_err().contains("twice"));
        let same = twice.replacen("id = \"pdf\"", "id = \"a/pdf\"", 1);
        assert!(lock(same.as_bytes()).unwrap_err().contains("the same folder"));
    }
}
