//! What lies in a skill's folder, wherever that is: in the work tree, or in a commit.

use std::collections::{BTreeMap, BTreeSet};

use unicode_normalization::UnicodeNormalization as _;

use super::attributes::changes_bytes;
use super::name::TOO_DEEP;
use super::{MOST_BYTES, MOST_FILE_BYTES, MOST_FILES, SKILL_FILE, SkillFault, SkillFile, SkillManifest, unusable_path};
use crate::capability::folded;
use crate::trust::ContentHash;

/// The first bytes of a file that Git LFS left in the place of the true one.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";

/// A skill's folder, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFolder {
    /// Its path from the top of the project.
    pub path: String,
    /// What lies in it at any depth, sorted by the bytes of the paths; folders themselves are left out.
    pub entries: Vec<SkillEntry>,
    /// Whether there was more than a skill may have, so that reading ended early.
    pub is_cut: bool,
    /// What lies in it and does not belong to the skill, because git ignores it: paths from the folder; a folder ends with `/`.
    pub ignored: Vec<String>,
}

/// An entry in a skill's folder that is not a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillEntry {
    /// Its path from the skill's folder; invalid UTF-8 is replaced.
    pub path: String,
    /// What it is.
    pub kind: EntryKind,
}

/// What something in a skill's folder is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryKind {
    /// A file.
    File {
        /// Whether its owner may execute it.
        executable: bool,
        /// How many bytes it has.
        size: u64,
        /// The SHA-256 of its bytes.
        sha256: ContentHash,
        /// Whether it is a pointer to a file in Git LFS.
        is_lfs_pointer: bool,
        /// Whether git checks out other bytes of the skill because of attributes in it.
        changes_bytes: bool,
    },
    /// A file that is larger than a skill's may be; it was not read.
    Large {
        /// How many bytes it has.
        size: u64,
    },
    /// A symbolic link.
    Link,
    /// A repository of its own, or a submodule.
    Repository,
    /// Code that git ignores, and that an interpreter would load.
    IgnoredCode,
    /// A pipe, a socket or a device.
    Special,
    /// Something that lies deeper than a skill's files may.
    Deep,
    /// A file or folder whose name is not UTF-8.
    Unnamed,
    /// A file or folder that cannot be read.
    Unreadable {
        /// Why not.
        reason: String,
    },
}

impl EntryKind {
    /// Takes in the bytes of a file. Its path tells whether git reads attributes from it.
    #[must_use]
    pub fn file_at(path: &str, executable: bool, bytes: &[u8]) -> Self {
        Self::File {
            executable,
            size: bytes.len() as u64,
            sha256: ContentHash::of(bytes),
            is_lfs_pointer: bytes.starts_with(LFS_POINTER),
            changes_bytes: changes_bytes(path, bytes),
        }
    }
}

impl SkillFolder {
    /// Returns what keeps the folder from being a skill that can be signed, whatever its files hold.
    #[must_use]
    pub fn faults(&self) -> Vec<SkillFault> {
        let mut faults: Vec<SkillFault> = self.entries.iter().filter_map(entry_fault).collect();
        faults.extend(self.collisions());
        let size: u64 = self.entries.iter().map(SkillEntry::size).fold(0, u64::saturating_add);
        if self.is_cut || self.entries.len() > MOST_FILES || size > MOST_BYTES {
            faults.push(SkillFault::TooMuch { files: MOST_FILES, bytes: MOST_BYTES });
        }
        // Unknown for a folder that was not read in full. What else has the name is a fault of its own.
        if !self.is_cut && !self.entries.iter().any(|entry| entry.path == SKILL_FILE) {
            faults.push(SkillFault::NoSkillFile);
        }
        faults
    }

    /// Tells whether a file `SKILL.md` is at its top.
    #[must_use]
    pub fn has_skill_file(&self) -> bool {
        let is_it = |entry: &SkillEntry| entry.path == SKILL_FILE && matches!(entry.kind, EntryKind::File { .. });
        self.entries.iter().any(is_it)
    }

    /// Returns the files as a manifest lists them; other entries are left out, and are faults.
    #[must_use]
    pub fn files(&self) -> Vec<SkillFile> {
        self.entries.iter().filter_map(SkillEntry::file).collect()
    }

    /// Returns the digest of its files, as that of a manifest; where it holds anything else, or was not read to its end, one that no
    /// manifest has.
    #[must_use]
    pub fn digest(&self) -> ContentHash {
        let others = self.entries.iter().filter(|entry| entry.file().is_none());
        let mut lines: String = others.map(|entry| format!("{:?} {}\n", entry.kind, entry.path)).collect();
        if self.is_cut {
            lines.push_str("more\n");
        }
        lines.extend(self.files().iter().map(SkillFile::line));
        ContentHash::of(lines.as_bytes())
    }

