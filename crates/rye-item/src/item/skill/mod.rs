//! A skill: a folder with a `SKILL.md`, as the public Agent Skills format has it, and the manifest that is signed for it.
//!
//! The folder's bytes stay as they are: the signature covers the manifest, which names each file with its digest
//! (docs/formats.md, section 1.1).

mod attribute_line;
mod attributes;
mod code;
mod content;
mod entry;
mod fault;
mod name;

use serde::Serialize;

use crate::id::{ItemId, Version};
use crate::trust::ContentHash;

pub use attributes::{
    ATTRIBUTES, AttributesFile, SkillAttributes, attributes_line, is_taken_for_attributes, keeping_lines,
};
pub use code::{is_code_name, is_dependency, is_environment, is_unchecked_bytecode, python_source};
pub use content::SkillContent;
pub use entry::{EntryKind, SkillEntry, SkillFolder};
pub use fault::SkillFault;
pub use name::{is_git_folder, is_script_name, is_skill_name, resolve_link, unusable_path};

/// The file at the top of a skill's folder that makes it one.
pub const SKILL_FILE: &str = "SKILL.md";

/// The most files of a skill.
pub const MOST_FILES: usize = 2_000;

/// The most bytes of one file of a skill.
pub const MOST_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// The largest `.gitattributes` that is judged, in bytes: a line for each of 10,000 skills has room.
pub const MOST_ATTRIBUTE_BYTES: u64 = 1024 * 1024;

/// The most bytes of all files of a skill.
pub const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The most names in the path of a file, from the top of its skill.
pub const MOST_DEPTH: usize = 16;

/// The signed part of a skill: its files, and the digest of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SkillManifest {
    /// The skill's id: the folder's name, below a namespace where it is published.
    pub id: ItemId,
    /// Its version, if its `metadata` or its publisher names one.
    pub version: Option<Version>,
    /// Where it was taken from, if it was taken from elsewhere.
    pub source: Option<String>,
    /// Its files, sorted by the bytes of their paths.
    pub files: Vec<SkillFile>,
}

/// A file of a skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SkillFile {
    /// Its path from the skill's folder.
    pub path: String,
    /// Whether its owner may execute it.
    pub executable: bool,
    /// How many bytes it has.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: ContentHash,
}

impl SkillFile {
    /// Returns git's number for the file's mode.
    #[must_use]
    pub const fn mode(&self) -> &'static str {
        if self.executable { "100755" } else { "100644" }
    }

    /// Returns the line of the manifest for this file, with its newline.
    #[must_use]
    pub fn line(&self) -> String {
        format!("{} {} {} {}\n", self.sha256, self.size, self.mode(), self.path)
    }
}

impl SkillManifest {
    /// Returns the SHA-256 of the lines of the files: the same for the same folder, under whatever name it is signed.
    #[must_use]
    pub fn digest(&self) -> ContentHash {
        files_digest(&self.files)
    }
}

/// Returns the SHA-256 of the manifest's lines of some files, which are sorted.
#[must_use]
pub fn files_digest(files: &[SkillFile]) -> ContentHash {
    let lines: String = files.iter().map(SkillFile::line).collect();
    ContentHash::of(lines.as_bytes())
}
