//! File extensions of items and the comment style each has.
//!
//! The comment style decides what a signature line looks like, so an extension without one cannot be signed
//! and is refused for items.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::ItemType;

/// An item file's extension without the dot, in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extension {
    text: String,
    comment: CommentStyle,
}

/// How a language writes a comment of one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommentStyle {
    /// `<!-- … -->`
    Markup,
    /// `# …`
    Hash,
    /// `// …`
    Slashes,
    /// `-- …`
    Dashes,
}

/// A text that is no extension an item can have.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`.{text}` has no comment style that could carry a signature")]
pub struct ExtensionError {
    /// The extension as given.
    pub text: String,
}

impl Extension {
    /// Returns the extension without its dot.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns how this extension's files write a comment.
    #[must_use]
    pub const fn comment(&self) -> CommentStyle {
        self.comment
    }

    /// Tells whether items of `item_type` may have this extension.
    #[must_use]
    pub fn suits(&self, item_type: ItemType) -> bool {
        match item_type {
            ItemType::Directive => self.text == "md",
            ItemType::Knowledge => matches!(self.text.as_str(), "md" | "yaml"),
            ItemType::Tool => self.text != "md",
        }
    }
}

impl CommentStyle {
    /// Returns what stands before and after a comment's text.
    #[must_use]
    pub const fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Markup => ("<!-- ", " -->"),
            Self::Hash => ("# ", ""),
            Self::Slashes => ("// ", ""),
            Self::Dashes => ("-- ", ""),
        }
    }

    fn of(extension: &str) -> Option<Self> {
        match extension {
            "md" | "html" | "xml" => Some(Self::Markup),
            "py" | "sh" | "bash" | "zsh" | "rb" | "pl" | "yaml" | "yml" | "toml" | "r" | "jl" | "ps1" => {
                Some(Self::Hash)
            }
            "js" | "mjs" | "cjs" | "ts" | "mts" | "rs" | "go" | "java" | "kt" | "swift" | "c" | "cpp" | "cs"
            | "php" => Some(Self::Slashes),
            "lua" | "sql" | "hs" => Some(Self::Dashes),
            _ => None,
        }
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl FromStr for Extension {
    type Err = ExtensionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match CommentStyle::of(text) {
            Some(comment) => Ok(Self { text: text.to_owned(), comment }),
            None => Err(ExtensionError { text: text.to_owned() }),
        }
    }
}

super::serde_as_text!(Extension);
