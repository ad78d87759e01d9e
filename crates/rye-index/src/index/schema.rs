//! The fields of documents: which there are is said by the caller, how they are indexed is said here.
//!
//! A text field holds every word as it is and, behind a `~`, the stem of those that differ from their stem: a word is
//! found exactly by the one and in all its forms by both. Nothing is stored: the index answers with keys.

use tantivy::schema::{FAST, INDEXED, IndexRecordOption, NumericOptions, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};
use tantivy::{TantivyDocument, TantivyError};

use super::corpus::Document;
use super::words::{Stems, normal, split};

/// The mark before a stem. No word begins with it.
pub(super) const STEM: char = '~';

/// The name of the tokenizer of text fields.
pub(super) const TOKENIZER: &str = "words";

/// The field of names as a whole, as [`normal`] makes them.
const EXACT: &str = "exact";

/// The field of a document's number.
pub(super) const SERIAL: &str = "serial";

/// What documents consist of, and what a query may ask for.
#[derive(Debug)]
pub struct Schema {
    fields: Vec<Field>,
}

/// A field of documents.
#[derive(Debug)]
pub struct Field {
    /// Its name, in documents and queries.
    pub name: &'static str,
    /// What queries may call it too.
    pub alias: Option<&'static str>,
    /// What it holds.
    pub kind: Kind,
}

/// What a field holds.
#[derive(Debug)]
pub enum Kind {
    /// Text: its words are looked for, in this field or in all.
    Text(Weight),
    /// A value in lower case that is compared as a whole: one of these, or any if the list is empty.
    Value(Vec<&'static str>),
    /// The same, but only the caller knows it, and is asked while a query is answered.
    Asked(Vec<&'static str>),
}

/// How much a text field counts in a score.
#[derive(Clone, Copy, Debug)]
pub struct Weight {
    /// How much a word in this field counts.
    pub weight: f32,
    /// How much a long text lowers that, from 0 to 1.
    pub shortening: f32,
    /// The length in words that does not. It is a constant, so that a score does not change with other documents' lengths.
    pub length: f32,
}

/// The number of a field: fields are declared to the index in the order of the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldId(usize);

impl FieldId {
    /// Returns its field in the index.
    pub(super) fn handle(self) -> tantivy::schema::Field {
        tantivy::schema::Field::from_field_id(u32::try_from(self.0).unwrap_or(u32::MAX))
    }
}

impl Schema {
    /// Makes a schema of fields; of texts that fit, the earlier ones are explained first.
    #[must_use]
    pub const fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }

    /// Finds the field of a name; an alias finds it too.
    pub(super) fn find(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().position(|field| field.name == name || field.alias == Some(name)).map(FieldId)
    }

    /// Returns the names of all fields, sorted.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        names
    }

    /// Returns the fields that a word without a field is looked for in.
    pub(super) fn texts(&self) -> Vec<FieldId> {
        let texts = self.fields.iter().enumerate().filter(|(_, field)| matches!(field.kind, Kind::Text(_)));
        texts.map(|(at, _)| FieldId(at)).collect()
    }

    pub(super) fn name(&self, field: FieldId) -> &'static str {
        self.fields.get(field.0).map_or(EXACT, |field| field.name)
    }

    pub(super) fn kind(&self, field: FieldId) -> Option<&Kind> {
        self.fields.get(field.0).map(|field| &field.kind)
    }

    /// Returns the field of names as a whole.
    pub(super) const fn exact(&self) -> FieldId {
        FieldId(self.fields.len())
    }

    /// Returns the fields as the index declares them.
    pub(super) fn declared(&self) -> tantivy::schema::Schema {
        let mut schema = tantivy::schema::Schema::builder();
        for field in &self.fields {
            schema.add_text_field(field.name, text_options(matches!(field.kind, Kind::Text(_))));
        }
        schema.add_text_field(EXACT, text_options(false));
        schema.add_u64_field(SERIAL, NumericOptions::default() | INDEXED | FAST);
        schema.build()
    }

    /// Returns a document as the index takes it.
    pub(super) fn fields(&self, serial: u32, document: &Document) -> tantivy::Result<TantivyDocument> {
        let mut fields = TantivyDocument::new();
        for (name, text) in document.fields.iter().filter(|(_, text)| !text.is_empty()) {
            let field = self.find(name).ok_or_else(|| TantivyError::FieldNotFound((*name).to_owned()))?;
            match self.kind(field) {
                Some(Kind::Text(_)) => fields.add_text(field.handle(), text),
                _ => fields.add_text(field.handle(), text.to_lowercase()),
            }
        }
        let mut names: Vec<String> = document.names.iter().map(|name| normal(name)).collect();
        names.sort();
        names.dedup();
        names.iter().filter(|name| !name.is_empty()).for_each(|name| fields.add_text(self.exact().handle(), name));
        fields.add_u64(FieldId(self.fields.len() + 1).handle(), u64::from(serial));
        Ok(fields)
    }
}

fn text_options(is_text: bool) -> TextOptions {
    let indexing = if is_text {
        TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqsAndPositions)
    } else {
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false)
    };
    TextOptions::default().set_indexing_options(indexing)
}

/// The words of a text as the index takes them.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    stems: Stems,
}

impl Tokenizer for Words {
    type TokenStream<'a> = Tokens;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Tokens {
        let mut tokens = Vec::new();
        for word in split(text) {
            let stem = self.stems.of(&word.text);
            let stem = (stem != word.text).then(|| format!("{STEM}{stem}"));
            let token = |text| Token {
                offset_from: word.range.start,
                offset_to: word.range.end,
                position: word.position,
                text,
                position_length: 1,
            };
            tokens.extend(stem.map(token));
            tokens.push(token(word.text.clone()));
        }
        Tokens { tokens, next: 0 }
    }
}

/// Words one after another.
pub(super) struct Tokens {
    tokens: Vec<Token>,
    next: usize,
}

impl TokenStream for Tokens {
    fn advance(&mut self) -> bool {
        self.next += 1;
        self.next <= self.tokens.len()
    }

    fn token(&self) -> &Token {
        &self.tokens[self.next - 1]
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.tokens[self.next - 1]
    }
}
