//! Every item of every space with what the file system says of its file: what a search compares with what it knows.
//!
//! Names and stats are looked at and nothing else, so that ten thousand items cost a few milliseconds. That decides only what
//! has to be read again: reading goes through [`Reader`](super::Reader) and its checks. Files that are not items are
//! skipped silently; `list` and `lint` name them.

use super::Workspace;
use super::builtin::BUILTIN;
use super::candidate::Candidate;
use super::error::Error;
use super::item_file::MAX_ITEM_BYTES;
use super::stamp::FileStamp;
use super::walk::{Sighting, Walk};

/// Everything there is.
#[derive(Debug, Default)]
pub struct Survey {
    /// The items, nearest space first, then by type and id.
    pub items: Vec<Sighting>,
    /// What could not be looked at, and items that several files claim to be.
    pub failures: Vec<Error>,
}

impl Workspace {
    /// Looks at every item of every space.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened; unreadable entries below it are reported with the rest.
    pub fn survey(&self) -> Result<Survey, Error> {
        let Walk { mut items, ambiguous, mut failures, strays: _ } = self.walk(None, None)?;
        items.retain(|sighting| sighting.stamp.size <= MAX_ITEM_BYTES);
        items.extend(compiled_in());
        failures.extend(ambiguous.into_iter().filter_map(several));
        Ok(Survey { items, failures })
    }
}

/// Tells of an item that several files claim to be: it is not usable.
fn several(files: Vec<Candidate>) -> Option<Error> {
    let Candidate { item_type, id, .. } = files.first()?.clone();
    Some(Error::Ambiguous { item_type, id, paths: files.into_iter().map(|file| file.path).collect() })
}

/// Returns the items that are compiled in, by type and id. They change only with the program.
fn compiled_in() -> Vec<Sighting> {
    let stamped = |bytes| FileStamp::of_compiled_in(bytes);
    let sighted =
        BUILTIN.iter().filter_map(|item| Some(Sighting { candidate: item.candidate()?, stamp: stamped(item.bytes) }));
    let mut sighted: Vec<Sighting> = sighted.collect();
    sighted.sort_unstable_by(|a, b| a.key().cmp(&b.key()));
    sighted
}
