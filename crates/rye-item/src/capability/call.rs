//! A requested call: the checked value is the dispatched one.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::aliases;
use crate::id::{ItemId, ItemType};

/// One of the four primary actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primary {
    /// Run a tool, or take in a directive or knowledge.
    Execute,
    /// Find items.
    Search,
    /// Read an item's raw bytes.
    Load,
    /// Validate and sign an item.
    Sign,
}

/// A word that names no primary action.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown action `{word}` (expected execute, search, load or sign)")]
pub struct PrimaryError {
    /// The word as given.
    pub word: String,
}

impl Primary {
    /// Every primary action.
    pub const ALL: [Self; 4] = [Self::Execute, Self::Search, Self::Load, Self::Sign];

    /// Returns the word for this action.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Execute => "execute",
            Self::Search => "search",
            Self::Load => "load",
            Self::Sign => "sign",
        }
    }
}

impl fmt::Display for Primary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Primary {
    type Err = PrimaryError;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|primary| primary.as_str() == word)
            .ok_or_else(|| PrimaryError { word: word.to_owned() })
    }
}

crate::id::serde_as_text!(Primary);

/// A primary action on an item: what a permission check judges.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Call {
    /// The action.
    pub primary: Primary,
    /// The type acted on.
    pub item_type: ItemType,
    /// The item acted on; a search names none.
    pub item_id: Option<ItemId>,
}

impl Call {
    /// Makes a call on one item, under the name the item has now.
    #[must_use]
    pub fn on(primary: Primary, item_type: ItemType, item_id: ItemId) -> Self {
        Self { primary, item_type, item_id: Some(aliases::resolve(item_type, item_id)) }
    }

    /// Makes the call that searches the items of a type.
    #[must_use]
    pub const fn search(item_type: ItemType) -> Self {
        Self { primary: Primary::Search, item_type, item_id: None }
    }

    /// Returns the exact capability this call needs, such as `rye.execute.tool.rye.file-system.read`.
    #[must_use]
    pub fn needed(&self) -> String {
        let place = format!("rye.{}.{}", self.primary, self.item_type);
        match self.current_id() {
            Some(id) => format!("{place}.{}", id.dotted()),
            None => place,
        }
    }

    /// Returns the capabilities this call needed under the names its item had before.
    pub(super) fn former_needs(&self) -> impl Iterator<Item = String> {
        let place = format!("rye.{}.{}", self.primary, self.item_type);
        let names: Vec<&str> = self.current_id().iter().flat_map(|id| aliases::former(self.item_type, id)).collect();
        names.into_iter().map(move |name| format!("{place}.{}", name.replace('/', ".")))
    }

    fn current_id(&self) -> Option<ItemId> {
        self.item_id.clone().map(|id| aliases::resolve(self.item_type, id))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.item_id {
            Some(id) => write!(f, "{} {} {id}", self.primary, self.item_type),
            None => write!(f, "{} {}", self.primary, self.item_type),
        }
    }
}
