//! Brings an index to the present state of the corpus: only new and possibly changed entries are read, and only changed
//! ones are indexed.

use std::collections::HashMap;

use super::corpus::{Corpus, Document, Entry};
use super::error::Error;
use super::generation::Stored;
use super::held::Held;
use super::manifest::Known;
use super::piece::PieceWriter;
use super::schema::Schema;

/// Stamps this much older than the reading change with the next writing: clocks of file systems tick every few milliseconds.
const TICK_NS: i64 = 50_000_000;

/// The same where a file system counts in whole seconds, some in two.
const COARSE_TICK_NS: i64 = 2_000_000_000;

/// An index that holds what the corpus holds.
pub(super) struct Current<'c> {
    /// The number of each document, by the position of the entries.
    pub serials: Vec<Option<u32>>,
    pub next: u32,
    pub pieces: Vec<Held>,
    /// The entries to store, if they differ from the stored ones.
    pub unstored: Option<Vec<Known<'c>>>,
}

impl<'c> Current<'c> {
    /// Takes an index as it is, if it certainly holds what the corpus holds.
    pub(super) fn as_is(corpus: &dyn Corpus, stored: &Stored) -> Option<Self> {
        let mut serials = Vec::with_capacity(corpus.entries().len());
        let mut known = stored.entries();
        for entry in corpus.entries() {
            serials.push(known.next().filter(|known| known.is_still(entry))?.serial);
        }
        let (next, pieces) = (stored.manifest.next, stored.pieces.clone());
        known.next().is_none().then_some(Self { serials, next, pieces, unstored: None })
    }

    /// Brings an index up to date. `started` is a file-system time before the reading, if one is known.
    pub(super) fn updated(
        corpus: &'c dyn Corpus,
        schema: &'static Schema,
        stored: &'c Stored,
        started: impl FnOnce() -> Option<i64>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, Error> {
        let before: Vec<Known<'c>> = stored.entries().collect();
        let mut known = carried(corpus.entries(), &before);
        let doubtful: Vec<usize> =
            (0..known.len()).filter(|position| !known[*position].is_still(&corpus.entries()[*position])).collect();
        let mut pieces = stored.pieces.clone();
        let mut update = Update { schema, next: stored.manifest.next, writer: None };
        let started = if doubtful.is_empty() { None } else { started() };
        for (done, &position) in doubtful.iter().enumerate() {
            progress(done, doubtful.len());
            let entry = &corpus.entries()[position];
            let document = corpus.read(position);
            known[position] = update.document(known[position], entry, document.as_ref(), started)?;
        }
        progress(doubtful.len(), doubtful.len());
        if let Some(writer) = update.writer {
            let (name, files) = writer.finish()?;
            pieces.push(Held { name, files, stored: None });
        }
        let serials = known.iter().map(|known| known.serial).collect();
        Ok(Self { serials, next: update.next, pieces, unstored: (known != before).then_some(known) })
    }

    /// Returns the position of each serial that is in use.
    pub(super) fn places(&self) -> Vec<Option<u32>> {
        let mut places = vec![None; self.next as usize];
        for (position, serial) in (0..).zip(&self.serials) {
            if let Some(place) = serial.and_then(|serial| places.get_mut(serial as usize)) {
                *place = Some(position);
            }
        }
        places
    }
}

/// Returns the known state of each entry, if any.
fn carried<'c>(entries: &'c [Entry], before: &[Known<'c>]) -> Vec<Known<'c>> {
    let by_key: HashMap<&str, &Known<'c>> = before.iter().map(|known| (known.key, known)).collect();
    let find = |entry: &'c Entry| by_key.get(entry.key.as_str()).map_or_else(|| Known::of(entry), |known| **known);
    entries.iter().map(find).collect()
}

struct Update {
    schema: &'static Schema,
    next: u32,
    writer: Option<PieceWriter>,
}

impl Update {
    /// Takes in the present content of an entry; indexes it if it differs from the known one.
    fn document<'c>(
        &mut self,
        before: Known<'c>,
        entry: &'c Entry,
        document: Option<&Document>,
        started: Option<i64>,
    ) -> Result<Known<'c>, Error> {
        let Some(document) = document else { return Ok(Known::of(entry)) };
        let digest = digest(document);
        let unchanged = before.serial.filter(|_| before.digest == digest);
        let serial = match unchanged {
            Some(serial) => serial,
            None => self.index(document)?,
        };
        let settled = started.is_some_and(|started| is_settled(entry, started));
        Ok(Known { serial: Some(serial), settled, digest, ..Known::of(entry) })
    }

    fn index(&mut self, document: &Document) -> Result<u32, Error> {
        let serial = self.next;
        self.next += 1;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => none.insert(PieceWriter::new(self.schema)?),
        };
        writer.add(serial, document)?;
        Ok(serial)
    }
}

/// Tells whether a change after `started` would show in the entry's stamp (git calls the others racy).
fn is_settled(entry: &Entry, started: i64) -> bool {
    let changed = entry.stamp.changed_ns.max(entry.stamp.modified_ns);
    let tick = if changed % 1_000_000_000 == 0 { COARSE_TICK_NS } else { TICK_NS };
    changed == 0 || changed.saturating_add(tick) < started
}

fn digest(document: &Document) -> [u8; 16] {
    let bytes = serde_json::to_vec(document).unwrap_or_default();
    let mut digest = [0; 16];
    digest.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
    digest
}
