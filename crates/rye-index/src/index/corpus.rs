//! The searched corpus: entries with their stamps, and the documents behind them.
//!
//! Plain values. Who fills them, from files or from commits, is not known here.

use serde::Serialize;

/// What changes when a document may have changed. Times in nanoseconds since 1970, zero if missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Size in bytes.
    pub size: u64,
    /// The file's number.
    pub inode: u64,
    /// When its content was last written.
    pub modified_ns: i64,
    /// When anything of it last changed. A time close to that of indexing makes the document be read once more.
    pub changed_ns: i64,
}

/// A document that is in the corpus now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name: unique in its corpus, and without meaning here.
    pub key: String,
    /// Its stamp.
    pub stamp: Stamp,
}

/// The searched corpus. The order of the entries decides between documents of the same score.
pub trait Corpus {
    /// Returns what there is, each key once.
    fn entries(&self) -> &[Entry];

    /// Reads the document of the entry at a position; none when it is gone or cannot be read: it is then asked for again by
    /// the next search. Called only for new entries and those that may have changed.
    fn read(&self, position: usize) -> Option<Document>;
}

/// The words of one document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Document {
    /// Text or value by the name of its field in the [`super::Schema`]; a field may have several.
    pub fields: Vec<(&'static str, String)>,
    /// What it is called: a query that is one of these puts it first.
    pub names: Vec<String>,
}
