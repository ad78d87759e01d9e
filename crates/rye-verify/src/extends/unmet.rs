//! A required word that nothing here offers, and what to do about it.

use std::collections::BTreeSet;

use serde::Serialize;
use thiserror::Error;

use crate::id::{ItemId, nearest};

/// A word that a directive requires, and that nothing here offers.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize)]
#[error("directive `{item_id}` requires `{word}`, and nothing here offers it")]
pub struct Unmet {
    /// The directive.
    pub item_id: ItemId,
    /// The word.
    pub word: ItemId,
    /// The words that are offered.
    #[serde(skip)]
    pub offered: BTreeSet<ItemId>,
}

impl Unmet {
    /// Says what to do about it, with an option that works as pasted.
    #[must_use]
    pub fn hint(&self) -> String {
        if let Some(near) = nearest(self.word.as_str(), self.offered.iter().map(ItemId::as_str)) {
            return format!("did you mean `{near}`?");
        }
        let offered: BTreeSet<&ItemId> = self.offered.iter().chain([&self.word]).collect();
        let list: Vec<String> = offered.into_iter().map(|word| format!("\"{word}\"")).collect();
        let setting = format!("capabilities.offered=[{}]", list.join(","));
        format!(
            "if this machine has it, say so: `--config '{setting}'` for one run, or the same key in your configuration"
        )
    }
}
