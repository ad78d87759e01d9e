//! The three spaces items live in, nearest first.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Where an item lives. Ordered by precedence: the nearest space is the smallest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// `.ai/` at the top of the current git repository.
    Project,
    /// `.ai/` of the person, usually in the home folder.
    User,
    /// Compiled into the program.
    System,
}

/// A word that names no space.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown space `{word}` (expected project, user or system)")]
pub struct SpaceError {
    /// The word as given.
    pub word: String,
}

impl Space {
    /// Every space, nearest first.
    pub const ALL: [Self; 3] = [Self::Project, Self::User, Self::System];

    /// Returns the word for this space.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::System => "system",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Space {
    type Err = SpaceError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|space| space.as_str() == word).ok_or_else(|| SpaceError { word: word.to_owned() })
    }
}

super::serde_as_text!(Space);
