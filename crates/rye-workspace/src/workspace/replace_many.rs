//! Many files of items written at once, each completely or not at all.
//!
//! Temporary files take the bytes; one pass syncs them, many at a time, as a file system writes its journal once for all that
//! wait for it; each file is compared once more with what the caller expects, and its temporary file renamed over it; last
//! each folder is synced. **The commit point of each file is its rename**, as in `replace`: a crash leaves some files new and
//! the others old, and no file half written.

use std::collections::{BTreeMap, BTreeSet};
use std::thread::{self, Builder};

use super::Workspace;
use super::candidate::Candidate;
use super::error::Error;
use super::folder::{Folder, Name};
use super::item_file::{Expected, MAX_ITEM_BYTES, file_name};
use super::replace::Temporary;
use crate::id::{ItemType, Space};

/// The most files that are open at once.
const BATCH: usize = 256;

/// How many syncs wait for the disk at once.
const SYNCS: usize = 16;

/// A file of an item that is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Replacement<'a> {
    /// The item.
    pub candidate: &'a Candidate,
    /// What the file holds, or that it is missing.
    pub expected: Expected<'a>,
    /// What it is to hold.
    pub bytes: &'a [u8],
}

/// Where an item lies: its space, type and category.
type Key<'a> = (Space, ItemType, &'a str);

/// The folders of a batch.
type Folders<'a> = BTreeMap<Key<'a>, Folder>;

impl Workspace {
    /// Writes the files of items, and tells of each whether it is written. A new one is refused where another file is the same item.
    #[must_use]
    pub fn replace_items(&self, items: &[Replacement<'_>]) -> Vec<Result<(), Error>> {
        items.chunks(BATCH).flat_map(|batch| self.replace_batch(batch)).collect()
    }

    fn replace_batch(&self, batch: &[Replacement<'_>]) -> Vec<Result<(), Error>> {
        let mut folders = Folders::new();
        for Replacement { candidate, .. } in batch {
            if !folders.contains_key(&key(candidate))
                && let Ok(folder) = self.category_folder(candidate.space, candidate.item_type, &candidate.id)
            {
                folders.insert(key(candidate), folder);
            }
        }
        let names: Vec<String> =
            batch.iter().map(|item| file_name(&item.candidate.id, &item.candidate.extension)).collect();
        let has_new = |place: &Key<'_>| {
            batch.iter().any(|item| item.expected == Expected::Absent && key(item.candidate) == *place)
        };
        let stems: BTreeMap<Key<'_>, BTreeSet<String>> = folders
            .iter()
            .filter(|(place, _)| has_new(place))
            .map(|(place, folder)| (*place, stems_in(folder)))
            .collect();
        let files = batch.iter().zip(&names);
        let drafts = files.map(|(item, name)| self.draft((&folders, &stems), item, name)).collect::<Vec<_>>();
        let synced = many_at_once(&drafts, |draft| draft.as_ref().map_or(Ok(()), Temporary::sync));
        let drafts = drafts.into_iter().zip(synced).map(|(draft, synced)| synced.and(draft));
        let renamed = drafts.zip(batch).map(|(draft, item)| draft?.put_in_place(item.expected));
        let mut done: Vec<Result<(), Error>> = renamed.collect();
        let opened: Vec<_> = folders.iter().collect();
        for ((place, _), synced) in opened.iter().zip(many_at_once(&opened, |(_, folder)| folder.sync())) {
            // The new content is in place: only its durability is in doubt, and one sentence says so.
            let mut there = batch.iter().zip(&mut done).filter(|(item, _)| key(item.candidate) == **place);
            if let (Err(error), Some((_, done))) = (synced, there.find(|(_, done)| done.is_ok())) {
                *done = Err(error);
            }
        }
        done
    }

    /// Writes the new content of a file next to it.
    fn draft<'f, 'b>(
        &self,
        (folders, stems): (&'f Folders<'b>, &BTreeMap<Key<'_>, BTreeSet<String>>),
        item: &Replacement<'b>,
        name: &'f str,
    ) -> Result<Temporary<'f>, Error> {
        let Replacement { candidate, expected, bytes } = item;
        if bytes.len() as u64 > MAX_ITEM_BYTES {
            return Err(Error::TooLarge { path: candidate.path.clone(), limit: MAX_ITEM_BYTES });
        }
        // Another file of this item has its name with another extension.
        if stems.get(&key(candidate)).is_some_and(|stems| stems.contains(candidate.id.name())) {
            self.refuse_ambiguity(candidate.space, candidate.item_type, &candidate.id, &candidate.path)?;
        }
        match folders.get(&key(candidate)) {
            Some(folder) => folder.beside(name, bytes, *expected),
            None => {
                let found = self.category_folder(candidate.space, candidate.item_type, &candidate.id);
                Err(found.err().unwrap_or_else(|| Error::ChangedMeanwhile { path: candidate.path.clone() }))
            }
        }
    }
}

fn key(candidate: &Candidate) -> Key<'_> {
    (candidate.space, candidate.item_type, candidate.id.category())
}

/// What the names in a folder begin with, up to each of their dots.
fn stems_in(folder: &Folder) -> BTreeSet<String> {
    let mut stems = BTreeSet::new();
    for name in folder.names().unwrap_or_default() {
        if let Name::Text(name) = name {
            stems.extend(name.match_indices('.').map(|(dot, _)| name[..dot].to_owned()));
        }
    }
    stems
}

/// Does something to each of many, on as many threads as may wait for the disk at once. Where there may be no more
/// threads, the caller works alone.
fn many_at_once<T: Sync, R: Send>(many: &[T], each: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let share = |share: &[T]| share.iter().map(&each).collect::<Vec<R>>();
    thread::scope(|scope| {
        let shares = many.chunks(many.len().div_ceil(SYNCS).max(1));
        let workers = shares.map(|these| (these, Builder::new().spawn_scoped(scope, move || share(these))));
        let workers: Vec<_> = workers.collect();
        let done = workers.into_iter().flat_map(|(these, worker)| match worker.map(thread::ScopedJoinHandle::join) {
            Ok(Ok(done)) => done,
            Ok(Err(_)) | Err(_) => share(these),
        });
        done.collect()
    })
}
