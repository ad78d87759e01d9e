//! How much a tree is with all its folders written out: a few small trees that name each other many times are more files
//! than any disk has.
//!
//! Each tree is read once, however often it is named, so the count takes as long as the repository is large, not the
//! checkout. Nothing recurses: folders may nest as deep as they like.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
};

use gix::{
    ObjectId,
    objs::{Kind, TreeRefIter},
};

use super::{Error, Repository, read::corrupt};

/// The most files and folders that a tree is written out to.
const MOST_ENTRIES: u64 = 2_000_000;

/// The most bytes that their paths take in all.
const MOST_PATH_BYTES: u64 = 512 * 1024 * 1024;

/// The extent of a folder.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    /// Files and folders.
    entries: u64,
    /// Their paths from that folder on.
    path_bytes: u64,
}

impl Extent {
    fn add(&mut self, name: usize, below: Self) {
        let name = name as u64 + 1;
        let entries = below.entries.saturating_add(1);
        self.entries = self.entries.saturating_add(entries);
        let path_bytes = below.path_bytes.saturating_add(name.saturating_mul(entries));
        self.path_bytes = self.path_bytes.saturating_add(path_bytes);
    }
}

/// The entries of a folder: how long their names are, and the tree of each that is a folder.
type Names = Vec<(usize, Option<ObjectId>)>;

/// A folder that is being counted.
struct Open {
    id: ObjectId,
    names: Names,
    /// How many of its entries are counted.
    counted: usize,
    extent: Extent,
}

impl Open {
    fn count(&mut self, name: usize, below: Extent) -> Result<(), Error> {
        self.counted += 1;
        self.extent.add(name, below);
        if self.extent.entries > MOST_ENTRIES || self.extent.path_bytes > MOST_PATH_BYTES {
            return Err(Error::TooLargeTree { entries: MOST_ENTRIES, path_bytes: MOST_PATH_BYTES });
        }
        Ok(())
    }
}

impl Repository {
    /// Refuses a tree that would be too much when it is written out. A count that has to stop refuses nothing: the next
    /// step stops as well.
    ///
    /// # Errors
    /// [`Error::TooLargeTree`]; otherwise as [`entries_below`](Self::entries_below).
    pub(super) fn check_extent(&self, root: ObjectId, should_stop: &AtomicBool) -> Result<(), Error> {
        let mut known: HashMap<ObjectId, Extent> = HashMap::new();
        let mut open = vec![self.counting(root)?];
        while let Some(folder) = open.last_mut() {
            if should_stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let Some((name, tree)) = folder.names.get(folder.counted).copied() else {
                known.insert(folder.id, folder.extent);
                open.pop();
                continue;
            };
            match tree.map(|tree| known.get(&tree).copied().ok_or(tree)) {
                Some(Err(tree)) => open.push(self.counting(tree)?),
                Some(Ok(below)) => folder.count(name, below)?,
                None => folder.count(name, Extent::default())?,
            }
        }
        Ok(())
    }

    fn counting(&self, id: ObjectId) -> Result<Open, Error> {
        Ok(Open { id, names: self.names(id)?, counted: 0, extent: Extent::default() })
    }

    fn names(&self, id: ObjectId) -> Result<Names, Error> {
        let data = self.object(id, Kind::Tree)?;
        let entries = TreeRefIter::from_bytes(&data, self.inner.object_hash());
        let name = |entry: gix::objs::tree::EntryRef<'_>| {
            (entry.filename.len(), entry.mode.is_tree().then(|| entry.oid.to_owned()))
        };
        entries.map(|entry| entry.map(name).map_err(|error| corrupt(id, error))).collect()
    }
}
