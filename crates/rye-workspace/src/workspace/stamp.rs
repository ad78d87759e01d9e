//! What the file system says of a file, to be compared later: whether it may have changed.

use rustix::fs::Stat;

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

/// A part that does not fit its type does not occur in a file system; the other parts still show a change.
fn nanoseconds(seconds: impl TryInto<i64>, rest: impl TryInto<i64>) -> i64 {
    let (seconds, rest) = (seconds.try_into().unwrap_or_default(), rest.try_into().unwrap_or_default());
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
