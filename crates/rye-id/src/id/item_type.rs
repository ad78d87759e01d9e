//! The four types of item and where each lives.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// The kind of item a file is (docs/formats.md, section 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemType {
    /// A workflow for an agent to follow.
    Directive,
    /// Something that runs.
    Tool,
    /// Something to know.
    Knowledge,
    /// A folder with a `SKILL.md`, of which a manifest is signed.
    Skill,
}

/// A word that names no item type.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown item type `{word}` (expected directive, tool, knowledge or skill)")]
pub struct ItemTypeError {
    /// The word as given.
    pub word: String,
}

impl ItemType {
    /// Every type, in the order listings use.
    pub const ALL: [Self; 4] = [Self::Directive, Self::Tool, Self::Knowledge, Self::Skill];

    /// Returns the word for this type: `directive`, `tool`, `knowledge` or `skill`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Directive => "directive",
            Self::Tool => "tool",
            Self::Knowledge => "knowledge",
            Self::Skill => "skill",
        }
    }

    /// Returns the folder below `.ai/` that holds items of this type.
    #[must_use]
    pub const fn folder(self) -> &'static str {
        match self {
            Self::Directive => "directives",
            Self::Tool => "tools",
            Self::Knowledge => "knowledge",
            Self::Skill => "skills",
        }
    }

    /// Returns the type whose items a folder below `.ai/` holds.
    #[must_use]
    pub fn of_folder(folder: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|item_type| item_type.folder() == folder)
    }
}

impl fmt::Display for ItemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ItemType {
    type Err = ItemTypeError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|item_type| item_type.as_str() == word)
            .ok_or_else(|| ItemTypeError { word: word.to_owned() })
    }
}

super::serde_as_text!(ItemType);
