//! What a directive's `<context>` element says: what surrounds it, what it relates to, what reaches its model.

use serde::Serialize;

use crate::id::ItemId;

/// The relations and context items of a directive, each list in the order of the text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct DirectiveContext {
    /// Files the directive is about, for the model to read.
    pub related_files: Vec<String>,
    /// What it needs from outside, such as packages, for the model to read.
    pub dependencies: Vec<String>,
    /// What it cannot do without: words for what an installation offers, and items. A name of one segment may be either.
    pub requires: Vec<ItemId>,
    /// Directives it builds on: they must be there.
    pub depends_on: Vec<ItemId>,
    /// Directives that use it, for people.
    pub used_by: Vec<ItemId>,
    /// Directives that go well with it, for people.
    pub suggests: Vec<ItemId>,
    /// Directives that may not be loaded in the same thread.
    pub conflicts_with: Vec<ItemId>,
    /// What it is an example of, for people.
    pub example_of: Vec<ItemId>,
    /// Knowledge for the system prompt.
    pub system: Vec<ItemId>,
    /// Knowledge before the instructions.
    pub before: Vec<ItemId>,
    /// Knowledge after the instructions.
    pub after: Vec<ItemId>,
    /// Inherited context items that are left out.
    pub suppress: Vec<ItemId>,
    /// Which of the project's own instructions its model may read; the person's configuration where it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<ProjectFiles>,
    /// Whether its model is told of project, date, platform and budget; the person's configuration where it does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<bool>,
}

/// Which of the project's own instructions, such as `AGENTS.md`, a model reads. The order is that of what they allow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProjectFiles {
    /// None.
    None,
    /// Those in a signed list of agent files.
    Signed,
    /// Those too that are not signed: as data.
    #[default]
    All,
}

impl ProjectFiles {
    /// Reads the word for it.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        [Self::None, Self::Signed, Self::All].into_iter().find(|one| one.as_str() == word)
    }

    /// Returns the word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Signed => "signed",
            Self::All => "all",
        }
    }
}

/// The place of a context item in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContextPosition {
    /// In the system prompt.
    System,
    /// Before the instructions.
    Before,
    /// After the instructions.
    After,
}

impl ContextPosition {
    /// Every position, in the order in which the model reads them.
    pub const ALL: [Self; 3] = [Self::System, Self::Before, Self::After];

    /// Returns the word for this position: the name of its element.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl DirectiveContext {
    /// Returns the knowledge declared for a position.
    #[must_use]
    pub fn items(&self, position: ContextPosition) -> &[ItemId] {
        match position {
            ContextPosition::System => &self.system,
            ContextPosition::Before => &self.before,
            ContextPosition::After => &self.after,
        }
    }

    /// Tells whether nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