    /// Says that another folder of the name holds other files; none where it holds the same.
    #[must_use]
    pub fn rival(&self, other: &Self) -> Option<SkillFault> {
        if self.entries == other.entries {
            return None;
        }
        let of = |one: &Self, two: &Self| -> Vec<String> {
            one.entries.iter().filter(|it| !two.entries.contains(it)).map(|it| it.path.clone()).collect()
        };
        let differing: BTreeSet<String> = of(self, other).into_iter().chain(of(other, self)).collect();
        let (folder, other) = (self.path.clone(), other.path.clone());
        Some(SkillFault::Elsewhere { folder, other, differing: differing.into_iter().collect() })
    }

    /// Holds the folder against the manifest that was signed for it. An entry that cannot be part of any skill is a
    /// fault, too.
    #[must_use]
    pub fn compare(&self, manifest: &SkillManifest) -> Vec<SkillFault> {
        let mut faults = self.faults();
        let signed: BTreeMap<&str, &SkillFile> = manifest.files.iter().map(|file| (file.path.as_str(), file)).collect();
        for fault in &mut faults {
            if let SkillFault::IgnoredCode { path } = fault
                && signed.contains_key(path.as_str())
            {
                *fault = SkillFault::Ignored { path: std::mem::take(path) };
            }
        }
        let here: BTreeMap<&str, &SkillEntry> = self.entries.iter().map(|entry| (entry.path.as_str(), entry)).collect();
        for entry in &self.entries {
            let Some(file) = entry.file() else { continue };
            match signed.get(entry.path.as_str()) {
                None => faults.push(SkillFault::Added { path: file.path }),
                Some(was) if (was.size, was.sha256) != (file.size, file.sha256) => {
                    faults.push(SkillFault::Changed { path: file.path });
                }
                Some(was) if was.executable != file.executable => {
                    faults.push(SkillFault::Mode { path: file.path, executable: file.executable });
                }
                Some(_) => {}
            }
        }
        if !self.is_cut {
            for (path, was) in signed.iter().filter(|(path, _)| !here.contains_key(**path)) {
                let form = |fault: &SkillFault| match fault {
                    SkillFault::Added { path } => self.has_in_other_form(path, was),
                    _ => false,
                };
                match faults.iter_mut().find(|fault| form(fault)) {
                    Some(added) => *added = SkillFault::OtherForm { path: added.path().unwrap_or(path).to_owned() },
                    None if self.ignores(path) => faults.push(SkillFault::Ignored { path: (*path).to_owned() }),
                    None => faults.push(SkillFault::Removed { path: (*path).to_owned() }),
                }
            }
        }
        faults
    }

    /// Tells whether a path is ignored, or lies in an ignored folder.
    fn ignores(&self, path: &str) -> bool {
        self.ignored
            .iter()
            .any(|ignored| ignored == path || ignored.ends_with('/') && path.starts_with(ignored.as_str()))
    }

    /// Tells whether the folder has a file that was signed, under its name in another form of Unicode.
    fn has_in_other_form(&self, path: &str, was: &SkillFile) -> bool {
        let file = self.entries.iter().find(|entry| entry.path == path).and_then(SkillEntry::file);
        let is_same = |file: &SkillFile| (file.size, file.sha256) == (was.size, was.sha256);
        file.is_some_and(|file| is_same(&file) && file.executable == was.executable && path.nfc().eq(was.path.nfc()))
    }

    /// Returns the files that some file system takes for another one of the folder.
    fn collisions(&self) -> Vec<SkillFault> {
        let mut known: BTreeMap<String, &str> = BTreeMap::new();
        let mut faults = Vec::new();
        for entry in &self.entries {
            // Each folder on the way is a name that collides by itself: `A/x` and `a/y` are in one folder elsewhere.
            for (at, _) in entry.path.match_indices('/').chain([(entry.path.len(), "")]) {
                let part = &entry.path[..at];
                let plain = part.split('/').map(folded).collect::<Vec<_>>().join("/");
                match known.get(plain.as_str()) {
                    None => {
                        known.insert(plain, part);
                    }
                    Some(other) if *other == part => {}
                    Some(other) => {
                        faults.push(SkillFault::Collides { path: part.to_owned(), other: (*other).to_owned() });
                    }
                }
            }
        }
        faults.dedup();
        faults
    }
}

impl SkillEntry {
    fn file(&self) -> Option<SkillFile> {
        match self.kind {
            EntryKind::File { executable, size, sha256, .. } => {
                Some(SkillFile { path: self.path.clone(), executable, size, sha256 })
            }
            EntryKind::Large { .. }
            | EntryKind::Link
            | EntryKind::Repository
            | EntryKind::IgnoredCode
            | EntryKind::Special
            | EntryKind::Deep
            | EntryKind::Unnamed
            | EntryKind::Unreadable { .. } => None,
        }
    }

    const fn size(&self) -> u64 {
        match self.kind {
            EntryKind::File { size, .. } => size,
            _ => 0,
        }
    }
}

