//! A fault of a skill's folder, or a difference from the signed one.

use std::fmt;

/// Why a folder is not the skill that was signed. Each has a rule id that never changes its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillFault {
    /// A file was added.
    Added {
        /// The file.
        path: String,
    },
    /// A file is missing.
    Removed {
        /// The file.
        path: String,
    },
    /// A file has the name in another form of Unicode, and is the same otherwise.
    OtherForm {
        /// The file.
        path: String,
    },
    /// A signed file is here, and git ignores it.
    Ignored {
        /// The file.
        path: String,
    },
    /// Code that git ignores and an interpreter would load is here.
    IgnoredCode {
        /// The file.
        path: String,
    },
    /// A file holds other bytes.
    Changed {
        /// The file.
        path: String,
    },
    /// A file became executable, or is no longer.
    Mode {
        /// The file.
        path: String,
        /// Whether it is executable now.
        executable: bool,
    },
    /// No folder of `skills.paths` has the skill.
    NoFolder,
    /// A sparse checkout leaves the folder out.
    LeftOut,
    /// The signed file is not a manifest.
    NoManifest,
    /// Two folders have the name of one skill and hold different files.
    Elsewhere {
        /// The folder.
        folder: String,
        /// The other folder.
        other: String,
        /// The files that differ, from the folder.
        differing: Vec<String>,
    },
    /// The folder's name is not a valid name of a skill.
    FolderName {
        /// The name.
        name: String,
    },
    /// `SKILL.md` is missing at its top.
    NoSkillFile,
    /// A `SKILL.md` that belongs to no skill: it lies at the top of a folder of skills, or deeper than a skill's.
    Nested,
    /// A file of attributes by which git checks out other bytes of skills.
    Attributes {
        /// The file, where it is one of the skill's; empty for one above the folder.
        path: String,
    },
    /// A symbolic link.
    Link {
        /// The link.
        path: String,
    },
    /// A symbolic link in the place of a skill, to a folder of its name that is in no folder of skills.
    LinkElsewhere {
        /// The folder, from the top.
        to: String,
    },
    /// A pipe, a socket or a device.
    Special {
        /// The file.
        path: String,
    },
    /// Two names that some file system takes for one.
    Collides {
        /// The second.
        path: String,
        /// The first.
        other: String,
    },
    /// A path that no file of a skill may have.
    Name {
        /// The path.
        path: String,
        /// Why not.
        reason: &'static str,
    },
    /// A repository of its own.
    Repository {
        /// Its folder.
        path: String,
    },
    /// A pointer of Git LFS in the place of a file.
    LfsPointer {
        /// The file.
        path: String,
    },
    /// A file that is too large.
    Large {
        /// The file.
        path: String,
        /// Its bytes.
        size: u64,
        /// The most it may have.
        limit: u64,
    },
    /// Too many files, or too many bytes in all.
    TooMuch {
        /// The most files.
        files: usize,
        /// The most bytes.
        bytes: u64,
    },
    /// The lock says something else.
    Lock {
        /// What it says.
        reason: &'static str,
    },
    /// A file that cannot be read.
    Unreadable {
        /// The file.
        path: String,
        /// Why not.
        reason: String,
    },
}

impl SkillFault {
    /// A lock that cannot be read: it could say anything.
    pub const UNREAD_LOCK: Self = Self::Lock { reason: "`rye.lock` cannot be read" };

    /// A lock that has the skill where it is not.
    pub const OTHER_FOLDER: Self = Self::Lock { reason: "`rye.lock` says that it is in another folder" };

    /// Returns the rule's stable id.
    #[must_use]
    pub const fn rule(&self) -> &'static str {
        match self {
            Self::Added { .. } | Self::IgnoredCode { .. } => "RYE-A020",
            Self::Removed { .. } | Self::OtherForm { .. } | Self::Ignored { .. } => "RYE-A021",
            Self::Changed { .. } => "RYE-A022",
            Self::Mode { .. } => "RYE-A023",
            Self::NoFolder => "RYE-A024",
            Self::NoManifest => "RYE-A001",
            Self::Elsewhere { .. } => "RYE-A025",
            Self::FolderName { .. } => "RYE-A026",
            Self::NoSkillFile => "RYE-A027",
            Self::Nested => "RYE-A028",
            Self::Attributes { .. } => "RYE-A029",
            Self::Link { .. } | Self::LinkElsewhere { .. } => "RYE-A030",
            Self::Special { .. } => "RYE-A031",
            Self::Collides { .. } => "RYE-A032",
            Self::Name { .. } => "RYE-A033",
            Self::Repository { .. } => "RYE-A034",
            Self::LfsPointer { .. } => "RYE-A035",
            Self::Large { .. } | Self::TooMuch { .. } => "RYE-A036",
            Self::Unreadable { .. } => "RYE-A037",
            Self::Lock { .. } => "RYE-A038",
            Self::LeftOut => "RYE-A039",
        }
    }

    /// Returns the file that is meant, from the skill's folder; none where it is the folder itself.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Added { path }
            | Self::Removed { path }
            | Self::OtherForm { path }
            | Self::Ignored { path }
            | Self::IgnoredCode { path }
            | Self::Changed { path }
            | Self::Mode { path, .. }
            | Self::Attributes { path }
            | Self::Link { path }
            | Self::Special { path }
            | Self::Collides { path, .. }
            | Self::Name { path, .. }
            | Self::Repository { path }
            | Self::LfsPointer { path }
            | Self::Large { path, .. }
            | Self::Unreadable { path, .. } => Some(path),
            Self::NoSkillFile => Some(super::SKILL_FILE),
            Self::NoFolder
            | Self::LeftOut
            | Self::Nested
            | Self::NoManifest
            | Self::Elsewhere { .. }
            | Self::LinkElsewhere { .. }
            | Self::FolderName { .. }
            | Self::TooMuch { .. }
            | Self::Lock { .. } => None,
        }
    }

    /// Tells whether the fault keeps the skill that it concerns from being used. Each fault of a verification is decided here.
    #[must_use]
    pub const fn refuses(&self) -> bool {
        match self {
            Self::Added { .. }
            | Self::Removed { .. }
            | Self::OtherForm { .. }
            | Self::Ignored { .. }
            | Self::IgnoredCode { .. }
            | Self::Changed { .. }
            | Self::Mode { .. }
            | Self::NoFolder
            | Self::LeftOut
            | Self::NoManifest
            | Self::Elsewhere { .. }
            | Self::NoSkillFile
            | Self::Attributes { .. }
            | Self::Link { .. }
            | Self::LinkElsewhere { .. }
            | Self::Special { .. }
            | Self::Collides { .. }
            | Self::Name { .. }
            | Self::Repository { .. }
            | Self::LfsPointer { .. }
            | Self::Large { .. }
            | Self::TooMuch { .. }
            | Self::Unreadable { .. }
            | Self::Lock { .. } => true,
            // Such a folder is not a skill: it has no id by which it could be used, and no skill is in it.
            Self::FolderName { .. } | Self::Nested => false,
        }
    }

    /// Tells whether the folder can be a skill all the same, and is only another one than was signed.
    #[must_use]
    pub const fn is_difference(&self) -> bool {
        matches!(
            self,
            Self::Added { .. }
                | Self::Removed { .. }
                | Self::OtherForm { .. }
                | Self::Changed { .. }
                | Self::Mode { .. }
        )
    }
}

