//! Why nothing can be searched.

use thiserror::Error;

use super::super::locate::LocateError;
use crate::git;
use crate::index::{self, QueryError};
use crate::process;
use crate::registry;

/// How much of a query that is not understood is repeated, in bytes.
const REPEATED: usize = 200;

/// Why nothing can be searched.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The query is not understood.
    #[error("the query `{query}` is invalid at character {}: {}", character(query, fault.at), fault.message, query = shortened(query))]
    Query { query: String, fault: QueryError },
    /// Items cannot be looked at.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Threads cannot be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The person uses no registry.
    #[error("no registry is configured")]
    NoRegistry,
    /// A registry cannot be reached or read, or is refused.
    #[error(transparent)]
    Registry(#[from] registry::Error),
    /// The program git cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// The index cannot even be made in memory.
    #[error(transparent)]
    Index(#[from] index::Error),
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
