//! A corpus of documents in memory, and short ways to ask it.

use std::cell::RefCell;

use rye::index::{Corpus, Document, Entry, Found, Options, Place, Query, Stamp, search};
use rye::ops::search::SCHEMA;

/// Documents by key, in the order that breaks ties.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) entries: Vec<Entry>,
    pub(super) documents: Vec<Document>,
    /// The keys that were read.
    pub(super) read: RefCell<Vec<String>>,
}

impl Corpus for Shelf {
    fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn read(&self, position: usize) -> Option<Document> {
        self.read.borrow_mut().push(self.entries[position].key.clone());
        Some(self.documents[position].clone())
    }
}

impl Shelf {
    /// A shelf of knowledge: `(id, title, body)`.
    pub(super) fn of(items: &[(&str, &str, &str)]) -> Self {
        let mut shelf = Self::default();
        for (id, title, body) in items {
            shelf.put(with(document(id, body), &[("title", title)]));
        }
        shelf
    }

    /// Adds a document, or replaces the one of the same space and id.
    pub(super) fn put(&mut self, document: Document) {
        let key = format!("{}/{}", value(&document, "space"), value(&document, "id"));
        let stamp = |version| Stamp { size: version, ..Stamp::default() };
        match self.entries.iter().position(|entry| entry.key == key) {
            Some(position) => {
                self.entries[position].stamp.size += 1;
                self.documents[position] = document;
            }
            None => {
                self.entries.push(Entry { key, stamp: stamp(1) });
                self.documents.push(document);
            }
        }
    }

    pub(super) fn ask(&self, query: &str) -> Found {
        self.ask_with(query, &Options { max: 100, ..Options::default() })
    }

    pub(super) fn ask_with(&self, query: &str, options: &Options<'_>) -> Found {
        self.ask_at(&Place::memory(), query, options)
    }

    pub(super) fn ask_at(&self, place: &Place, query: &str, options: &Options<'_>) -> Found {
        search(place, self, &Query::parse(&SCHEMA, query).unwrap(), options, &mut |_, _| ()).unwrap()
    }

    /// The ids found, best first.
    pub(super) fn ids(&self, query: &str) -> Vec<String> {
        ids(&self.ask(query))
    }

    /// The ids found, sorted.
    pub(super) fn set(&self, query: &str) -> String {
        let mut ids = self.ids(query);
        ids.sort();
        ids.join(" ")
    }
}

/// Knowledge of the project, with no more than an id and a text.
pub(super) fn document(id: &str, body: &str) -> Document {
    with(Document::default(), &[("type", "knowledge"), ("space", "project"), ("id", id), ("body", body)])
}

/// Adds fields to a document, in the place of those it has.
pub(super) fn with(mut document: Document, fields: &[(&'static str, &str)]) -> Document {
    for (name, _) in fields {
        document.fields.retain(|(other, _)| other != name);
    }
    document.fields.extend(fields.iter().map(|(name, text)| (*name, (*text).to_owned())));
    let id = value(&document, "id");
    let names = [id, id.rsplit('/').next().unwrap(), value(&document, "name"), value(&document, "title")];
    document.names = names.map(str::to_owned).to_vec();
    document
}

fn value<'d>(document: &'d Document, field: &str) -> &'d str {
    document.fields.iter().find(|(name, _)| *name == field).map_or("", |(_, text)| text)
}

/// The ids of results, without their space.
pub(super) fn ids(found: &Found) -> Vec<String> {
    let id = |hit: &rye::index::Hit| hit.key.split_once('/').unwrap().1.to_owned();
    found.hits.iter().map(id).collect()
}
