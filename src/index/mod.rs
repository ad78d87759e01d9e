//! The search index: documents and a query in, ranked keys out.
//!
//! It knows nothing of items, trust or workspaces: a [`Corpus`] says what there is and reads what changed, a [`Query`] what is
//! looked for, [`search`] answers. Scores do not depend on how the index came to be, nor on what the asker may not
//! see.

mod collection;
mod corpus;
mod error;
mod evaluate;
mod files;
mod found;
mod highlight;
mod phrase;
mod piece;
mod query;
mod schema;
mod score;
mod typos;
mod words;

pub use corpus::{Corpus, Document, Entry, Key, Stamp};
pub use error::{Error, QueryError};
pub use found::{Found, Hit, Options, Sort};
pub use highlight::Matched;
pub use query::Query;

use collection::Collection;
use piece::{Piece, PieceWriter};

/// Where an index is kept.
#[derive(Clone, Debug)]
pub struct Place(());

impl Place {
    /// Nowhere: the documents are indexed in memory for each search.
    #[must_use]
    pub const fn memory() -> Self {
        Self(())
    }
}

/// Finds the documents of a corpus that match a query.
///
/// `progress` is told how many of how many documents are read, while documents are read.
///
/// # Errors
///
/// Fails when the documents cannot be indexed even in memory. What happens to the stored index is a warning in [`Found`].
pub fn search(
    _place: &Place,
    corpus: &dyn Corpus,
    query: &Query,
    options: &Options<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Found, Error> {
    let entries = corpus.entries();
    let accepted: Vec<bool> =
        entries.iter().map(|entry| options.accepts.is_none_or(|accepts| accepts(&entry.key))).collect();
    let mut writer = PieceWriter::new()?;
    let mut known = vec![false; entries.len()];
    for (position, entry) in entries.iter().enumerate() {
        progress(position, entries.len());
        if let (Some(document), Ok(serial)) = (corpus.read(&entry.key), u32::try_from(position)) {
            writer.add(serial, &document)?;
            known[position] = accepted[position];
        }
    }
    progress(entries.len(), entries.len());
    let place = |serial: u32| known.get(serial as usize).is_some_and(|known| *known).then_some(serial);
    let pieces = match writer.finish()? {
        Some(files) => Piece::open(files, place)?,
        None => Vec::new(),
    };
    Ok(found::answer(&Collection::new(pieces, known), entries, query, options)?)
}
