//! The versions of files that commits outside of the history of `HEAD` introduced.
//!
//! A version counts where a commit differs from each of its parents. Objects missing in this clone (beyond a shallow
//! cut, or promised by a remote) are skipped: git cannot have copied it from here. Dates lie, as in `history.rs`: a
//! wrong one can add a commit of `HEAD`'s history, and never leaves out one of another.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use gix::{
    bstr::ByteSlice as _,
    objs::{Kind, TreeRefIter, tree::EntryKind},
};

use super::{BlobId, CommitId, Error, Repository, Tip, TreeId, read::corrupt, tree::components};

/// How many commits are looked at beyond the point where all seem to be found, in case dates lie.
const SLOP: usize = 256;

/// How far a search goes before it is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Commits that `HEAD` does not have.
    pub outside: usize,
    /// Commits in all.
    pub read: usize,
    /// Entries of the sought folders.
    pub files: usize,
}

/// The versions of each path, each with the name of what leads to it.
pub type Versions = BTreeMap<String, BTreeMap<BlobId, String>>;

/// Where to look for versions.
#[derive(Debug, Clone, Copy)]
pub struct Sought<'a> {
    /// The paths of files.
    pub paths: &'a BTreeSet<String>,
    /// Folders, whose files count too: git carries a change over to the file's other name.
    pub folders: &'a [String],
}

/// What commits outside of the history of `HEAD` did.
#[derive(Debug, Default)]
pub struct Outside {
    /// The versions that they introduced.
    pub versions: Versions,
    /// Which of the paths they removed or gave another name, each with the name of what leads to the commit.
    pub removed: BTreeMap<String, String>,
}

impl Repository {
    /// Lists the versions of the sought files that `tips` lead to and that the history of `HEAD` did not bring, and which of the
    /// paths were removed there. Folders and submodules have no versions.
    ///
    /// # Errors
    /// [`Error::TooManyCommits`] and [`Error::TooManyEntries`] beyond the bounds; otherwise as
    /// [`commit_info`](Self::commit_info).
    pub fn versions_outside(
        &self,
        tips: &[(String, Tip)],
        sought: Sought<'_>,
        bounds: Bounds,
    ) -> Result<Outside, Error> {
        let mut walk = Walk { repository: self, bounds, met: BTreeMap::new(), queue: BinaryHeap::new(), open: 0 };
        if let Some(head) = self.head()?.commit_id() {
            walk.meet(head.to_gix(), None)?;
        }
        let (known, found) = (HashMap::new(), Outside::default());
        let mut search = Search { repository: self, sought, known, found, limit: bounds.files, left: bounds.files };
        for (place, (name, tip)) in tips.iter().enumerate() {
            match tip {
                Tip::Commit(commit_id) => walk.meet(commit_id.to_gix(), Some(place))?,
                Tip::Tree(tree_id) => {
                    search.tree(name, tree_id, &[])?;
                    search.part(name, tree_id)?;
                }
                Tip::Blob(blob_id) => sought.paths.iter().for_each(|path| search.add(path, blob_id.clone(), name)),
            }
        }
        walk.run()?;
        for met in walk.met.values() {
            let Some((name, _)) = met.from.and_then(|place| tips.get(place)) else { continue };
            let parents = met.parents.iter().filter_map(|parent| walk.met.get(parent));
            let parents: Vec<TreeId> = parents.map(|parent| parent.tree_id.clone()).collect();
            search.tree(name, &met.tree_id, &parents)?;
        }
        Ok(search.found)
    }
}

/// A walk from all tips, and from `HEAD`, towards the beginning of history.
struct Walk<'repo> {
    repository: &'repo Repository,
    bounds: Bounds,
    met: BTreeMap<gix::ObjectId, Met>,
    /// By date, the newest on top.
    queue: BinaryHeap<(i64, gix::ObjectId)>,
    /// How many in the queue may be outside.
    open: usize,
}

/// A commit the walk has met.
struct Met {
    tree_id: TreeId,
    parents: Vec<gix::ObjectId>,
    /// The tip that led to it, unless `HEAD` has it.
    from: Option<usize>,
    /// Whether it is in the queue.
    waiting: bool,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<(), Error> {
        let (mut oldest, mut slop) = (i64::MAX, SLOP);
        while let Some((date, id)) = self.queue.pop() {
            if self.open == 0 && date < oldest {
                let Some(left) = slop.checked_sub(1) else { break };
                slop = left;
            }
            let Some(met) = self.met.get_mut(&id) else { continue };
            met.waiting = false;
            let from = met.from;
            if from.is_some() {
                self.open -= 1;
                oldest = oldest.min(date);
            }
            for parent in met.parents.clone() {
                self.meet(parent, from)?;
            }
        }
        let outside = self.met.values().filter(|met| met.from.is_some()).count();
        self.refuse_beyond(self.bounds.outside, outside)
    }

