//! What the commits of a range found in an item's place, and left there.
//!
//! A merge is compared with each of its parents: a file from one of them may be older than another's.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::rc::Rc;

use super::super::locate::LocateError;
use super::files::{self, MAX_ENTRIES};
use crate::git::{BlobId, CommitId, CommitRange, RangeCommit, Repository, TreeChange, TreeEntry};
use crate::id::{ItemId, ItemType, SPACE_FOLDER, Timestamp, item_path};
use crate::trust::Subject;

/// An item by type and id, whatever its extension.
type Name = (ItemType, ItemId);

/// Items by name. Files that differ only by extension are one item.
type Items = BTreeMap<Name, Vec<(Subject, BlobId)>>;

/// The removals of each item.
type Removals = BTreeMap<Name, Removal>;

/// The removals of an item.
#[derive(Clone)]
struct Removal {
    /// When the last one was.
    seconds: i64,
    /// All that was removed.
    blob_ids: Vec<BlobId>,
}

/// What the commits of a range found and left, by item, in their order.
#[derive(Default)]
pub(super) struct Past {
    items: BTreeMap<Name, Vec<Passed>>,
    steps: BTreeMap<Name, Vec<Step>>,
}

/// An item as a commit of the range found it, or left it.
pub(super) struct Passed {
    pub(super) subject: Subject,
    pub(super) blob_id: BlobId,
    is_left: bool,
}

/// What one commit of the range did with an item of one of its parents.
pub(super) struct Step {
    pub(super) commit_id: CommitId,
    pub(super) before: Before,
    after: BlobId,
}

/// What a parent has in an item's place.
#[derive(Clone)]
pub(super) enum Before {
    /// Another content.
    Item(Subject, BlobId),
    /// It has no parent: the commit begins a history of its own.
    NoParent,
    /// Nothing, and no other parent has it: when an earlier commit of the range removed it, if one did.
    Nothing(Option<Timestamp>),
    /// Nothing, for it was removed there since it parted from a parent that has it.
    Removed(Timestamp),
}

/// What a commit's tree has that one of its parents has not, or other.
pub(super) struct Difference {
    /// The parent; none for a commit without any.
    pub(super) parent: Option<CommitId>,
    pub(super) changes: Vec<TreeChange>,
}

/// Compares a commit with each of its parents, or with nothing.
pub(super) fn differences(repository: &Repository, commit: &RangeCommit) -> Result<Vec<Difference>, LocateError> {
    let mut parents: Vec<Option<CommitId>> = Vec::new();
    for parent in &commit.info.parents {
        if !parents.iter().flatten().any(|known| known == parent) {
            parents.push(Some(parent.clone()));
        }
    }
    if parents.is_empty() {
        parents.push(None);
    }
    let difference = |parent: Option<CommitId>| {
        let changes = repository.changes_below(parent.as_slice(), &commit.commit_id, SPACE_FOLDER, MAX_ENTRIES)?;
        Ok(Difference { parent, changes })
    };
    parents.into_iter().map(difference).collect()
}

/// Follows the commits of a range, each after its parents.
pub(super) struct Follower<'r> {
    repository: &'r Repository,
    start: Option<&'r CommitId>,
    past: Past,
    /// What the range had removed by the time of each commit.
    removed: BTreeMap<CommitId, Rc<Removals>>,
}

impl<'r> Follower<'r> {
    /// `start`: the commit that the range begins after.
    pub(super) fn new(repository: &'r Repository, start: Option<&'r CommitId>) -> Self {
        Self { repository, start, past: Past::default(), removed: BTreeMap::new() }
    }

    pub(super) fn finish(self) -> Past {
        self.past
    }

