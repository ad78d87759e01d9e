//! The search index: documents in, ranked keys out. A manifest and checked pieces on disk, a query language, corrections and scores of our
//! own, from tantivy's postings.
//!
//! It knows nothing of items: what is indexed, and who may see it, is its caller's.

pub mod index;

// The names by which the modules here know those below.
use rye_id::{error, id};
