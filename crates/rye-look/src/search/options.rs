//! What to search for.

use super::sort::Sort;
use crate::capability::{Authority, Call, Consent, Primary};
use crate::id::{ItemId, ItemType, Space};
use crate::redact::Redactor;

/// What to search for.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The query, in the language of docs/search.md.
    pub query: String,
    /// Only items of this type.
    pub item_type: Option<ItemType>,
    /// Only items of this space.
    pub space: Option<Space>,
    /// How many results to show at most.
    pub max: usize,
    /// How many of the best to pass by.
    pub offset: usize,
    /// The order of the results.
    pub sort: Sort,
    /// Whether words that are nearly those of the query fit too, even where the exact words are found.
    pub fuzzy: bool,
    /// Whether turns of threads are searched too.
    pub threads: bool,
    /// Whether every score is explained.
    pub explain: bool,
    /// What the searcher may find, in a thread or over a connection: items that this lets it search.
    pub allowed: Option<&'a dyn Authority>,
    /// Keeps secrets out of what is shown, before a passage is cut from it. None where a person searches.
    pub secrets: Option<&'a Redactor>,
}

impl Options<'_> {
    /// How many results are shown unless asked otherwise.
    pub const MAX: usize = 20;

    /// Makes the options of a plain search.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        Self {
            query: query.into(),
            item_type: None,
            space: None,
            max: Self::MAX,
            offset: 0,
            sort: Sort::Score,
            fuzzy: false,
            threads: false,
            explain: false,
            allowed: None,
            secrets: None,
        }
    }

    /// Tells whether the searcher may know of an item.
    pub(super) fn allows(&self, item_type: ItemType, item_id: &ItemId) -> bool {
        // The search asks no questions, so items that need an approval are not found.
        let given = |judge: &dyn Authority| judge.judge(&Call::on(Primary::Search, item_type, item_id.clone()));
        self.allowed.is_none_or(|judge| matches!(given(judge), Ok(Consent::Given)))
    }
}