    /// Takes in a commit.
    pub(super) fn commit(&mut self, commit: &RangeCommit, differences: &[Difference]) -> Result<(), LocateError> {
        let removed = self.removed_before(commit);
        self.past.record(differences);
        let sides: Vec<Sides<'_>> = differences.iter().map(Sides::of).collect();
        let mut since = BTreeMap::new();
        for side in &sides {
            for (name, after) in &side.left {
                let before = match side.found.get(name) {
                    Some(found) => found.iter().cloned().map(|(subject, id)| Before::Item(subject, id)).collect(),
                    None => Vec::from_iter(self.absent((name, after), side, &sides, &removed, &mut since)?),
                };
                let steps = self.past.steps.entry(name.clone()).or_default();
                for (_, after) in after {
                    let step = |before| Step { commit_id: commit.commit_id.clone(), before, after: after.clone() };
                    steps.extend(before.iter().cloned().map(step));
                }
            }
        }
        let removed = self.removed_by(commit, differences, removed)?;
        self.removed.insert(commit.commit_id.clone(), removed);
        Ok(())
    }

    /// Returns what the range had removed before a commit.
    fn removed_before(&self, commit: &RangeCommit) -> Rc<Removals> {
        let mut parents = commit.info.parents.iter().filter_map(|parent| self.removed.get(parent));
        let first = parents.next().cloned().unwrap_or_default();
        parents.fold(first, |mut joined, other| {
            if !Rc::ptr_eq(&joined, other) {
                join(Rc::make_mut(&mut joined), other);
            }
            joined
        })
    }

    /// Adds what a commit itself removed.
    fn removed_by(
        &self,
        commit: &RangeCommit,
        differences: &[Difference],
        mut before: Rc<Removals>,
    ) -> Result<Rc<Removals>, LocateError> {
        for Difference { parent, changes } in differences {
            let Some(parent) = parent else { continue };
            let removed = removals(self.repository, commit, parent, changes)?;
            if !removed.is_empty() {
                join(Rc::make_mut(&mut before), &removed);
            }
        }
        Ok(before)
    }

    /// Says what it means that a parent has nothing in an item's place; none if the item only came to be elsewhere.
    fn absent(
        &self,
        (name, after): (&Name, &[(Subject, BlobId)]),
        side: &Sides<'_>,
        sides: &[Sides<'_>],
        removed: &Removals,
        since: &mut BTreeMap<(CommitId, CommitId), Removals>,
    ) -> Result<Option<Before>, LocateError> {
        let having: Vec<&CommitId> =
            sides.iter().filter(|side| side.has(name)).filter_map(|side| side.parent).collect();
        if side.parent.is_none() {
            return Ok(Some(Before::NoParent));
        }
        if having.is_empty() {
            let removal = match removed.get(name) {
                Some(removal) if self.is_restored(after, removal)? => None,
                removal => removal,
            };
            return Ok(Some(Before::Nothing(removal.map(|removal| moment(removal.seconds)))));
        }
        let Some(lacking) = side.parent else { return Ok(None) };
        let mut latest = None;
        for having in having {
            let pair = (having.clone(), lacking.clone());
            let removed = match since.entry(pair) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(unknown) => unknown.insert(self.removed_since(having, lacking)?),
            };
            latest = latest.max(removed.get(name).map(|removal| removal.seconds));
        }
        Ok(latest.map(moment).map(Before::Removed))
    }

    /// Tells whether everything that was removed is back, and everything that the range began with.
    fn is_restored(&self, after: &[(Subject, BlobId)], removal: &Removal) -> Result<bool, LocateError> {
        let Some(start) = self.start else { return Ok(false) };
        for (Subject { item_type, item_id, extension }, blob_id) in after {
            let path = format!("{SPACE_FOLDER}/{}", item_path(*item_type, item_id, extension));
            let known = self.repository.entry_at(start, &path)?;
            if removal.blob_ids.iter().any(|removed| removed != blob_id)
                || known.and_then(|known| files::item(&known)).is_none_or(|(_, known)| known != *blob_id)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the items removed on the way to a commit, by commits that another one does not build on.
    fn removed_since(&self, after: &CommitId, last: &CommitId) -> Result<Removals, LocateError> {
        let range = CommitRange { after: Some(after.clone()), last: last.clone() };
        let mut all = Removals::new();
        for commit in self.repository.commits_in(&range)? {
            for Difference { parent, changes } in differences(self.repository, &commit)? {
                let Some(parent) = parent else { continue };
                join(&mut all, &removals(self.repository, &commit, &parent, &changes)?);
            }
        }
        Ok(all)
    }
}

/// The items of a difference, by name.
struct Sides<'a> {
    parent: Option<&'a CommitId>,
    found: Items,
    left: Items,
}

impl<'a> Sides<'a> {
    fn of(Difference { parent, changes }: &'a Difference) -> Self {
        Self { parent: parent.as_ref(), found: items(changes, before_of), left: items(changes, after_of) }
    }

