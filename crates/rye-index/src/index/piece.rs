//! A piece of the index: some documents, written once and never changed.
//!
//! A document has a number, its *serial*. The piece does not know whether it still counts, nor its place in the corpus:
//! [`Piece::open`] gets both.

use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::{RawTokenizer, TokenizerManager};
use tantivy::{DocSet as _, Index, SegmentReader, TERMINATED, TantivyError, Term};

use super::corpus::Document;
use super::files::Files;
use super::schema::{FieldId, SERIAL, STEM, Schema, TOKENIZER, Words};
use super::typos::Typos;

/// What the table of words begins with; it grows as needed.
const ARENA_BYTES: usize = 15 * 1024 * 1024;

/// The place of a document that does not count.
const NOWHERE: u32 = u32::MAX;

/// Writes documents, each with its number, into a new piece.
pub(super) struct PieceWriter {
    schema: &'static Schema,
    files: Files,
    writer: SingleSegmentIndexWriter,
}

impl PieceWriter {
    pub(super) fn new(schema: &'static Schema) -> tantivy::Result<Self> {
        let files = Files::default();
        let tokenizers = TokenizerManager::new();
        tokenizers.register("raw", RawTokenizer::default());
        tokenizers.register("default", RawTokenizer::default());
        tokenizers.register(TOKENIZER, Words::default());
        let index = Index::builder().schema(schema.declared()).tokenizers(tokenizers);
        let writer = index.single_segment_index_writer(files.clone(), ARENA_BYTES)?;
        Ok(Self { schema, files, writer })
    }

    pub(super) fn add(&mut self, serial: u32, document: &Document) -> tantivy::Result<()> {
        self.writer.add_document(self.schema.fields(serial, document)?)
    }

    /// Ends the piece: its name and its files.
    pub(super) fn finish(self) -> tantivy::Result<(String, Files)> {
        let index = self.writer.finalize()?;
        Ok((name(&index)?, self.files))
    }
}

/// Returns the name of the piece that an index consists of: no other has it.
pub(super) fn name(index: &Index) -> tantivy::Result<String> {
    let ids = index.searchable_segment_ids()?;
    let [id] = ids[..] else { return Err(not_one()) };
    Ok(id.uuid_string())
}

fn not_one() -> TantivyError {
    TantivyError::InternalError("a piece is not exactly one segment".to_owned())
}

/// A piece to search.
pub(super) struct Piece {
    reader: SegmentReader,
    /// The position in the corpus for each document of the piece.
    places: Vec<u32>,
}

impl Piece {
    /// Opens a piece. `place` gives the position of a serial, if it counts.
    pub(super) fn open(files: Files, place: impl Fn(u32) -> Option<u32>) -> tantivy::Result<Self> {
        let segments = Index::open(files)?.searchable_segments()?;
        let [segment] = &segments[..] else { return Err(not_one()) };
        Self::of(SegmentReader::open(segment)?, place)
    }

    fn of(reader: SegmentReader, place: impl Fn(u32) -> Option<u32>) -> tantivy::Result<Self> {
        let serials = reader.fast_fields().u64(SERIAL)?;
        let placed = |document| {
            let serial = serials.first(document).and_then(|serial| u32::try_from(serial).ok());
            serial.and_then(&place).unwrap_or(NOWHERE)
        };
        let places = (0..reader.max_doc()).map(placed).collect();
        Ok(Self { reader, places })
    }

    /// Returns the number of its documents, also those that do not count.
    pub(super) fn size(&self) -> usize {
        self.places.len()
    }

    /// Returns the number of its documents that count.
    pub(super) fn alive(&self) -> usize {
        self.places.iter().filter(|place| **place != NOWHERE).count()
    }

    /// Returns the position in the corpus of a document that counts.
    pub(super) fn place(&self, document: u32) -> Option<usize> {
        self.places.get(document as usize).filter(|place| **place != NOWHERE).map(|place| *place as usize)
    }

    /// Returns the number of words of each document in a field, roughly.
    pub(super) fn lengths(&self, field: FieldId) -> tantivy::Result<impl Fn(u32) -> f32 + use<>> {
        let reader = self.reader.get_fieldnorms_reader(field.handle())?;
        #[expect(clippy::cast_precision_loss, reason = "a rough number of words")]
        Ok(move |document| reader.fieldnorm(document) as f32)
    }

    /// Calls `each` with every document that counts and has the word in the field, and how often.
    pub(super) fn each(&self, field: FieldId, word: &str, mut each: impl FnMut(u32, u32)) -> tantivy::Result<()> {
        if let Some(mut postings) = self.postings(field, word, IndexRecordOption::WithFreqs)? {
            self.count(&mut postings, &mut each);
        }
        Ok(())
    }

    fn count(&self, postings: &mut SegmentPostings, mut each: impl FnMut(u32, u32)) {
        while postings.doc() != TERMINATED {
            if self.place(postings.doc()).is_some() {
                each(postings.doc(), postings.term_freq());
            }
            postings.advance();
        }
    }

    /// Calls `each` with every document that counts and has a word in the field that begins so: how often, and whether the word
    /// is no longer than its beginning.
    pub(super) fn each_beginning(
        &self,
        field: FieldId,
        begin: &str,
        mut each: impl FnMut(u32, u32, bool),
    ) -> tantivy::Result<()> {
        let inverted = self.reader.inverted_index(field.handle())?;
        let mut words = inverted.terms().range().ge(begin).into_stream()?;
        while words.advance() && words.key().starts_with(begin.as_bytes()) {
            let whole = words.key().len() == begin.len();
            let mut postings = inverted.read_postings_from_terminfo(words.value(), IndexRecordOption::WithFreqs)?;
            self.count(&mut postings, |document, times| each(document, times, whole));
        }
        Ok(())
    }

    /// Calls `each` with those of the documents, in order, that have the word in the field, and where.
    pub(super) fn each_position(
        &self,
        field: FieldId,
        word: &str,
        documents: &[u32],
        mut each: impl FnMut(u32, &[u32]),
    ) -> tantivy::Result<()> {
        let found = self.postings(field, word, IndexRecordOption::WithFreqsAndPositions)?;
        let Some(mut postings) = found else { return Ok(()) };
        let mut positions = Vec::new();
        for &document in documents {
            if postings.doc() < document {
                postings.seek(document);
            }
            if postings.doc() == document {
                postings.positions(&mut positions);
                each(document, &positions);
            }
        }
        Ok(())
    }

    fn postings(
        &self,
        field: FieldId,
        word: &str,
        option: IndexRecordOption,
    ) -> tantivy::Result<Option<SegmentPostings>> {
        let term = Term::from_field_text(field.handle(), word);
        Ok(self.reader.inverted_index(field.handle())?.read_postings(&term, option)?)
    }

    /// Calls `each` with the words of a field that have typos of another, and their distance; also with those of documents that
    /// do not count.
    pub(super) fn near(&self, field: FieldId, typos: &Typos, mut each: impl FnMut(&str, usize)) -> tantivy::Result<()> {
        let inverted = self.reader.inverted_index(field.handle())?;
        let mut words = inverted.terms().search(typos).into_stream()?;
        while words.advance() {
            let word = std::str::from_utf8(words.key()).unwrap_or_default();
            if let Some(distance) = typos.distance(word).filter(|_| !word.starts_with(STEM)) {
                each(word, distance);
            }
        }
        Ok(())
    }
}
