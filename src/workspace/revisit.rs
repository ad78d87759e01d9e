//! Looking again at what a survey saw: where no folder changed, no name did, and only the files have to be looked at.
//!
//! A folder changes whenever a name in it is made, removed or renamed, so its stamp stands for the list of its names as a
//! file's stamp stands for its content. That saves about a third of the time that a survey of ten thousand items takes.

use rustix::fs::FileType;

use super::cores::on_every_core;
use super::error::Error;
use super::folder::{Folder, kind};
use super::survey::{FileStamp, Sighting, Survey, compiled_in, parts};
use super::{MAX_ITEM_BYTES, Workspace};
use crate::id::Space;

/// How many files of a folder are looked at by one worker.
const FILES_AT_ONCE: usize = 128;

/// Fewer visits than this are not worth another worker.
const VISITS_PER_WORKER: usize = 8;

/// A folder, and some of the items in it.
struct Visit<'s> {
    root: &'s Folder,
    folder: &'s Sighting,
    /// Where its items begin among all.
    start: usize,
    items: &'s [Sighting],
}

/// An item whose stamp is another by now: which of all, and the stamp.
type Changed = (usize, FileStamp);

impl Workspace {
    /// Looks again at what an earlier survey saw: its folders, and its items. None if anything but the content of files may be
    /// different by now; then only [`Workspace::survey`] knows.
    ///
    /// # Errors
    ///
    /// Fails when the `.ai` of a space cannot be opened.
    pub fn revisit(&self, folders: &[Sighting], mut items: Vec<Sighting>) -> Result<Option<Survey>, Error> {
        items.retain(|item| !item.name.starts_with(Space::System.as_str()));
        let spaces = self.spaces()?;
        let Some(visits) = visits(&spaces, folders, &items) else { return Ok(None) };
        let looked = on_every_core(&visits, VISITS_PER_WORKER, |visits| {
            visits.iter().map(Visit::changed).collect::<Option<Vec<_>>>()
        });
        drop(visits);
        let Some(changed) = looked.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        for (at, stamp) in changed.into_iter().flatten().flatten() {
            items[at].stamp = stamp;
        }
        items.extend(compiled_in());
        Ok(Some(Survey { items, folders: folders.to_vec(), failures: Vec::new() }))
    }
}

/// Plans what to visit: every folder, and every item in its folder. None if they cannot be all there is.
fn visits<'s>(spaces: &'s [(Space, Folder)], folders: &'s [Sighting], items: &'s [Sighting]) -> Option<Vec<Visit<'s>>> {
    let by_name = |name: &str| folders.binary_search_by(|folder| folder.name.as_str().cmp(name)).ok();
    if !spaces.iter().all(|(space, _)| by_name(&format!("{space}/")).is_some()) {
        return None;
    }
    let root = |folder: &Sighting| {
        let space = folder.name.split('/').next()?;
        spaces.iter().find(|(known, _)| known.as_str() == space).map(|(_, root)| root)
    };
    let mut visits = Vec::new();
    let mut is_visited = vec![false; folders.len()];
    let mut start = 0;
    for together in items.chunk_by(|one, next| folder_of(one) == folder_of(next)) {
        let at = by_name(folder_of(&together[0]))?;
        let (root, folder) = (root(&folders[at])?, &folders[at]);
        for items in together.chunks(FILES_AT_ONCE) {
            visits.push(Visit { root, folder, start, items });
            start += items.len();
        }
        is_visited[at] = true;
    }
    for (folder, _) in folders.iter().zip(is_visited).filter(|(_, is_visited)| !is_visited) {
        visits.push(Visit { root: root(folder)?, folder, start, items: &[] });
    }
    Some(visits)
}

fn folder_of(item: &Sighting) -> &str {
    item.name.rfind('/').map_or("", |end| &item.name[..=end])
}

impl Visit<'_> {
    /// Looks at the folder and the items, and returns those that changed; None unless the folder is what it was and every
    /// item still a regular file.
    fn changed(&self) -> Option<Vec<Changed>> {
        let folder = self.root.descend(parts(&self.folder.name)).ok()?;
        if folder.stamp().ok()? != self.folder.stamp {
            return None;
        }
        let mut changed = Vec::new();
        for (at, item) in (self.start..).zip(self.items) {
            let stat = folder.look(&item.name[self.folder.name.len()..])?;
            let stamp = FileStamp::from(&stat);
            if kind(&stat) != FileType::RegularFile || stamp.size > MAX_ITEM_BYTES {
                return None;
            }
            if stamp != item.stamp {
                changed.push((at, stamp));
            }
        }
        Some(changed)
    }
}
