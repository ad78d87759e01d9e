//! `search`: items and turns of threads by what they say.
//!
//! The index is a cache that says what may fit and in which order; what is shown is read from the files themselves, judged
//! like `verify` judges it, and searched for anew if it changed in between. What a thread's tokens do not cover is
//! not in results, snippets, counts or suggestions.

mod items;
mod outcome;
mod page;
mod readable;
mod schema;
mod threads;

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use thiserror::Error;

use self::page::IfChanged;
use super::locate::{LocateError, Session};
use crate::capability::{Authority, Call, Consent, Primary};
use crate::git;
use crate::id::{ItemId, ItemType, Space};
use crate::index::{self, Place, Query, QueryError};
use crate::workspace::Candidate;

pub use outcome::{FoundItem, FoundTurn, Hit, Outcome, What};
pub use schema::SCHEMA;

/// How often a search begins anew because a file changed while it ran.
const ATTEMPTS: usize = 4;

/// How much of a query that is not understood is repeated, in bytes.
const REPEATED: usize = 200;

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
    /// Whether what had to be indexed is kept for the next search.
    pub keeps_index: bool,
}

/// An order of results. What fits equally well comes from the nearer space first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// What fits best first.
    #[default]
    Score,
    /// What was changed last first.
    Date,
    /// By id.
    Name,
}

/// A word that names no order.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{word}` is no order of results (score, date or name)")]
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
            keeps_index: true,
        }
    }

    /// Tells whether the searcher may know of an item.
    fn allows(&self, item_type: ItemType, item_id: &ItemId) -> bool {
        // Nobody is asked about every item, so what a person would have to agree to is not found.
        let given = |judge: &dyn Authority| judge.judge(&Call::on(Primary::Search, item_type, item_id.clone()));
        self.allowed.is_none_or(|judge| matches!(given(judge), Ok(Consent::Given)))
    }
}

/// Why nothing can be searched.
#[derive(Debug, Error)]
pub enum Error {
    /// The query is not understood.
    #[error("the query `{query}` is not understood at character {}: {}", character(query, fault.at), fault.message, query = shortened(query))]
    Query {
        /// The query.
        query: String,
        /// What is wrong, and where.
        fault: QueryError,
    },
    /// Items cannot be looked at.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Threads cannot be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The index cannot even be made in memory.
    #[error(transparent)]
    Index(#[from] index::Error),
}

/// Searches. `progress` is told how many documents are indexed already, and of how many, while an index is built.
///
/// # Errors
///
/// Fails when the query is not understood, and when items or threads cannot be looked at. What keeps the index from being
/// stored is a warning.
pub fn search(
    session: &Session,
    options: &Options<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, Error> {
    let query =
        Query::parse(&SCHEMA, &options.query).map_err(|fault| Error::Query { query: options.query.clone(), fault })?;
    // Two answers are joined from their beginnings.
    let (offset, max) =
        if options.threads { (0, options.offset.saturating_add(options.max)) } else { (options.offset, options.max) };
    let search = Search { session, options, query: &query, offset, max };
    let mut outcome = current_items(&search, progress)?;
    if options.threads {
        outcome = outcome.joined(threads::search(&search, progress)?, options.sort, options.offset, options.max);
    }
    outcome.warnings.extend(query.notes().iter().cloned());
    Ok(outcome)
}

/// Returns the beginning of a query that is too long to be repeated.
fn shortened(query: &str) -> String {
    let end = query.floor_char_boundary(REPEATED);
    if end == query.len() { query.to_owned() } else { format!("{}…", &query[..end]) }
}

/// Returns the number, from 1, of the character at a byte.
fn character(query: &str, at: usize) -> usize {
    query.char_indices().take_while(|(start, _)| *start < at).count() + 1
}

/// Searches items until nothing that is shown has changed meanwhile.
fn current_items(search: &Search<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Outcome, Error> {
    for _ in 1..ATTEMPTS {
        if let Some(outcome) = page::search(search, IfChanged::Again, progress)? {
            return Ok(outcome);
        }
    }
    Ok(page::search(search, IfChanged::LeaveOut, progress)?.unwrap_or_default())
}

/// A search under way.
struct Search<'a> {
    session: &'a Session,
    options: &'a Options<'a>,
    query: &'a Query,
    offset: usize,
    max: usize,
}

impl Search<'_> {
    /// Tells whether an item may be found.
    fn accepts(&self, candidate: &Candidate) -> bool {
        let Options { item_type, space, .. } = self.options;
        space.is_none_or(|space| space == candidate.space)
            && item_type.is_none_or(|item_type| item_type == candidate.item_type)
            && self.options.allows(candidate.item_type, &candidate.id)
    }
}

/// Returns where the index of a corpus is kept: every project and person together have one of their own.
fn place(search: &Search<'_>, corpus: &str) -> Place {
    let Search { session, options, .. } = search;
    let roots = [Space::Project, Space::User].map(|space| session.workspace().root(space));
    let roots: Vec<&Path> = roots.into_iter().flatten().chain([Path::new(corpus)]).collect();
    // Without a folder for caches the index is made anew for each search.
    let place = session.context().cache_dir().map_or_else(|_| Place::memory(), |cache| Place::at(&cache, &roots));
    if options.keeps_index { place } else { place.read_only() }
}