    fn meet(&mut self, id: gix::ObjectId, from: Option<usize>) -> Result<(), Error> {
        if self.met.contains_key(&id) {
            if from.is_none() {
                self.exclude(id);
            }
            return Ok(());
        }
        let info = match self.repository.commit_info(&CommitId::from_gix(id)) {
            Err(Error::Shallow { .. } | Error::Promised { .. }) => return Ok(()),
            info => info?,
        };
        self.refuse_beyond(self.bounds.read, self.met.len() + 1)?;
        self.queue.push((info.committer.seconds, id));
        self.open += usize::from(from.is_some());
        let parents = info.parents.iter().map(CommitId::to_gix).collect();
        self.met.insert(id, Met { tree_id: info.tree_id, parents, from, waiting: true });
        Ok(())
    }

    /// Gives a commit to the history of `HEAD`, with all that was met by way of it.
    fn exclude(&mut self, id: gix::ObjectId) {
        let mut found = vec![id];
        while let Some(id) = found.pop() {
            let Some(met) = self.met.get_mut(&id).filter(|met| met.from.is_some()) else { continue };
            met.from = None;
            if met.waiting {
                self.open -= 1;
            } else {
                found.extend(&met.parents);
            }
        }
    }

    fn refuse_beyond(&self, limit: usize, count: usize) -> Result<(), Error> {
        if count <= limit { Ok(()) } else { Err(Error::TooManyCommits { limit }) }
    }
}

/// A search for the versions of files in trees, which share most of their folders.
struct Search<'a> {
    repository: &'a Repository,
    sought: Sought<'a>,
    /// What a folder has under a name.
    known: HashMap<(gix::ObjectId, String), Option<(EntryKind, gix::ObjectId)>>,
    found: Outside,
    /// How many entries of folders may be looked at, and how many of them are left.
    limit: usize,
    left: usize,
}

