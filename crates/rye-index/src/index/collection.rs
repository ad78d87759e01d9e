//! The pieces of an index together, seen through a filter: entries that are not accepted are invisible.

use std::collections::BTreeMap;

use super::piece::Piece;
use super::schema::FieldId;
use super::score::Matches;
use super::typos::Typos;

/// More words near a wrong one do not help.
const MAX_NEAR: usize = 50;

/// Documents to search.
pub(super) struct Collection {
    pieces: Vec<Piece>,
    accepted: Vec<bool>,
    count: usize,
}

impl Collection {
    /// Puts pieces together. `accepted` says which positions of the corpus may be seen; the pieces know no others.
    pub(super) fn new(pieces: Vec<Piece>, accepted: Vec<bool>) -> Self {
        let count = accepted.iter().filter(|accepted| **accepted).count();
        Self { pieces, accepted, count }
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub(super) fn accepted(&self) -> &[bool] {
        &self.accepted
    }

    /// Returns how many documents may be seen.
    pub(super) const fn count(&self) -> usize {
        self.count
    }

    /// Finds the documents that have a value as a whole in one of the fields.
    pub(super) fn with_value(&self, fields: &[FieldId], value: &str) -> tantivy::Result<Matches> {
        let mut matches = Matches::none(self.accepted.len());
        for &field in fields {
            for piece in &self.pieces {
                piece.each(field, value, |document, _| {
                    if let Some(position) = piece.place(document) {
                        matches.hits[position] = true;
                    }
                })?;
            }
        }
        Ok(matches)
    }

    /// Returns the words of the fields that a wrong word may be meant for, with their distance: the nearest first, then those
    /// that more documents have.
    pub(super) fn near(&self, fields: &[FieldId], word: &str, typos: usize) -> tantivy::Result<Vec<(String, usize)>> {
        let Some(typos) = Typos::new(word, typos) else { return Ok(Vec::new()) };
        let mut distances = BTreeMap::new();
        for &field in fields {
            for piece in &self.pieces {
                piece.near(field, &typos, |other, distance| _ = distances.insert(other.to_owned(), distance))?;
            }
        }
        let mut near = Vec::new();
        for (word, distance) in distances {
            let count = self.frequency(fields, &word)?;
            if count > 0 {
                near.push((distance, usize::MAX - count, word));
            }
        }
        near.sort_unstable();
        near.truncate(MAX_NEAR);
        Ok(near.into_iter().map(|(distance, _, word)| (word, distance)).collect())
    }

    fn frequency(&self, fields: &[FieldId], word: &str) -> tantivy::Result<usize> {
        let mut count = 0;
        for &field in fields {
            for piece in &self.pieces {
                piece.each(field, word, |_, _| count += 1)?;
            }
        }
        Ok(count)
    }
}
