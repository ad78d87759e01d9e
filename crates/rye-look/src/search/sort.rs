//! The orders of results.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// An order of results. Equal results are sorted by the nearer space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// Best results first.
    #[default]
    Score,
    /// The last changed first.
    Date,
    /// By id.
    Name,
}

/// A word that names no order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown sort order `{word}` (expected score, date or name)")]
pub struct SortError {
    /// The word as given.
    pub word: String,
}

impl Sort {
    /// Every order.
    pub const ALL: [Self; 3] = [Self::Score, Self::Date, Self::Name];

    /// Returns the word for this order.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Date => "date",
            Self::Name => "name",
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Sort {
    type Err = SortError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|sort| sort.as_str() == word).ok_or_else(|| SortError { word: word.to_owned() })
    }
}

crate::id::serde_as_text!(Sort);
