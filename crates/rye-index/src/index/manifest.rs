//! What a stored index holds: its pieces with their checksums, and for each document its key, stamp and number.
//!
//! ```text
//! "rye index\n"
//! u32  checksum of everything behind it (CRC-32)
//! u32  length of the head
//! head, JSON: {"next": serial, "before": [names], "pieces": [{"name", "files": [[name, length]…], "blocks": [CRC-32…]}]}
//! u32  length of all keys
//! the keys of the entries, one after the other
//! the entries, each:
//!   u32 end of its key among the keys, u64 size, u64 inode, i64 modified_ns, i64 changed_ns,
//!   u32 serial (u32::MAX: there is no document), u8 settled, 16 bytes digest of the document
//! ```
//!
//! Numbers are little-endian. Nothing in it is trusted to be right: only what reads back completely counts.

use serde::{Deserialize, Serialize};

use super::corpus::{Entry, Stamp};

const MAGIC: &[u8] = b"rye index\n";

/// The serial of an entry without a document.
const ABSENT: u32 = u32::MAX;

/// An index that gave out more numbers is built anew: there is a place in memory for each.
const MOST_SERIALS: u32 = 1 << 22;

/// A folder or an entry, without its key.
const RECORD_BYTES: usize = 4 + 4 * 8 + 4 + 1 + 16;

/// The pieces of an index and the numbers given out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The next serial.
    pub next: u32,
    /// The pieces of the manifest before this one that are not in this one: to be removed with the next.
    pub before: Vec<String>,
    pub pieces: Vec<StoredPiece>,
}

/// A piece in its file: other files one after the other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StoredPiece {
    pub name: String,
    /// Name and length of each file in it.
    pub files: Vec<(String, usize)>,
    /// The checksum of each block of the whole.
    pub blocks: Vec<u32>,
}

/// A document as it was when it was last looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Known<'m> {
    pub key: &'m str,
    pub stamp: Stamp,
    /// Its number; none if it could not be read.
    pub serial: Option<u32>,
    /// Whether its stamp is sure to change with its content.
    pub settled: bool,
    pub digest: [u8; 16],
}

impl<'m> Known<'m> {
    /// Tells whether this is certainly still what the entry is.
    pub(super) fn is_still(&self, entry: &Entry) -> bool {
        self.settled && self.stamp == entry.stamp && self.key == entry.key
    }

    /// An entry, still to be read.
    pub(super) fn of(entry: &'m Entry) -> Self {
        let Entry { key, stamp } = entry;
        Self { key, stamp: *stamp, serial: None, settled: false, digest: [0; 16] }
    }
}

/// Writes a manifest and its entries.
pub(super) fn encode(manifest: &Manifest, known: &[Known<'_>]) -> Vec<u8> {
    let head = serde_json::to_vec(manifest).unwrap_or_default();
    let (mut keys, mut records) = (String::new(), Vec::new());
    for known in known {
        let Stamp { size, inode, modified_ns, changed_ns } = known.stamp;
        keys.push_str(known.key);
        records.extend_from_slice(&length(keys.len()));
        records.extend_from_slice(&size.to_le_bytes());
        records.extend_from_slice(&inode.to_le_bytes());
        records.extend_from_slice(&modified_ns.to_le_bytes());
        records.extend_from_slice(&changed_ns.to_le_bytes());
        records.extend_from_slice(&known.serial.unwrap_or(ABSENT).to_le_bytes());
        records.push(u8::from(known.settled));
        records.extend_from_slice(&known.digest);
    }
    let rest = [&length(head.len()), &head[..], &length(keys.len()), keys.as_bytes(), &records].concat();
    [MAGIC, &crc32fast::hash(&rest).to_le_bytes(), &rest].concat()
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

/// Reads a manifest up to its entries, which are the bytes returned with it; none if anything in it is not as it was written.
pub(super) fn decode(bytes: &[u8]) -> Option<(Manifest, &[u8])> {
    let rest = bytes.strip_prefix(MAGIC)?;
    let (sum, rest) = rest.split_first_chunk()?;
    if u32::from_le_bytes(*sum) != crc32fast::hash(rest) {
        return None;
    }
    let (head, entries) = measured(rest)?;
    let manifest: Manifest = serde_json::from_slice(head).ok()?;
    let (_, records) = measured(entries)?;
    let is_whole = records.len() % RECORD_BYTES == 0 && manifest.next <= MOST_SERIALS;
    is_whole.then_some((manifest, entries))
}

/// Reads the entries of a manifest, as far as they can be read.
pub(super) fn entries(bytes: &[u8]) -> impl ExactSizeIterator<Item = Known<'_>> {
    let (keys, records) = measured(bytes).unwrap_or_default();
    let (keys, mut start) = (std::str::from_utf8(keys).unwrap_or_default(), 0);
    records.as_chunks::<RECORD_BYTES>().0.iter().map(move |record| {
        let mut rest = &record[..];
        let end = u32::from_le_bytes(take(&mut rest)) as usize;
        let key = keys.get(start..end).unwrap_or_default();
        start = end;
        let stamp = Stamp {
            size: u64::from_le_bytes(take(&mut rest)),
            inode: u64::from_le_bytes(take(&mut rest)),
            modified_ns: i64::from_le_bytes(take(&mut rest)),
            changed_ns: i64::from_le_bytes(take(&mut rest)),
        };
        let serial = u32::from_le_bytes(take(&mut rest));
        let [settled] = take(&mut rest);
        let serial = (serial != ABSENT).then_some(serial);
        Known { key, stamp, serial, settled: settled == 1, digest: take(&mut rest) }
    })
}

/// Splits off bytes whose length comes before them.
fn measured(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// Takes a number from the bytes of a record, which has room for all of its own.
fn take<const N: usize>(rest: &mut &[u8]) -> [u8; N] {
    let (taken, behind) = rest.split_first_chunk().expect("because a record is as long as its parts");
    *rest = behind;
    *taken
}