impl fmt::Display for SkillFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added { .. } => f.write_str("this file was added after the skill was signed"),
            Self::Removed { .. } => f.write_str("this file was removed after the skill was signed"),
            Self::OtherForm { .. } => f.write_str(
                "the name of this file has another form of Unicode (composed, decomposed) than when the skill was signed; its content is the same",
            ),
            Self::Ignored { .. } => f.write_str("this file is signed, and git ignores it: no commit would have it"),
            Self::IgnoredCode { .. } => f.write_str(
                "git ignores this code, so that no signature covers it, and an interpreter loads it next to the skill's scripts",
            ),
            Self::Changed { .. } => f.write_str("this file was changed after the skill was signed"),
            Self::Mode { executable: true, .. } => {
                f.write_str("this file became executable after the skill was signed")
            }
            Self::Mode { executable: false, .. } => {
                f.write_str("this file was executable when the skill was signed, and is not any more")
            }
            Self::NoFolder => f.write_str("the skill is signed, and no folder of `skills.paths` has it"),
            Self::LeftOut => f.write_str("a sparse checkout leaves the folder out: the skill is not verified here"),
            Self::NoManifest => f.write_str("the file that is signed for the skill is not a manifest"),
            Self::Elsewhere { other, differing, .. } => {
                write!(f, "this folder and `{other}` have the same name and different files{}", listed(differing))
            }
            Self::FolderName { name } => {
                write!(f, "invalid skill name `{name}`: expected 1 to 64 characters of a–z, 0–9 and single hyphens")
            }
            Self::NoSkillFile => f.write_str("the skill has no file `SKILL.md`"),
            Self::Nested => f.write_str(
                "some clients read a `SKILL.md` here, and only folders directly in a folder of skills can be signed",
            ),
            Self::Attributes { .. } => {
                f.write_str("git checks out other bytes of a skill than it has because of attributes in this file")
            }
            Self::Link { .. } => f.write_str("this is a symbolic link, which could lead to anything"),
            Self::LinkElsewhere { to } => {
                write!(f, "this is a symbolic link to `{to}`, and no folder of `skills.paths` has that")
            }
            Self::Special { .. } => f.write_str("this is a pipe, a socket or a device"),
            Self::Collides { path, other } => {
                write!(f, "some file systems take this name and `{other}` for one")?;
                let is_other_form = !path.is_empty() && path.to_lowercase() != other.to_lowercase();
                if is_other_form { f.write_str(": only the form of Unicode differs") } else { Ok(()) }
            }
            Self::Name { reason, .. } => write!(f, "no file of a skill may be called so: {reason}"),
            Self::Repository { .. } => f.write_str("this is a repository of its own, whose files no commit here has"),
            Self::LfsPointer { .. } => f.write_str("this is a pointer of Git LFS and not the file itself"),
            Self::Large { size, limit, .. } => write!(f, "this file has {size} bytes, and a skill's may have {limit}"),
            Self::TooMuch { files, bytes } => {
                write!(f, "the folder contains more than {files} files or {bytes} bytes, the most of a skill")
            }
            Self::Unreadable { reason, .. } => write!(f, "this cannot be read: {reason}"),
            Self::Lock { reason } => f.write_str(reason),
        }
    }
}

/// Lists the first files of several.
fn listed(files: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = files.iter().take(SHOWN).map(|file| format!("`{file}`")).collect();
    match (shown.len(), files.len().saturating_sub(SHOWN)) {
        (0, _) => String::new(),
        (_, 0) => format!(": {}", shown.join(", ")),
        (_, more) => format!(": {} and {more} more", shown.join(", ")),
    }
}
