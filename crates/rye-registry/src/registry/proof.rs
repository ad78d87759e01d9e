//! Proofs out of tiles: the leaf of one line, and the root of an earlier size, each verified up to the root of a checkpoint.
//!
//! As Go's `TileHashReader` does it: the partial tiles are the right edge of the tree, and the root follows from them alone. A
//! full tile is the subtree of one hash of the tile above. So each hash that is used was verified.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::checkpoint::Checkpoint;
use super::error::Error;
use super::fault::Fault;
use super::source::FileSource;
use super::tree::{self, WIDTH};
use crate::trust::ContentHash;

/// The number of hashes in a tile.
const HASHES: u64 = WIDTH as u64;

type Tile = Rc<[ContentHash]>;

/// The tiles of a tree that were read and verified.
#[derive(Debug)]
pub(super) struct Tiles {
    size: u64,
    verified: RefCell<BTreeMap<(u32, u64), Tile>>,
}

impl Tiles {
    /// Reads the partial tiles and verifies them against the root of a checkpoint.
    pub(super) fn open(files: &dyn FileSource, checkpoint: &Checkpoint) -> Result<Self, Error> {
        let size = checkpoint.size;
        let mut edge = BTreeMap::new();
        for level in levels(size) {
            let number = count(size, level) / HASHES;
            if width(size, level, number) > 0 {
                edge.insert((level, number), read(files, size, level, number)?);
            }
        }
        let tiles = Self { size, verified: RefCell::new(edge) };
        if tiles.root_at(files, size)? == checkpoint.root { Ok(tiles) } else { Err(files.fault(Fault::Root)) }
    }

    /// Returns the root of the tree when it had `size` leaves, which are not more than it has.
    pub(super) fn root_at(&self, files: &dyn FileSource, size: u64) -> Result<ContentHash, Error> {
        if size > self.size {
            return Err(files.fault(Fault::Root));
        }
        let mut root = None;
        for level in levels(size) {
            let (number, last) = (count(size, level) / HASHES, count(size, level) % HASHES);
            if last == 0 {
                continue;
            }
            let tile = self.tile(files, level, number)?;
            // A later tile has more hashes, and the same ones first.
            let hashes = usize::try_from(last).ok().and_then(|last| tile.get(..last));
            let hashes = hashes.ok_or_else(|| files.fault(Fault::Root))?;
            root = Some(tree::joined(hashes, root));
        }
        Ok(root.unwrap_or_else(|| tree::root(&[])))
    }

    /// Returns the leaf of a line.
    pub(super) fn leaf(&self, files: &dyn FileSource, seq: u64) -> Result<ContentHash, Error> {
        let fault = || files.fault(Fault::NotInTree { seq });
        if seq >= self.size {
            return Err(fault());
        }
        let tile = self.tile(files, 0, seq / HASHES)?;
        let leaf = usize::try_from(seq % HASHES).ok().and_then(|at| tile.get(at).copied());
        leaf.ok_or_else(fault)
    }

    /// Returns a tile, verified.
    fn tile(&self, files: &dyn FileSource, level: u32, number: u64) -> Result<Tile, Error> {
        if let Some(tile) = self.verified.borrow().get(&(level, number)) {
            return Ok(Rc::clone(tile));
        }
        let above = self.tile(files, level + 1, number / HASHES)?;
        let tile = read(files, self.size, level, number)?;
        let at = usize::try_from(number % HASHES).ok();
        if at.and_then(|at| above.get(at)) != Some(&tree::root(&tile)) {
            return Err(files.fault(Fault::Tile { path: path(self.size, level, number) }));
        }
        self.verified.borrow_mut().insert((level, number), Rc::clone(&tile));
        Ok(tile)
    }
}

/// Returns the levels of tiles of a tree.
fn levels(size: u64) -> impl Iterator<Item = u32> {
    (0..).take_while(move |level| count(size, *level) > 0)
}

/// Returns how many hashes a level has.
fn count(size: u64, level: u32) -> u64 {
    level.checked_mul(8).and_then(|bits| size.checked_shr(bits)).unwrap_or(0)
}

