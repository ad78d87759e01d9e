//! `search`: items and turns of threads by what they say.
//!
//! The index is a cache that says what may fit and in which order; results are read from the files themselves, judged
//! like `verify` judges it, and searched for anew if it changed in between. Items outside of a thread's tokens are not
//! in results, snippets, counts or suggestions.

mod error;
mod items;
mod options;
mod outcome;
mod page;
mod plain;
mod readable;
mod request;
mod schema;
mod shelves;
mod sort;
mod threads;

use self::page::IfChanged;
use self::request::Search;
use crate::id::Space;
use crate::index::Query;
use crate::project::Project;

pub use error::Error;
pub use options::Options;
pub use outcome::{FoundItem, FoundTurn, Hit, Outcome, What};
pub use schema::{REGISTRY_SCHEMA, SCHEMA};
pub use shelves::{RegistryHit, RegistryOptions, RegistryOutcome, registries};
pub use sort::{Sort, SortError};

/// How often a search begins anew because a file changed while it ran.
const ATTEMPTS: usize = 4;

/// Searches. `progress` is told how many documents are indexed already, and of how many, while an index is built.
///
/// # Errors
///
/// Fails when the query is not understood, and when items or threads cannot be looked at. A failure to store the index
/// is a warning.
pub fn search(
    project: &Project,
    options: &Options<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, Error> {
    let query =
        Query::parse(&SCHEMA, &options.query).map_err(|fault| Error::Query { query: options.query.clone(), fault })?;
    if options.space == Some(Space::Project) {
        project.root()?;
    }
    // Two answers are joined from their beginnings.
    let (offset, max) =
        if options.threads { (0, options.offset.saturating_add(options.max)) } else { (options.offset, options.max) };
    let search = Search { project, options, query: &query, offset, max };
    let mut outcome = current_items(&search, progress)?;
    if options.threads {
        outcome = outcome.joined(threads::search(&search, progress)?, options.sort, options.offset, options.max);
    }
    outcome.warnings.extend(query.notes());
    Ok(outcome)
}

/// Searches items until no shown item has changed meanwhile.
fn current_items(search: &Search<'_>, progress: &mut dyn FnMut(usize, usize)) -> Result<Outcome, Error> {
    for _ in 1..ATTEMPTS {
        if let Some(outcome) = page::search(search, IfChanged::Again, progress)? {
            return Ok(outcome);
        }
    }
    Ok(page::search(search, IfChanged::LeaveOut, progress)?.unwrap_or_default())
}
