//! Words one after the other, or near each other.

use std::collections::BTreeMap;

use super::piece::Piece;
use super::schema::FieldId;

/// Words that belong together.
pub(super) struct Phrase {
    /// What each of its words may look like in the index.
    pub parts: Vec<Vec<String>>,
    /// How many other words may come between them, in any order; without it they follow each other.
    pub distance: Option<u32>,
}

/// The places of each part in one document.
type Positions = Vec<Vec<u32>>;

impl Phrase {
    /// Returns which documents of a piece have the phrase in a field, and how often.
    pub(super) fn documents(&self, piece: &Piece, field: FieldId) -> tantivy::Result<Vec<(u32, u32)>> {
        let documents = self.with_all_parts(piece, field)?;
        let mut positions: BTreeMap<u32, Positions> =
            documents.iter().map(|document| (*document, vec![Vec::new(); self.parts.len()])).collect();
        for (number, forms) in self.parts.iter().enumerate() {
            for form in forms {
                piece.each_position(field, form, &documents, |document, found| {
                    if let Some(positions) = positions.get_mut(&document) {
                        positions[number].extend_from_slice(found);
                    }
                })?;
            }
        }
        let counted = positions.into_iter().map(|(document, positions)| (document, self.count(positions)));
        Ok(counted.filter(|(_, count)| *count > 0).collect())
    }

    fn with_all_parts(&self, piece: &Piece, field: FieldId) -> tantivy::Result<Vec<u32>> {
        let mut common: Option<Vec<u32>> = None;
        for forms in &self.parts {
            let mut having = Vec::new();
            for form in forms {
                piece.each(field, form, |document, _| having.push(document))?;
            }
            having.sort_unstable();
            having.dedup();
            common = Some(match common {
                None => having,
                Some(common) => common.into_iter().filter(|document| having.binary_search(document).is_ok()).collect(),
            });
            if common.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        Ok(common.unwrap_or_default())
    }

    fn count(&self, mut positions: Positions) -> u32 {
        for part in &mut positions {
            part.sort_unstable();
            part.dedup();
        }
        match self.distance {
            None => sequences(&positions),
            Some(distance) => near(&positions, distance),
        }
    }
}

fn sequences(positions: &Positions) -> u32 {
    let Some((first, others)) = positions.split_first() else { return 0 };
    let follow = |start: u32| (start + 1..).zip(others).all(|(place, part)| part.binary_search(&place).is_ok());
    count(first.iter().filter(|start| follow(**start)))
}

/// Counts the places where all parts lie within a stretch of the text, none used twice.
fn near(positions: &Positions, distance: u32) -> u32 {
    let mut all: Vec<(u32, usize)> = Vec::new();
    for (number, part) in positions.iter().enumerate() {
        all.extend(part.iter().map(|place| (*place, number)));
    }
    all.sort_unstable();
    let most = distance + u32::try_from(positions.len()).unwrap_or(u32::MAX) - 1;
    let mut latest: Vec<Option<u32>> = vec![None; positions.len()];
    let mut found = 0;
    for (place, number) in all {
        latest[number] = Some(place);
        let all_near = latest.iter().all(|latest| latest.is_some_and(|latest| place - latest <= most));
        if all_near {
            found += 1;
            latest.fill(None);
        }
    }
    found
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
