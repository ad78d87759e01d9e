//! Fewer, larger pieces: each costs a search some time.

use tantivy::directory::OwnedBytes;
use tantivy::fastfield::{AliveBitSet, write_alive_bitset};
use tantivy::indexer::merge_filtered_segments;
use tantivy::{BitSet, Index, IndexSettings};

use super::files::Files;
use super::held::Held;
use super::piece::Piece;
use super::update::Current;

/// More pieces than this are merged.
const MAX_PIECES: usize = 8;

/// A piece and how many of its documents count.
struct Counted {
    held: Held,
    piece: Piece,
    alive: usize,
}

/// Merges the small pieces if there are many; the large one only if they are half of it together, or a quarter of it no longer
/// counts. So a document costs little when it changes, and a piece is written again only after many have.
pub(super) fn merged(current: &mut Current<'_>) -> tantivy::Result<()> {
    if current.pieces.len() <= MAX_PIECES {
        return Ok(());
    }
    let places = current.places();
    let mut counted = Vec::new();
    for held in current.pieces.drain(..) {
        let piece = Piece::open(held.files.clone(), |serial| places.get(serial as usize).copied().flatten())?;
        let alive = piece.alive();
        if alive > 0 {
            counted.push(Counted { held, piece, alive });
        }
    }
    counted.sort_by_key(|counted| counted.alive);
    let spared = counted.pop_if(|large| {
        let others = current.serials.iter().flatten().count().saturating_sub(large.alive);
        others * 2 < large.alive && (large.piece.size() - large.alive) * 4 < large.piece.size()
    });
    if let Some(spared) = spared {
        current.pieces.push(spared.held);
    }
    if let Some(merged) = one(&counted)? {
        current.pieces.push(merged);
    }
    Ok(())
}

/// Writes pieces as one, without the documents that no longer count.
fn one(counted: &[Counted]) -> tantivy::Result<Option<Held>> {
    if counted.is_empty() {
        return Ok(None);
    }
    let mut segments = Vec::new();
    let mut filters = Vec::new();
    for Counted { held, piece, .. } in counted {
        segments.extend(Index::open(held.files.clone())?.searchable_segments()?);
        filters.push(Some(alive(piece)?));
    }
    let files = Files::default();
    let index = merge_filtered_segments(&segments, IndexSettings::default(), filters, files.clone())?;
    Ok(Some(Held { name: super::piece::name(&index)?, files, stored: None }))
}

fn alive(piece: &Piece) -> tantivy::Result<AliveBitSet> {
    let size = u32::try_from(piece.size()).unwrap_or(u32::MAX);
    let mut set = BitSet::with_max_value(size);
    for document in (0..size).filter(|document| piece.place(*document).is_some()) {
        set.insert(document);
    }
    let mut bytes = Vec::new();
    write_alive_bitset(&set, &mut bytes)?;
    Ok(AliveBitSet::open(OwnedBytes::new(bytes)))
}
