//! What a stored index holds: its pieces with their checksums, and for each document its key, stamp and number.
//!
//! ```text
//! "rye index\n"
//! u32  checksum of everything behind it (CRC-32)
//! u32  length of the head
//! head, JSON: {"next": serial, "before": [names], "folders": how many, "pieces": [{"name", "files": [[name, length]…], "blocks": [CRC-32…]}]}
//! folders, then entries, each:
//!   u16 length of the key, key, u64 size, u64 inode, i64 modified_ns, i64 changed_ns,
//!   u32 serial (u32::MAX: there is no document), u8 settled, 16 bytes digest of the document
//! ```
//!
//! Numbers are little-endian. Nothing in it is trusted to be right: only what reads back completely counts.

use serde::{Deserialize, Serialize};

use super::corpus::{Entry, Key, Stamp};

const MAGIC: &[u8] = b"rye index\n";

/// The serial of an entry without a document.
const ABSENT: u32 = u32::MAX;

/// The pieces of an index and the numbers given out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The next serial.
    pub next: u32,
    /// The pieces of the manifest before this one that are not in this one: to be removed with the next.
    pub before: Vec<String>,
    /// How many folders are listed before the entries.
    pub folders: usize,
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
        self.settled && self.stamp == entry.stamp && self.key == entry.key.0
    }

    /// Returns it as an entry again.
    pub(super) fn to_entry(self) -> Entry {
        Entry { key: Key(self.key.to_owned()), stamp: self.stamp }
    }

    /// An entry, still to be read.
    pub(super) fn of(entry: &'m Entry) -> Self {
        let Entry { key: Key(key), stamp } = entry;
        Self { key, stamp: *stamp, serial: None, settled: false, digest: [0; 16] }
    }
}

/// Writes a manifest, its folders and its entries.
pub(super) fn encode<'k>(manifest: &Manifest, known: impl Iterator<Item = &'k Known<'k>>) -> Vec<u8> {
    let head = serde_json::to_vec(manifest).unwrap_or_default();
    let mut rest = Vec::with_capacity(head.len() + known.size_hint().0 * 128);
    rest.extend_from_slice(&length(head.len()));
    rest.extend_from_slice(&head);
    for known in known {
        let Stamp { size, inode, modified_ns, changed_ns } = known.stamp;
        rest.extend_from_slice(&u16::try_from(known.key.len()).unwrap_or(u16::MAX).to_le_bytes());
        rest.extend_from_slice(known.key.as_bytes());
        rest.extend_from_slice(&size.to_le_bytes());
        rest.extend_from_slice(&inode.to_le_bytes());
        rest.extend_from_slice(&modified_ns.to_le_bytes());
        rest.extend_from_slice(&changed_ns.to_le_bytes());
        rest.extend_from_slice(&known.serial.unwrap_or(ABSENT).to_le_bytes());
        rest.push(u8::from(known.settled));
        rest.extend_from_slice(&known.digest);
    }
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
    let (length, rest) = rest.split_first_chunk()?;
    let (head, entries) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    Some((serde_json::from_slice(head).ok()?, entries))
}

/// Reads the entries of a manifest, as far as they can be read.
pub(super) fn entries(mut bytes: &[u8]) -> impl Iterator<Item = Known<'_>> {
    std::iter::from_fn(move || entry(&mut bytes))
}

fn entry<'m>(rest: &mut &'m [u8]) -> Option<Known<'m>> {
    let length = u16::from_le_bytes(take(rest)?);
    let (key, behind) = rest.split_at_checked(length.into())?;
    *rest = behind;
    let stamp = Stamp {
        size: u64::from_le_bytes(take(rest)?),
        inode: u64::from_le_bytes(take(rest)?),
        modified_ns: i64::from_le_bytes(take(rest)?),
        changed_ns: i64::from_le_bytes(take(rest)?),
    };
    let serial = u32::from_le_bytes(take(rest)?);
    let [settled] = take(rest)?;
    Some(Known {
        key: std::str::from_utf8(key).ok()?,
        stamp,
        serial: (serial != ABSENT).then_some(serial),
        settled: settled == 1,
        digest: take(rest)?,
    })
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*taken)
}