impl Search<'_> {
    /// Adds what a tree has at each path, or below each folder, and none of its parents has there.
    fn tree(&mut self, name: &str, tree: &TreeId, parents: &[TreeId]) -> Result<(), Error> {
        if parents.contains(tree) {
            return Ok(());
        }
        for path in self.sought.paths {
            let here = self.file(tree, path)?;
            let (mut is_new, mut was_everywhere) = (true, !parents.is_empty());
            for parent in parents {
                let there = self.file(parent, path)?;
                is_new &= there != here;
                was_everywhere &= there.is_some();
            }
            match here {
                Some(blob) if is_new => self.add(path, BlobId::from_gix(blob), name),
                None if was_everywhere => {
                    self.found.removed.entry(path.clone()).or_insert_with(|| name.to_owned());
                }
                Some(_) | None => {}
            }
        }
        for folder in self.sought.folders {
            let Some(here) = self.folder(tree, folder)? else { continue };
            let mut there = Vec::new();
            for parent in parents {
                there.extend(self.folder(parent, folder)?);
            }
            self.below(name, folder, here, &there, parents.is_empty())?;
        }
        Ok(())
    }

    /// Adds the files of a tree that may be a folder of the sought paths: nothing says which one it was.
    fn part(&mut self, name: &str, tree: &TreeId) -> Result<(), Error> {
        let mut open = vec![(String::new(), tree.to_gix())];
        while let Some((folder, tree)) = open.pop() {
            for (file, (kind, id)) in self.entries(tree)? {
                let end = format!("{folder}/{file}");
                match kind {
                    EntryKind::Tree => open.push((end, id)),
                    EntryKind::Blob | EntryKind::BlobExecutable => {
                        for path in self.sought.paths.iter().filter(|path| path.ends_with(&end)) {
                            self.add(path, BlobId::from_gix(id), name);
                        }
                    }
                    EntryKind::Link | EntryKind::Commit => {}
                }
            }
        }
        Ok(())
    }

    /// Adds the files below a folder that a version of `there` has with other content, and every file where `is_first`.
    /// Folders that are the same in one are not entered, and neither are those that none has.
    fn below(
        &mut self,
        name: &str,
        path: &str,
        here: gix::ObjectId,
        there: &[gix::ObjectId],
        is_first: bool,
    ) -> Result<(), Error> {
        let mut open = vec![(path.to_owned(), here, there.to_vec())];
        while let Some((path, here, there)) = open.pop() {
            if there.contains(&here) || (there.is_empty() && !is_first) {
                continue;
            }
            let others = there.iter().map(|tree| self.entries(*tree)).collect::<Result<Vec<_>, _>>()?;
            for (file, (kind, id)) in self.entries(here)? {
                let same_name = || others.iter().filter_map(|entries| entries.get(&file));
                if same_name().any(|known| *known == (kind, id)) {
                    continue;
                }
                let path = format!("{path}/{file}");
                match kind {
                    EntryKind::Tree => {
                        let there = same_name().filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| *id);
                        open.push((path, id, there.collect()));
                    }
                    EntryKind::Blob | EntryKind::BlobExecutable if is_first || same_name().next().is_some() => {
                        self.add(&path, BlobId::from_gix(id), name);
                    }
                    EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link | EntryKind::Commit => {}
                }
            }
        }
        Ok(())
    }

    /// Reads a folder. Names that are not UTF-8 are those of no item.
    fn entries(&mut self, tree: gix::ObjectId) -> Result<BTreeMap<String, (EntryKind, gix::ObjectId)>, Error> {
        let data = match self.repository.object(tree, Kind::Tree) {
            Err(Error::Promised { .. }) => return Ok(BTreeMap::new()),
            data => data?,
        };
        let mut entries = BTreeMap::new();
        for entry in TreeRefIter::from_bytes(&data, self.repository.inner.object_hash()) {
            let entry = entry.map_err(|error| corrupt(tree, error))?;
            self.left = self.left.checked_sub(1).ok_or_else(|| self.too_many())?;
            if let Ok(name) = entry.filename.to_str() {
                entries.insert(name.to_owned(), (entry.mode.kind(), entry.oid.to_owned()));
            }
        }
        Ok(entries)
    }

    fn too_many(&self) -> Error {
        Error::TooManyEntries { path: self.sought.folders.join("`, `"), limit: self.limit }
    }

    fn add(&mut self, path: &str, blob_id: BlobId, name: &str) {
        let versions = self.found.versions.entry(path.to_owned()).or_default();
        versions
            .entry(blob_id)
            .and_modify(|known| *known = name.min(known).to_owned())
            .or_insert_with(|| name.to_owned());
    }

    fn file(&mut self, tree: &TreeId, path: &str) -> Result<Option<gix::ObjectId>, Error> {
        let found = self.at(tree, path)?;
        let is_file = |kind| matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link);
        Ok(found.filter(|(kind, _)| is_file(*kind)).map(|(_, id)| id))
    }

    fn folder(&mut self, tree: &TreeId, path: &str) -> Result<Option<gix::ObjectId>, Error> {
        let found = self.at(tree, path)?;
        Ok(found.filter(|(kind, _)| *kind == EntryKind::Tree).map(|(_, id)| id))
    }

    /// Returns what a tree has at a path.
    fn at(&mut self, tree: &TreeId, path: &str) -> Result<Option<(EntryKind, gix::ObjectId)>, Error> {
        let mut found = (EntryKind::Tree, tree.to_gix());
        for name in components(path)? {
            if found.0 != EntryKind::Tree {
                return Ok(None);
            }
            let Some(entry) = self.entry(found.1, name)? else { return Ok(None) };
            found = entry;
        }
        Ok(Some(found))
    }

    fn entry(&mut self, tree: gix::ObjectId, name: &str) -> Result<Option<(EntryKind, gix::ObjectId)>, Error> {
        let key = (tree, name.to_owned());
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let found = match self.repository.object(tree, Kind::Tree) {
            Ok(data) => self.find(&data, tree, name)?,
            Err(Error::Promised { .. }) => None,
            Err(error) => return Err(error),
        };
        self.known.insert(key, found);
        Ok(found)
    }

    /// Names that no checkout could make do not matter here, unless it is this one.
    fn find(&self, data: &[u8], tree: gix::ObjectId, name: &str) -> Result<Option<(EntryKind, gix::ObjectId)>, Error> {
        let mut found = None;
        for entry in TreeRefIter::from_bytes(data, self.repository.inner.object_hash()) {
            let entry = entry.map_err(|error| corrupt(tree, error))?;
            if entry.filename == name && found.replace((entry.mode.kind(), entry.oid.to_owned())).is_some() {
                return Err(Error::UnsafePath { path: name.to_owned(), reason: "it is there twice".into() });
            }
        }
        Ok(found)
    }
}
