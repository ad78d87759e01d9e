//! Why nothing was migrated, or not everything.

use thiserror::Error;

use super::super::locate::LocateError;
use crate::workspace;

/// Why nothing was migrated, or not everything.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// Nothing fits.
    #[error("no item or capability document matches `{name}`")]
    NoMatch {
        /// The id or path asked for.
        name: String,
    },
    /// Files cannot be written, as was known before the first write.
    #[error("nothing was written, because this cannot be: {}", listed(paths))]
    Blocked {
        paths: Vec<String>,
        /// The obstacle of the first.
        #[source]
        source: workspace::Error,
    },
    /// A file could not be written.
    #[error("`{path}` could not be written; files written before it: {changed}, not reached: {left}")]
    Write {
        path: String,
        /// How many files were changed before.
        changed: usize,
        /// How many were not reached.
        left: usize,
        #[source]
        source: workspace::Error,
    },
    /// The items cannot be read.
    #[error(transparent)]
    Locate(#[from] LocateError),
}

fn listed(paths: &[String]) -> String {
    paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
}
