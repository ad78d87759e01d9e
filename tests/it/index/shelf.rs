//! A corpus of documents in memory, and short ways to ask it.

use std::cell::RefCell;

use rye::index::{Corpus, Document, Entry, Found, Key, Options, Place, Query, Stamp, search};

/// Documents by key, in the order that breaks ties.
#[derive(Default)]
pub(super) struct Shelf {
    pub(super) entries: Vec<Entry<'static>>,
    pub(super) documents: Vec<Document>,
    /// The keys that were read.
    pub(super) read: RefCell<Vec<String>>,
}

impl Corpus for Shelf {
    fn entries(&self) -> &[Entry<'_>] {
        &self.entries
    }

    fn read(&self, key: &Key<'_>) -> Option<Document> {
        self.read.borrow_mut().push(key.0.to_string());
        let position = self.entries.iter().position(|entry| entry.key == *key)?;
        Some(self.documents[position].clone())
    }
}

impl Shelf {
    /// A shelf of knowledge: `(id, title, body)`.
    pub(super) fn of(items: &[(&str, &str, &str)]) -> Self {
        let mut shelf = Self::default();
        for (id, title, body) in items {
            shelf.put(Document { title: (*title).to_owned(), ..document(id, body) });
        }
        shelf
    }

    /// Adds a document, or replaces the one of the same space and id.
    pub(super) fn put(&mut self, document: Document) {
        let key = Key(format!("{}/{}", document.space, document.id).into());
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
        search(place, self, &Query::parse(query).unwrap(), options, &mut |_, _| ()).unwrap()
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

pub(super) fn document(id: &str, body: &str) -> Document {
    Document {
        item_type: "knowledge".to_owned(),
        space: "project".to_owned(),
        id: id.to_owned(),
        body: body.to_owned(),
        ..Document::default()
    }
}

/// The ids of results, without their space.
pub(super) fn ids(found: &Found) -> Vec<String> {
    let id = |hit: &rye::index::Hit| hit.key.0.split_once('/').unwrap().1.to_owned();
    found.hits.iter().map(id).collect()
}
