//! What is searched: entries with their stamps, and the documents behind them.
//!
//! Plain values. Who fills them, from files or from commits, is not known here.

use std::borrow::Cow;

use serde::Serialize;

/// The name of a document: unique in its corpus, and without meaning here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Key<'k>(pub Cow<'k, str>);

impl Key<'_> {
    /// Returns it with a text of its own.
    #[must_use]
    pub fn into_owned(self) -> Key<'static> {
        Key(Cow::Owned(self.0.into_owned()))
    }
}

/// What changes when a document may have changed. Times in nanoseconds since 1970, zero where there is none.
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
pub struct Entry<'k> {
    /// Its name.
    pub key: Key<'k>,
    /// Its stamp.
    pub stamp: Stamp,
}

/// What is searched. The order of the entries decides between documents of the same score.
pub trait Corpus {
    /// Returns what there is, each key once.
    fn entries(&self) -> &[Entry<'_>];

    /// Reads a document; none when it is gone or cannot be read: it is then asked for again by the next search.
    /// Called only for what is new or may have changed.
    fn read(&self, key: &Key<'_>) -> Option<Document>;
}

/// The words of one document by field. Empty is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Document {
    /// `directive`, `tool`, `knowledge` or `thread`.
    pub item_type: String,
    /// `project`, `user` or `system`.
    pub space: String,
    /// The id with its slashes.
    pub id: String,
    /// The name it gives itself.
    pub name: String,
    /// The title.
    pub title: String,
    /// The description.
    pub description: String,
    /// The category with its slashes.
    pub category: String,
    /// The author.
    pub author: String,
    /// The id of the key it is signed with.
    pub key_id: String,
    /// The tags.
    pub tags: Vec<String>,
    /// Names and descriptions of inputs.
    pub inputs: Vec<String>,
    /// Everything else.
    pub body: String,
}
