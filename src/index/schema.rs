//! The fields of the index, what they weigh, and a document in them.
//!
//! A text field holds every word as it is and, behind a `~`, the stem of those that differ from their stem: a word is
//! found exactly by the one and in all its forms by both. Nothing is stored: the index answers with keys.

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::corpus::Document;
use super::words::{Stems, normal, split};

/// What stands before a stem. No word begins with it.
pub(super) const STEM: char = '~';

/// The name of the tokenizer of text fields.
pub(super) const TOKENIZER: &str = "words";

/// A field of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Title,
    Name,
    Id,
    Tag,
    Description,
    Category,
    Input,
    Author,
    Body,
    /// Id, last part of the id, name and title, each as a whole and as [`normal`] makes it.
    Exact,
    Type,
    Space,
    Key,
    /// The number of the document.
    Serial,
}

use Field::{Author, Body, Category, Description, Exact, Id, Input, Key, Name, Serial, Space, Tag, Title, Type};

/// The fields that a word without a field is looked for in.
pub(super) const TEXTS: [Field; 9] = [Title, Name, Id, Tag, Description, Category, Input, Author, Body];

const ALL: [Field; 14] =
    [Title, Name, Id, Tag, Description, Category, Input, Author, Body, Exact, Type, Space, Key, Serial];

impl Field {
    /// Returns its name, in the index and in queries.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Title => "title",
            Name => "name",
            Id => "id",
            Tag => "tag",
            Description => "description",
            Category => "category",
            Input => "input",
            Author => "author",
            Body => "body",
            Exact => "exact",
            Type => "type",
            Space => "space",
            Key => "key",
            Serial => "serial",
        }
    }

    /// Returns its field in the index: they are declared in the order of this type.
    pub(super) fn handle(self) -> tantivy::schema::Field {
        tantivy::schema::Field::from_field_id(self as u32)
    }

    /// Returns how much a word in this field counts, how much a long text lowers that (0 to 1), and the length in words that
    /// does not. Lengths are constants, so that a score does not change with other documents' lengths.
    pub(super) const fn weight(self) -> Weight {
        let (weight, shortening, length) = match self {
            Title => (4.0, 0.3, 6.0),
            Name | Id => (2.5, 0.3, 4.0),
            Tag => (2.0, 0.3, 4.0),
            Description => (2.5, 0.5, 20.0),
            Category => (1.0, 0.3, 2.0),
            Input => (0.7, 0.5, 10.0),
            Author => (0.7, 0.3, 2.0),
            _ => (1.0, 0.5, 300.0),
        };
        Weight { weight, shortening, length }
    }

    const fn is_text(self) -> bool {
        !matches!(self, Exact | Type | Space | Key | Serial)
    }
}

/// How a field counts in a score.
pub(super) struct Weight {
    pub weight: f32,
    pub shortening: f32,
    pub length: f32,
}

/// Returns the schema of the index.
pub(super) fn schema() -> Schema {
    let mut schema = Schema::builder();
    for field in ALL {
        if field == Serial {
            schema.add_u64_field(field.name(), NumericOptions::default() | INDEXED | FAST);
        } else {
            schema.add_text_field(field.name(), text_options(field));
        }
    }
    schema.build()
}

fn text_options(field: Field) -> TextOptions {
    let indexing = if field.is_text() {
        TextFieldIndexing::default().set_tokenizer(TOKENIZER).set_index_option(IndexRecordOption::WithFreqsAndPositions)
    } else {
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false)
    };
    TextOptions::default().set_indexing_options(indexing)
}

/// Returns a document as the index takes it.
pub(super) fn fields(serial: u32, document: &Document) -> TantivyDocument {
    let mut fields = TantivyDocument::new();
    let mut add = |field: Field, text: &str| {
        if !text.is_empty() {
            fields.add_text(field.handle(), text);
        }
    };
    let Document { id, name, title, description, category, author, body, .. } = document;
    let texts =
        [(Title, title), (Name, name), (Id, id), (Description, description), (Category, category), (Author, author)];
    for (field, text) in texts {
        add(field, text);
    }
    document.tags.iter().for_each(|tag| add(Tag, tag));
    document.inputs.iter().for_each(|input| add(Input, input));
    add(Body, body);
    for (field, text) in [(Type, &document.item_type), (Space, &document.space), (Key, &document.key_id)] {
        add(field, &text.to_lowercase());
    }
    exact_names(document).iter().for_each(|name| add(Exact, name));
    fields.add_u64(Serial.handle(), u64::from(serial));
    fields
}

fn exact_names(document: &Document) -> Vec<String> {
    let Document { id, name, title, .. } = document;
    let last = id.rsplit('/').next().unwrap_or_default();
    let mut names: Vec<String> = [id.as_str(), last, name, title].iter().map(|text| normal(text)).collect();
    names.sort();
    names.dedup();
    names
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
