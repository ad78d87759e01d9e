//! Every item of every space with what the file system says of its file: what a search compares with what it knows.
//!
//! Names and stats are looked at and nothing else, so that ten thousand items cost a few milliseconds. That decides only what
//! has to be read again: reading goes through [`Reader`](super::Reader) and its checks. Files that are no items are passed
//! over in silence; `list` and `lint` name them.

use cap_std::fs::{Metadata, MetadataExt as _};
use rustix::fs::Stat;

use super::builtin::BUILTIN;
use super::error::Error;
use super::walk::{Sighting, Walk};
use super::{Candidate, MAX_ITEM_BYTES, Workspace};
use crate::trust::Blake3Hash;

/// What changes when a file may have changed. Times are nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// The length in bytes.
    pub size: u64,
    /// The file's number in its file system; for a compiled-in item, the beginning of its digest.
    pub inode: u64,
    /// When its content was changed, as anyone may claim.
    pub modified_ns: i64,
    /// When its content or its attributes were changed, as the file system says.
    pub changed_ns: i64,
}

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
    /// Fails when the `.ai` of a space cannot be opened; what cannot be looked at below it is told beside the rest.
    pub fn survey(&self) -> Result<Survey, Error> {
        let Walk { mut items, ambiguous, mut failures, strays: _ } = self.walk(None, None)?;
        items.retain(|sighting| sighting.stamp.size <= MAX_ITEM_BYTES);
        items.extend(compiled_in());
        failures.extend(ambiguous.into_iter().filter_map(several));
        Ok(Survey { items, failures })
    }
}

/// Tells of an item that several files claim to be: nobody can use it.
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

impl FileStamp {
    pub(super) fn of_compiled_in(bytes: &[u8]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = *Blake3Hash::of(bytes).as_bytes();
        Self {
            size: bytes.len() as u64,
            inode: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            modified_ns: 0,
            changed_ns: 0,
        }
    }
}

impl From<&Stat> for FileStamp {
    fn from(stat: &Stat) -> Self {
        Self {
            size: stat.st_size.try_into().unwrap_or(u64::MAX),
            inode: stat.st_ino,
            modified_ns: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
            changed_ns: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        }
    }
}

impl From<&Metadata> for FileStamp {
    fn from(data: &Metadata) -> Self {
        Self {
            size: data.len(),
            inode: data.ino(),
            modified_ns: nanoseconds(data.mtime(), data.mtime_nsec()),
            changed_ns: nanoseconds(data.ctime(), data.ctime_nsec()),
        }
    }
}

/// A part that does not fit its type is none that a file system has; the other parts still tell a change.
fn nanoseconds(seconds: impl TryInto<i64>, rest: impl TryInto<i64>) -> i64 {
    let (seconds, rest) = (seconds.try_into().unwrap_or_default(), rest.try_into().unwrap_or_default());
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
