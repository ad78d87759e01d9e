//! What a signature of version 1 leaves out.

use std::fmt;

use serde::Serialize;

/// A part of an item that its signature of version 1 does not cover: anyone may have changed it since.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Uncovered {
    /// The item's type.
    Type,
    /// The item's id.
    Id,
    /// The file's extension, which decides how it is run.
    Extension,
    /// The time on the signature line.
    Time,
    /// Which of LF, CR LF and CR end the lines.
    LineEndings,
    /// All text outside of a directive's block.
    Prose,
    /// The process steps below a directive's block.
    Steps,
    /// A tool's `#!` line, and whether it has one.
    Shebang,
    /// That the signature line ends with CR LF.
    LineEnd,
    /// Blanks at the end of the signature line.
    TrailingBlanks,
    /// The name of a registry and its user behind the key id.
    RegistrySuffix,
}

impl Uncovered {
    /// Returns the words for this part.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Id => "id",
            Self::Extension => "extension",
            Self::Time => "time",
            Self::LineEndings => "line endings",
            Self::Prose => "all text outside of the `<directive>` block",
            Self::Steps => "the process steps",
            Self::Shebang => "the `#!` line",
            Self::LineEnd => "the CR LF of the signature line",
            Self::TrailingBlanks => "blanks at the end of the signature line",
            Self::RegistrySuffix => "the registry and user named on the signature line",
        }
    }
}

impl fmt::Display for Uncovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Returns the parts in words, for a message.
pub(super) fn listed(uncovered: &[Uncovered]) -> String {
    uncovered.iter().map(|part| part.as_str()).collect::<Vec<_>>().join(", ")
}
