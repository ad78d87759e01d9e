//! The versions of files that commits outside of the history of `HEAD` introduced.
//!
//! A version counts where a commit differs from each of its parents. What is not in this clone (beyond a shallow cut, or
//! promised by a remote) is passed over: git cannot have copied it from here. Dates lie, as in `history.rs`: a wrong one
//! can add a commit of `HEAD`'s history, and never leaves out one of another.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};

use gix::objs::{Kind, TreeRefIter, tree::EntryKind};

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
}

/// The versions of each path, each with the name of what leads to it.
pub type Versions = BTreeMap<String, BTreeMap<BlobId, String>>;

impl Repository {
    /// Lists the versions of the files at `paths` that `tips` lead to and that the history of `HEAD` did not bring. What is
    /// no file (a folder, a submodule) has none.
    ///
    /// # Errors
    /// [`Error::TooManyCommits`] beyond the bounds; otherwise as [`commit_info`](Self::commit_info).
    pub fn versions_outside(
        &self,
        tips: &[(String, Tip)],
        paths: &BTreeSet<String>,
        bounds: Bounds,
    ) -> Result<Versions, Error> {
        let mut walk = Walk { repository: self, bounds, met: BTreeMap::new(), queue: BinaryHeap::new(), open: 0 };
        if let Some(head) = self.head()?.commit_id() {
            walk.meet(head.to_gix(), None)?;
        }
        let mut search = Search { repository: self, known: HashMap::new(), versions: Versions::new() };
        for (place, (name, tip)) in tips.iter().enumerate() {
            match tip {
                Tip::Commit(commit_id) => walk.meet(commit_id.to_gix(), Some(place))?,
                Tip::Tree(tree_id) => search.tree(name, tree_id, &[], paths)?,
                Tip::Blob(blob_id) => paths.iter().for_each(|path| search.add(path, blob_id.clone(), name)),
            }
        }
        walk.run()?;
        for met in walk.met.values() {
            let Some((name, _)) = met.from.and_then(|place| tips.get(place)) else { continue };
            let parents = met.parents.iter().filter_map(|parent| walk.met.get(parent));
            let parents: Vec<TreeId> = parents.map(|parent| parent.tree_id.clone()).collect();
            search.tree(name, &met.tree_id, &parents, paths)?;
        }
        Ok(search.versions)
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
struct Search<'repo> {
    repository: &'repo Repository,
    /// What a folder has under a name.
    known: HashMap<(gix::ObjectId, String), Option<(EntryKind, gix::ObjectId)>>,
    versions: Versions,
}

impl Search<'_> {
    /// Adds what a tree has at each of `paths` and none of its parents has there.
    fn tree(&mut self, name: &str, tree: &TreeId, parents: &[TreeId], paths: &BTreeSet<String>) -> Result<(), Error> {
        if parents.contains(tree) {
            return Ok(());
        }
        for path in paths {
            let Some(blob) = self.file(tree, path)? else { continue };
            let mut is_new = true;
            for parent in parents {
                is_new &= self.file(parent, path)? != Some(blob);
            }
            if is_new {
                self.add(path, BlobId::from_gix(blob), name);
            }
        }
        Ok(())
    }

    fn add(&mut self, path: &str, blob_id: BlobId, name: &str) {
        let versions = self.versions.entry(path.to_owned()).or_default();
        versions
            .entry(blob_id)
            .and_modify(|known| *known = name.min(known).to_owned())
            .or_insert_with(|| name.to_owned());
    }

    fn file(&mut self, tree: &TreeId, path: &str) -> Result<Option<gix::ObjectId>, Error> {
        let mut found = (EntryKind::Tree, tree.to_gix());
        for name in components(path)? {
            if found.0 != EntryKind::Tree {
                return Ok(None);
            }
            let Some(entry) = self.entry(found.1, name)? else { return Ok(None) };
            found = entry;
        }
        let is_file = matches!(found.0, EntryKind::Blob | EntryKind::BlobExecutable | EntryKind::Link);
        Ok(is_file.then_some(found.1))
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
