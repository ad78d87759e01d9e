//! Looking again at what a survey saw: where no folder changed, no name did, and only the files have to be looked at.
//!
//! A folder changes whenever a name in it is made, removed or renamed, so its stamp stands for the list of its names as a
//! file's stamp stands for its content: nothing has to be listed.

use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{FileType, Stat};

use super::cores::on_every_core_beside;
use super::error::Error;
use super::folder::{Folder, kind};
use super::survey::{FileStamp, Sighting, below, compiled_in};
use super::{MAX_ITEM_BYTES, Workspace};
use crate::id::Space;

/// How many files are looked at by one worker at once.
const FILES_AT_ONCE: usize = 128;

/// How many folders are looked at by one worker at once.
const FOLDERS_AT_ONCE: usize = 16;

/// Fewer such shares than this are not worth another worker.
const SHARES_PER_WORKER: usize = 4;

/// What was seen before: a folder, its name ending in `/`, or an item, named and stamped like a [`Sighting`].
pub trait Seen: Sync {
    /// Returns its name.
    fn name(&self) -> &str;

    /// Returns what the file system said of it.
    fn stamp(&self) -> FileStamp;
}

/// An item whose stamp is another by now: which of all, and the stamp.
type Restamped = (usize, FileStamp);

impl Workspace {
    /// Looks again at what an earlier survey saw: its folders by name, and its items in their order, with those that are compiled
    /// in behind all others. Returns the positions and stamps of items that changed; `None` if anything but the content of
    /// files may be different by now: then only [`Workspace::survey`] knows. `meanwhile` is done while others look, and comes
    /// back with the answer.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened.
    pub fn revisit<S: Seen, M>(
        &self,
        folders: &[S],
        items: &[S],
        meanwhile: impl FnOnce() -> M,
    ) -> Result<Option<(Vec<Restamped>, M)>, Error> {
        let is_compiled_in = |item: &S| item.name().starts_with(Space::System.as_str());
        let (items, compiled) = items.split_at(items.partition_point(|item| !is_compiled_in(item)));
        let before =
            Before { spaces: self.spaces()?, folders, visited: folders.iter().map(|_| false.into()).collect() };
        if !before.has_every_space() {
            return Ok(None);
        }
        let items = items.chunks(FILES_AT_ONCE).enumerate();
        let mut shares: Vec<_> = items.map(|(number, items)| Share::Items(number * FILES_AT_ONCE, items)).collect();
        // Last, when nearly all of them are visited for their items.
        shares.extend(folders.chunks(FOLDERS_AT_ONCE).map(Share::Folders));
        let look = |shares: &[Share<'_, S>]| {
            let mut changed = Vec::new();
            shares.iter().try_for_each(|share| before.look(share, &mut changed)).map(|()| changed)
        };
        let (looked, (beside, is_same_program)) = on_every_core_beside(&shares, SHARES_PER_WORKER, look, || {
            let seen = |item: &S| Sighting { name: item.name().to_owned(), stamp: item.stamp() };
            (meanwhile(), compiled.iter().map(seen).eq(compiled_in()))
        });
        let changed: Option<Vec<Vec<Restamped>>> = looked.into_iter().collect();
        Ok(changed.filter(|_| is_same_program).map(|changed| (changed.concat(), beside)))
    }
}

/// The folders of an earlier survey.
struct Before<'s, S> {
    spaces: Vec<(Space, Folder)>,
    folders: &'s [S],
    /// Which of them are known to be what they were.
    visited: Vec<AtomicBool>,
}

/// What is looked at by one worker at once.
enum Share<'s, S> {
    /// Folders: no name in them is different while they are not.
    Folders(&'s [S]),
    /// Items, and the position of the first among all.
    Items(usize, &'s [S]),
}

impl<S: Seen> Before<'_, S> {
    /// Tells whether the folders of every space there is now were looked at.
    fn has_every_space(&self) -> bool {
        self.spaces.iter().all(|(space, _)| self.number(&format!("{space}/")).is_some())
    }

    fn number(&self, folder: &str) -> Option<usize> {
        self.folders.binary_search_by(|known| known.name().cmp(folder)).ok()
    }

    /// Looks at a share, and adds the items that changed. None unless the folders are what they were and every item still
    /// is a regular file.
    fn look(&self, share: &Share<'_, S>, changed: &mut Vec<Restamped>) -> Option<()> {
        match share {
            Share::Folders(folders) => folders.iter().try_for_each(|folder| self.visit(folder.name())),
            Share::Items(start, items) => {
                let mut open = None;
                for (at, item) in (*start..).zip(*items) {
                    let stat = self.stat(item.name(), &mut open)?;
                    let stamp = FileStamp::from(&stat);
                    if kind(&stat) != FileType::RegularFile || stamp.size > MAX_ITEM_BYTES {
                        return None;
                    }
                    if stamp != item.stamp() {
                        changed.push((at, stamp));
                    }
                }
                Some(())
            }
        }
    }

    /// Looks at a file. Its folder stays open: the next file is likely to lie there too.
    fn stat<'n>(&self, name: &'n str, open: &mut Option<(&'n str, Folder)>) -> Option<Stat> {
        if let Some((above, folder)) = open
            && let Some(file) = file_in(above, name)
        {
            return folder.look(file);
        }
        let (above, file) = name.split_at(name.rfind('/')? + 1);
        open.insert((above, self.open(above)?)).1.look(file)
    }

    fn visit(&self, folder: &str) -> Option<()> {
        let is_visited = self.visited[self.number(folder)?].load(Ordering::Relaxed);
        if is_visited { Some(()) } else { self.open(folder).map(drop) }
    }

    /// Opens a folder by its name; none unless it is what it was.
    fn open(&self, name: &str) -> Option<Folder> {
        let number = self.number(name)?;
        let (_, root) = self.spaces.iter().find(|(space, _)| name.split('/').next() == Some(space.as_str()))?;
        let folder = root.reach(below(name)).ok()?;
        let is_same = folder.stamp().ok()? == self.folders[number].stamp();
        self.visited[number].fetch_or(is_same, Ordering::Relaxed);
        is_same.then_some(folder)
    }
}

/// Returns what a file is called in a folder; none if it does not lie there.
fn file_in<'n>(folder: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(folder).filter(|file| !file.as_bytes().contains(&b'/'))
}