    /// Tells whether the parent has an item that the commit has.
    fn has(&self, name: &Name) -> bool {
        !self.left.contains_key(name) || self.found.contains_key(name)
    }
}

impl Past {
    fn record(&mut self, differences: &[Difference]) {
        let changes = || differences.iter().flat_map(|difference| &difference.changes);
        for (of, is_left) in [(before_of as Side, false), (after_of, true)] {
            for (subject, blob_id) in changes().filter_map(|change| files::item(of(change)?)) {
                let name = (subject.item_type, subject.item_id.clone());
                self.items.entry(name).or_default().push(Passed { subject, blob_id, is_left });
            }
        }
    }

    /// Returns what each commit did that left this blob in the place of something else.
    pub(super) fn steps_to(&self, subject: &Subject, blob_id: &BlobId) -> impl Iterator<Item = &Step> {
        let steps = self.steps.get(&(subject.item_type, subject.item_id.clone())).into_iter().flatten();
        steps.filter(move |step| step.after == *blob_id)
    }

    /// Tells whether the range did anything with an item.
    pub(super) fn knows(&self, subject: &Subject) -> bool {
        self.items.contains_key(&(subject.item_type, subject.item_id.clone()))
    }

    /// Returns what the range found in an item's place, and left there, before it last left this blob; nothing if it
    /// never did.
    pub(super) fn before(&self, subject: &Subject, blob_id: &BlobId) -> &[Passed] {
        let known = self.items.get(&(subject.item_type, subject.item_id.clone())).map_or(&[][..], Vec::as_slice);
        let at = known.iter().rposition(|passed| passed.is_left && passed.blob_id == *blob_id);
        &known[..at.unwrap_or_default()]
    }
}

/// One side of a change.
type Side = fn(&TreeChange) -> Option<&TreeEntry>;

const fn before_of(change: &TreeChange) -> Option<&TreeEntry> {
    change.before.as_ref()
}

const fn after_of(change: &TreeChange) -> Option<&TreeEntry> {
    change.after.as_ref()
}

/// Returns the items of one side.
fn items(changes: &[TreeChange], of: Side) -> Items {
    let mut items = Items::new();
    for (subject, blob_id) in changes.iter().filter_map(|change| files::item(of(change)?)) {
        items.entry((subject.item_type, subject.item_id.clone())).or_default().push((subject, blob_id));
    }
    items
}

/// Returns what a commit removed of what a parent has. An author can backdate a removal, but not its parents.
fn removals(
    repository: &Repository,
    commit: &RangeCommit,
    parent: &CommitId,
    changes: &[TreeChange],
) -> Result<Removals, LocateError> {
    let (mut gone, left) = (items(changes, before_of), items(changes, after_of));
    gone.retain(|name, _| !left.contains_key(name));
    if gone.is_empty() {
        return Ok(Removals::new());
    }
    let seconds = commit.info.committer.seconds.max(repository.commit_info(parent)?.committer.seconds);
    let blob_ids = |items: Vec<(Subject, BlobId)>| items.into_iter().map(|(_, blob_id)| blob_id).collect();
    Ok(gone.into_iter().map(|(name, items)| (name, Removal { seconds, blob_ids: blob_ids(items) })).collect())
}

fn join(removals: &mut Removals, others: &Removals) {
    for (name, removal) in others {
        match removals.get_mut(name) {
            Some(known) => {
                known.seconds = known.seconds.max(removal.seconds);
                known.blob_ids.extend(
                    removal.blob_ids.iter().filter(|id| !known.blob_ids.contains(id)).cloned().collect::<Vec<_>>(),
                );
            }
            None => {
                removals.insert(name.clone(), removal.clone());
            }
        }
    }
}

const fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_milliseconds(seconds.saturating_mul(1000))
}