fn entry_fault(entry: &SkillEntry) -> Option<SkillFault> {
    let path = entry.path.clone();
    match &entry.kind {
        EntryKind::File { is_lfs_pointer: true, .. } => Some(SkillFault::LfsPointer { path }),
        EntryKind::File { changes_bytes: true, .. } => Some(SkillFault::Attributes { path }),
        EntryKind::File { .. } => unusable_path(&path).map(|reason| SkillFault::Name { path, reason }),
        EntryKind::Large { size } => Some(SkillFault::Large { path, size: *size, limit: MOST_FILE_BYTES }),
        EntryKind::Link => Some(SkillFault::Link { path }),
        EntryKind::Repository => Some(SkillFault::Repository { path }),
        EntryKind::IgnoredCode => Some(SkillFault::IgnoredCode { path }),
        EntryKind::Special => Some(SkillFault::Special { path }),
        EntryKind::Deep => Some(SkillFault::Name { path, reason: TOO_DEEP }),
        EntryKind::Unnamed => Some(SkillFault::Name { path, reason: "its name is not UTF-8" }),
        EntryKind::Unreadable { reason } => Some(SkillFault::Unreadable { path, reason: reason.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, bool, &str)]) -> SkillFolder {
        let entry = |(path, executable, text): &(&str, bool, &str)| SkillEntry {
            path: (*path).to_owned(),
            kind: EntryKind::file_at(path, *executable, text.as_bytes()),
        };
        let (path, entries) = (".claude/skills/a".to_owned(), files.iter().map(entry).collect());
        SkillFolder { path, entries, is_cut: false, ignored: Vec::new() }
    }

    fn manifest(folder: &SkillFolder) -> SkillManifest {
        SkillManifest { id: "a".parse().expect("an id"), version: None, source: None, files: folder.files() }
    }

    #[test]
    fn each_difference_is_a_fault_of_its_own() {
        let signed = manifest(&folder(&[
            ("SKILL.md", false, "a"),
            ("gone.md", false, "g"),
            ("run.sh", true, "r"),
            ("x", false, "x"),
        ]));
        let now =
            folder(&[("SKILL.md", false, "b"), ("new.md", false, "g"), ("run.sh", false, "r"), ("x", false, "x")]);
        let rules: Vec<&str> = now.compare(&signed).iter().map(SkillFault::rule).collect();
        assert_eq!(rules, ["RYE-A022", "RYE-A020", "RYE-A023", "RYE-A021"]);
        // Of a name in another form of Unicode it is said once, if the content is the same.
        let composed = manifest(&folder(&[("SKILL.md", false, "a"), ("re\u{301}sume\u{301}.md", false, "x")]));
        let faults =
            |text| folder(&[("SKILL.md", false, "a"), ("r\u{e9}sum\u{e9}.md", false, text)]).compare(&composed);
        assert!(matches!(faults("x").as_slice(), [SkillFault::OtherForm { path }] if path == "r\u{e9}sum\u{e9}.md"));
        let rules: Vec<&str> = faults("y").iter().map(SkillFault::rule).collect();
        assert_eq!(rules, ["RYE-A020", "RYE-A021"]);
        assert_eq!(manifest(&now).files.len(), 4);
        assert!(now.compare(&manifest(&now)).is_empty());
    }

    #[test]
    fn only_a_folder_of_plain_files_has_the_digest_of_a_manifest() {
        let plain = folder(&[("SKILL.md", false, "a"), ("x", false, "x")]);
        assert_eq!(plain.digest(), manifest(&plain).digest());
        let mut known = vec![plain.digest()];
        for kind in [
            EntryKind::Large { size: 1 },
            EntryKind::Large { size: 2 },
            EntryKind::Link,
            EntryKind::Repository,
            EntryKind::IgnoredCode,
            EntryKind::Special,
            EntryKind::Deep,
            EntryKind::Unnamed,
            EntryKind::Unreadable { reason: "permission denied".to_owned() },
        ] {
            let mut other = plain.clone();
            other.entries.push(SkillEntry { path: "y".to_owned(), kind });
            assert_eq!(manifest(&other), manifest(&plain));
            assert!(!known.contains(&other.digest()), "{other:?}");
            known.push(other.digest());
        }
        let cut = SkillFolder { is_cut: true, ..plain };
        assert!(!known.contains(&cut.digest()));
    }

    #[test]
    fn names_that_are_one_on_some_file_system_collide() {
        let faults =
            folder(&[("A/x", false, ""), ("SKILL.md", false, ""), ("a/y", false, ""), ("skill.md", false, "")])
                .faults();
        let rules: Vec<&str> = faults.iter().map(SkillFault::rule).collect();
        assert_eq!(rules, ["RYE-A032", "RYE-A032"], "{faults:?}");
        let faults = folder(&[("SKILL.md", false, ""), ("e\u{301}", false, ""), ("\u{e9}", false, "")]).faults();
        assert_eq!(faults.len(), 1, "{faults:?}");
    }
}