/// Returns how many hashes a tile has.
fn width(size: u64, level: u32, number: u64) -> u64 {
    count(size, level).saturating_sub(number * HASHES).min(HASHES)
}

fn path(size: u64, level: u32, number: u64) -> String {
    tree::path(level, number, width(size, level, number))
}

fn read(files: &dyn FileSource, size: u64, level: u32, number: u64) -> Result<Tile, Error> {
    let path = path(size, level, number);
    let bytes = files.required(&path)?;
    let hashes: Option<Vec<ContentHash>> = bytes.chunks(32).map(ContentHash::from_slice).collect();
    let hashes = hashes.filter(|hashes| hashes.len() as u64 == width(size, level, number));
    hashes.map(Rc::from).ok_or_else(|| files.fault(Fault::Tile { path }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::id::Segment;

    /// Files in memory.
    #[derive(Debug)]
    struct Memory(Segment, BTreeMap<String, Vec<u8>>);

    impl FileSource for Memory {
        fn registry(&self) -> &Segment {
            &self.0
        }

        fn read(&self, path: &str, most: u64) -> Result<Option<Vec<u8>>, Error> {
            Ok(self.1.get(path).filter(|bytes| bytes.len() as u64 <= most).cloned())
        }
    }

    fn leaves(size: u64) -> Vec<ContentHash> {
        (0..size).map(|seq| tree::leaf(&seq.to_be_bytes())).collect()
    }

    fn memory(leaves: &[ContentHash]) -> Memory {
        Memory("team".parse().unwrap(), tree::tiles(leaves).into_iter().collect())
    }

    fn checkpoint(leaves: &[ContentHash]) -> Checkpoint {
        Checkpoint {
            name: "team".parse().unwrap(),
            size: leaves.len() as u64,
            root: tree::root(leaves),
            tables: ContentHash::of(b""),
            latest: crate::id::Timestamp::from_milliseconds(0),
            owner: None,
        }
    }

    #[test]
    fn the_leaf_of_each_line_and_the_root_of_each_size_follow_from_the_tiles() {
        let all = leaves(66_000);
        for size in [1, 2, 3, 7, 255, 256, 257, 511, 512, 600, 65_535, 65_536, 65_537, 66_000] {
            let leaves = &all[..size];
            let files = memory(leaves);
            let tiles = Tiles::open(&files, &checkpoint(leaves)).unwrap();
            let some = [0, 1, 2, 254, 255, 256, 257, 300, 511, 512, 599, 65_279, 65_280, 65_535, 65_536, 65_999];
            for at in some.into_iter().filter(|at| *at < size) {
                assert_eq!(tiles.leaf(&files, at as u64).unwrap(), leaves[at], "{at} of {size}");
                let earlier = tiles.root_at(&files, at as u64 + 1).unwrap();
                assert_eq!(earlier, tree::root(&leaves[..=at]), "{at} of {size}");
            }
            assert!(tiles.leaf(&files, size as u64).is_err());
        }
    }

    #[test]
    fn no_byte_of_a_tile_can_change_and_none_can_be_missing() {
        let leaves = leaves(600);
        let good = memory(&leaves);
        let read = |files: &Memory| -> Result<(), Error> {
            let tiles = Tiles::open(files, &checkpoint(&leaves))?;
            [3, 300, 599].into_iter().try_for_each(|seq| tiles.leaf(files, seq).map(drop))
        };
        read(&good).unwrap();
        for (path, bytes) in &good.1 {
            for at in (0..bytes.len()).step_by(7) {
                let mut files = Memory(good.0.clone(), good.1.clone());
                files.1.get_mut(path).unwrap()[at] ^= 1;
                assert!(read(&files).is_err(), "byte {at} of {path}");
            }
            for other in [Vec::new(), bytes[32..].to_vec(), [bytes, &bytes[..32]].concat(), bytes[1..].to_vec()] {
                let mut files = Memory(good.0.clone(), good.1.clone());
                files.1.insert(path.clone(), other);
                assert!(read(&files).is_err(), "{path}");
            }
            let mut files = Memory(good.0.clone(), good.1.clone());
            files.1.remove(path);
            assert!(read(&files).is_err(), "{path} is gone");
        }
    }
}
