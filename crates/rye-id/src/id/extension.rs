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
    text: &'static str,
    comment: CommentStyle,
}

/// Every extension an item can have.
const EXTENSIONS: [(CommentStyle, &[&str]); 4] = [
    (CommentStyle::Markup, &["md", "html", "xml"]),
    (CommentStyle::Hash, &["py", "sh", "bash", "zsh", "rb", "pl", "yaml", "yml", "toml", "r", "jl", "ps1", "sig"]),
    (
        CommentStyle::Slashes,
        &["js", "mjs", "cjs", "ts", "mts", "rs", "go", "java", "kt", "swift", "c", "cpp", "cs", "php"],
    ),
    (CommentStyle::Dashes, &["lua", "sql", "hs"]),
];

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

/// A text that is not an extension of items.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`.{text}` has no comment style that could carry a signature")]
pub struct ExtensionError {
    /// The extension as given.
    pub text: String,
}

impl Extension {
    /// The extension of the signed manifests of skills.
    pub const MANIFEST: Self = Self { text: "sig", comment: CommentStyle::Hash };

    /// Returns the extension without its dot.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        self.text
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
            ItemType::Knowledge => matches!(self.text, "md" | "yaml"),
            ItemType::Tool => !matches!(self.text, "md" | "sig"),
            ItemType::Skill => self.text == "sig",
        }
    }
}

impl CommentStyle {
    /// Returns the text before and after a comment's text.
    #[must_use]
    pub const fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Markup => ("<!-- ", " -->"),
            Self::Hash => ("# ", ""),
            Self::Slashes => ("// ", ""),
            Self::Dashes => ("-- ", ""),
        }
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text)
    }
}

impl FromStr for Extension {
    type Err = ExtensionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let of_style = |(comment, texts): &(CommentStyle, &[&'static str])| {
            texts.iter().find(|known| **known == text).map(|&text| Self { text, comment: *comment })
        };
        EXTENSIONS.iter().find_map(of_style).ok_or_else(|| ExtensionError { text: text.to_owned() })
    }
}

super::serde_as_text!(Extension);
