//! The search index: documents and a query in, ranked keys out.
//!
//! It is independent of the searched data: a [`Schema`] has the fields, a [`Corpus`] the documents, a [`Query`] the
//! question, [`search`] answers. Scores do not depend on how the index came to be, nor on what the asker may not see.

mod collection;
mod corpus;
mod draft;
mod error;
mod evaluate;
mod files;
mod found;
mod generation;
mod held;
mod highlight;
mod manifest;
mod merge;
mod options;
mod phrase;
mod piece;
mod piece_files;
mod place;
mod query;
mod schema;
mod score;
mod typos;
mod update;
mod words;

pub use corpus::{Corpus, Document, Entry, Stamp};
pub use error::{Error, QueryError};
pub use found::{Found, Hit};
pub use highlight::Matched;
pub use options::{Options, Sort, ValueOf};
pub use place::Place;
pub use query::Query;
pub use schema::{Field, Kind, Schema, Weight};

use std::path::Path;

use collection::Collection;
use draft::Draft;
use generation::Stored;
use piece::Piece;
use update::Current;

use crate::error::with_causes;

/// Finds the documents of a corpus that match a query.
///
/// The index is brought up to date before: new and possibly changed entries are read and indexed, in memory, then
/// stored for the next search. An index with any fault is built anew; without a stored index the answer is the same.
/// `progress` is told how many of how many documents are read, while documents are read.
///
/// # Errors
///
/// Fails when the documents cannot be indexed even in memory. What happens to the stored index is told in [`Found`].
pub fn search(
    place: &Place,
    corpus: &dyn Corpus,
    query: &Query,
    options: &Options<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Found, Error> {
    let asked = Asked { place, corpus, query, options };
    let damage = match place.folder().map(generation::open).transpose().map(Option::flatten) {
        Ok(None) => None,
        Ok(Some(stored)) => match asked.answer(&stored, progress) {
            Ok(found) => return Ok(found),
            Err(error) => Some(with_causes(&error)),
        },
        Err(error) => Some(error.to_string()),
    };
    let found = asked.answer(&Stored::default(), progress)?;
    Ok(Found { rebuilt: damage, ..found })
}

/// One question.
struct Asked<'a> {
    place: &'a Place,
    corpus: &'a dyn Corpus,
    query: &'a Query,
    options: &'a Options<'a>,
}

impl Asked<'_> {
    /// Answers from an index, stored or empty, after bringing it up to date.
    fn answer(&self, stored: &Stored, progress: &mut dyn FnMut(usize, usize)) -> Result<Found, Error> {
        if let Some(current) = Current::as_is(self.corpus, stored) {
            return self.found(&current);
        }
        let mut draft = None;
        let started = || {
            draft = self.place.folder().map(Draft::new);
            draft.as_ref()?.as_ref().ok()?.started()
        };
        let mut current = Current::updated(self.corpus, self.query.schema, stored, started, progress)?;
        let mut warning = None;
        if let (Some(folder), Some(known)) = (self.place.folder(), current.unstored.take()) {
            merge::merged(&mut current)?;
            let draft = draft.unwrap_or_else(|| Draft::new(folder));
            warning = draft.and_then(|draft| draft.publish(folder, &current, &known, &stored.manifest)).err();
        }
        let found = self.found(&current)?;
        Ok(Found { warning: warning.map(|error| unkept(self.place.folder(), &error)), ..found })
    }

    fn found(&self, current: &Current<'_>) -> Result<Found, Error> {
        let entries = self.corpus.entries();
        let accepts = |position: usize| self.options.accepts.is_none_or(|accepts| accepts(position));
        let serials = current.serials.iter().enumerate();
        let accepted: Vec<bool> = serials.map(|(position, serial)| serial.is_some() && accepts(position)).collect();
        let places = current.places();
        let place = |serial: u32| {
            let place = places.get(serial as usize).copied().flatten();
            place.filter(|position| accepted[*position as usize])
        };
        let pieces = current.pieces.iter().map(|held| Piece::open(held.files.clone(), place));
        let collection = Collection::new(pieces.collect::<tantivy::Result<_>>()?, accepted);
        Ok(found::answer(&collection, entries, self.query, self.options)?)
    }
}

fn unkept(folder: Option<&Path>, error: &std::io::Error) -> String {
    let folder = folder.unwrap_or(Path::new("")).display();
    format!("the search index cannot be kept in `{folder}`, so each search takes longer: {error}")
}
