//! How well documents match: BM25 in each field, times the field's weight, summed.
//!
//! For a word that `n` of `N` documents have, a document gets for each field with it
//! `ln(1 + (N − n + ½) / (n + ½)) · weight · f / (f + 1.2 · (1 − b + b · length / usual length))`, where `f` is how often the
//! word is there: forms of the word count less than itself. See S. Robertson, H. Zaragoza, "The Probabilistic Relevance
//! Framework: BM25 and Beyond" (2009). Only documents that the asker may see are among `N` and `n`.

use super::piece::Piece;
use super::schema::{FieldId, Weight};

/// How soon repeating a word stops to count.
const SATURATION: f32 = 1.2;

/// Documents that match a part of the query, by their position in the corpus.
#[derive(Clone, Debug)]
pub(super) struct Matches {
    pub hits: Vec<bool>,
    pub scores: Vec<f32>,
    /// How much it tells that a document matches: the rarer, the more.
    pub weight: f32,
}

impl Matches {
    /// Nothing of a corpus of `size` documents.
    pub(super) fn none(size: usize) -> Self {
        Self { hits: vec![false; size], scores: vec![0.0; size], weight: 0.0 }
    }

    /// These documents, without a score.
    pub(super) fn of(hits: Vec<bool>) -> Self {
        Self { scores: vec![0.0; hits.len()], weight: 0.0, hits }
    }

    pub(super) fn count(&self) -> usize {
        self.hits.iter().filter(|hit| **hit).count()
    }

    /// Ends the count of a word: the sum over the fields is multiplied by its rarity among `documents`.
    pub(super) fn weigh(&mut self, documents: usize) {
        self.weight = rarity(self.count(), documents);
        for score in &mut self.scores {
            *score *= self.weight;
        }
    }

    /// Keeps what matches both.
    pub(super) fn and(&mut self, other: &Self) {
        for (hit, other) in self.hits.iter_mut().zip(&other.hits) {
            *hit &= *other;
        }
        self.add(other);
        self.weight += other.weight;
    }

    /// Keeps what does not match the other.
    pub(super) fn and_not(&mut self, other: &Self) {
        for (hit, other) in self.hits.iter_mut().zip(&other.hits) {
            *hit &= !*other;
        }
    }

    /// Adds the scores of others that need not match.
    pub(super) fn add(&mut self, other: &Self) {
        for (position, score) in other.scores.iter().enumerate().filter(|(position, _)| other.hits[*position]) {
            self.scores[position] += *score;
        }
    }

    /// Adds another word's matches: any of them will do.
    pub(super) fn or(&mut self, other: &Self) {
        for (position, hit) in other.hits.iter().enumerate() {
            self.hits[position] |= *hit;
            self.scores[position] += other.scores[position];
        }
        self.weight = self.weight.max(other.weight);
    }
}

#[expect(clippy::cast_precision_loss, reason = "a corpus has far fewer documents than a float has digits for")]
fn rarity(matching: usize, documents: usize) -> f32 {
    let (matching, documents) = (matching as f32, documents as f32);
    (1.0 + (documents - matching + 0.5) / (matching + 0.5)).ln()
}

/// How often a word is in the documents of one piece, in one field.
pub(super) struct Frequencies {
    by_document: Vec<f32>,
    documents: Vec<u32>,
}

impl Frequencies {
    pub(super) fn new(piece: &Piece) -> Self {
        Self { by_document: vec![0.0; piece.size()], documents: Vec::new() }
    }

    /// Adds occurrences, each counting as `share` of one.
    #[expect(clippy::cast_precision_loss, reason = "nobody counts so many words")]
    pub(super) fn add(&mut self, document: u32, times: u32, share: f32) {
        let frequency = &mut self.by_document[document as usize];
        if *frequency == 0.0 {
            self.documents.push(document);
        }
        *frequency += share * times as f32;
    }

    /// Calls `each` with every document and what the field adds to its score, before rarity.
    pub(super) fn scores(
        self,
        piece: &Piece,
        field: FieldId,
        weight: Weight,
        mut each: impl FnMut(usize, f32),
    ) -> tantivy::Result<()> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let length = piece.lengths(field)?;
        for document in self.documents {
            let frequency = self.by_document[document as usize];
            let long = 1.0 - weight.shortening + weight.shortening * length(document) / weight.length;
            if let Some(position) = piece.place(document) {
                each(position, weight.weight * frequency / (frequency + SATURATION * long));
            }
        }
        Ok(())
    }
}
