//! Errors with a search.

use thiserror::Error;

/// Why a query cannot be understood.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct QueryError {
    /// The fault, as a sentence in lower case.
    pub message: String,
    /// Where in the query, in bytes.
    pub at: usize,
    /// What to write instead.
    pub hint: String,
}

/// Why there is no answer. Faults of the stored index are not among these: it is built anew.
#[derive(Debug, Error)]
pub enum Error {
    /// The documents could not be indexed even in memory.
    #[error("the documents cannot be indexed")]
    Indexing {
        /// What the search library says.
        #[source]
        source: tantivy::TantivyError,
    },
}

impl From<tantivy::TantivyError> for Error {
    fn from(source: tantivy::TantivyError) -> Self {
        Self::Indexing { source }
    }
}

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Self {
        tantivy::TantivyError::from(source).into()
    }
}
