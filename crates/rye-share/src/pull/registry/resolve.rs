//! Which version of each item is taken: for requested items the newest that every requirement allows and that was not
//! yanked; for needed ones the version of the lock if it matches.
//!
//! The other items of the lock stay, so their requirements hold, too: a lock that one of its own items does not allow would
//! be refused by `--locked`. Versions are chosen in rounds, until a round changes none. Where two items then require versions of
//! a third that do not go together, an older version of one of them is tried.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::error::Error as PullError;
use super::error::Error;
use super::options::{Options, Wanted};
use super::sources::{Sources, namespace_of};
use crate::format::registry_files::{Lock, LockEntry};
use crate::id::{ItemId, ItemType, Requirement, Segment, Version};
use crate::registry::{Need, Published, PublishedVersion, Release};

/// The most items that are pulled at once.
const MOST: usize = 512;

/// After this many rounds no versions fit together. A chain of needs takes one for each link.
const ROUNDS: usize = 256;

/// After how many other choices requirements that contradict each other are told.
const CHOICES: usize = 128;

type Key = (ItemType, ItemId);

/// Versions that are not chosen.
type Barred = BTreeSet<(Key, Version)>;

/// A version that was chosen.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) registry: Segment,
    pub(super) version: PublishedVersion,
    pub(super) deprecated: Option<String>,
    /// Whether it was not asked for, but is needed.
    pub(super) is_needed: bool,
}

/// An item that was asked for.
struct Root {
    key: Key,
    requirement: Requirement,
    is_needed: bool,
}

/// A requirement, and the item that has it; none for what a person asked for.
#[derive(Clone)]
struct Demand {
    requirement: Requirement,
    by: Option<Key>,
}

/// Requirements that contradict each other, or the lock.
struct Stuck {
    error: Error,
    /// The items that have these requirements, where another version of one of them may help.
    by: Vec<Key>,
}

/// An item that stays in the version of the lock, and what it needs.
struct Kept {
    key: Key,
    needs: Vec<Need>,
}

struct Resolver<'r, 'c> {
    sources: &'r Sources<'c>,
    options: &'r Options,
    lock: &'r Lock,
    roots: Vec<Root>,
    kept: Vec<Kept>,
    registries: RefCell<BTreeMap<ItemId, Segment>>,
}

/// Chooses a version of everything that is wanted or needed; needed items come first.
pub(super) fn resolve(sources: &Sources<'_>, options: &Options, lock: &Lock) -> Result<Vec<Chosen>, Error> {
    let registries = RefCell::default();
    let mut resolver = Resolver { sources, options, lock, roots: Vec::new(), kept: Vec::new(), registries };
    for wanted in wanted(options, lock) {
        let root = resolver.root(&wanted)?;
        resolver.roots.push(root);
    }
    resolver.kept = resolver.kept()?;
    let versions = resolver.versions()?;
    resolver.reached(&versions)?.into_iter().filter_map(|key| resolver.chosen(&key, versions.get(&key)?)).collect()
}

/// Returns the wanted items: the named ones, or all of the lock.
fn wanted(options: &Options, lock: &Lock) -> Vec<Wanted> {
    if !options.wanted.is_empty() {
        return options.wanted.clone();
    }
    let wanted = lock.entries().iter().map(|entry| Wanted {
        item_id: entry.id.clone(),
        item_type: Some(entry.item_type),
        requirement: Requirement::exactly(entry.version),
    });
    wanted.collect()
}

impl Resolver<'_, '_> {
    fn root(&self, wanted: &Wanted) -> Result<Root, Error> {
        let Wanted { item_id, requirement, .. } = wanted.clone();
        namespace_of(&item_id)?;
        let registry = self.sources.of_item(&item_id, self.options.registry.as_ref(), self.lock)?;
        let source = self.sources.open(&registry)?;
        self.registries.borrow_mut().insert(item_id.clone(), registry);
        let types = source.item(&item_id)?.types_of(&item_id);
        let item_type = match (wanted.item_type, types.as_slice()) {
            (Some(item_type), types) if types.contains(&item_type) => item_type,
            (None, [only]) => *only,
            (None, [_, ..]) => {
                let types = types.iter().map(|item_type| item_type.as_str()).collect();
                return Err(PullError::SeveralTypes { item_id, types }.into());
            }
            (Some(item_type), [_, ..]) => {
                let types = types.iter().map(|item_type| item_type.as_str()).collect();
                let registry = source.name().clone();
                return Err(Error::OtherType { item_id, item_type, types, registry });
            }
            (_, []) => return Err(self.sources.unknown(&item_id)),
        };
        let is_needed =
            self.options.wanted.is_empty() && self.lock.find(item_type, &item_id).is_some_and(|entry| entry.needed);
        Ok(Root { key: (item_type, item_id), requirement, is_needed })
    }

    /// Reads what the items of the lock need that were not asked for.
    fn kept(&self) -> Result<Vec<Kept>, Error> {
        let mut kept = Vec::new();
        for entry in self.lock.entries().iter().filter(|entry| self.root_of(&key_of(entry)).is_none()) {
            if let Some(release) = self.sources.locked(entry, self.lock)? {
                kept.push(Kept { key: key_of(entry), needs: release.deps });
            }
        }
        Ok(kept)
    }

    fn root_of(&self, key: &Key) -> Option<&Root> {
        self.roots.iter().find(|root| root.key == *key)
    }

    /// Chooses versions that go together.
    fn versions(&self) -> Result<BTreeMap<Key, PublishedVersion>, Error> {
        self.attempt(&Barred::new(), &mut 0)
    }

    /// Chooses without some versions. Where that leads nowhere, each item that has a part in it is tried in an older version.
    fn attempt(&self, barred: &Barred, choices: &mut usize) -> Result<BTreeMap<Key, PublishedVersion>, Error> {
        let (versions, Stuck { error, by }) = match self.settled(barred)? {
            (versions, None) => return Ok(versions),
            (versions, Some(stuck)) => (versions, stuck),
        };
        for key in by {
            let Some(version) = versions.get(&key).map(|chosen| chosen.release.version) else { continue };
            *choices += 1;
            if *choices > CHOICES {
                break;
            }
            let mut more = barred.clone();
            more.insert((key, version));
            match self.attempt(&more, choices) {
                // Another contradiction: that of the newest versions is the one to tell.
                Err(Error::NoVersion { .. } | Error::Downgrade { .. } | Error::Unsettled { .. }) => {}
                attempted => return attempted,
            }
        }
        Err(error)
    }

    /// Chooses in rounds, until nothing changes. Requirements that contradict each other count in the last round alone:
    /// before it, one of them may be that of a version that does not stay.
    fn settled(&self, barred: &Barred) -> Result<(BTreeMap<Key, PublishedVersion>, Option<Stuck>), Error> {
        let mut versions = BTreeMap::new();
        for _ in 0..ROUNDS {
            let (mut next, mut conflict) = (BTreeMap::new(), None);
            let reached = self.reached(&versions)?;
            let demands = self.demands(&versions, &reached);
            for key in reached {
                match self.choose(&key, demands.get(&key).map_or(&[], Vec::as_slice), barred)? {
                    Ok(version) => drop(next.insert(key, version)),
                    Err(stuck) => {
                        conflict.get_or_insert(stuck);
                        next.extend(versions.get_key_value(&key).map(|(key, version)| (key.clone(), version.clone())));
                    }
                }
            }
            if next == versions {
                return Ok((versions, conflict));
            }
            versions = next;
        }
        let item_id = self.roots.first().map(|root| root.key.1.clone());
        Err(item_id.map_or(Error::NoRegistry, |item_id| Error::Unsettled { item_id }))
    }

    /// Lists the requested items and all that they need, as far as versions were chosen; needed items come first.
    fn reached(&self, versions: &BTreeMap<Key, PublishedVersion>) -> Result<Vec<Key>, Error> {
        let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
        let mut open: Vec<(Key, bool)> = self.roots.iter().rev().map(|root| (root.key.clone(), false)).collect();
        while let Some((key, is_left)) = open.pop() {
            if is_left {
                order.push(key);
                continue;
            }
            if !seen.insert(key.clone()) {
                continue;
            }
            if seen.len() > MOST {
                return Err(Error::TooMany { item_id: key.1, most: MOST });
            }
            open.push((key.clone(), true));
            let needs = versions.get(&key).map_or(&[][..], |version| &version.release.deps);
            open.extend(needs.iter().rev().map(|need| ((need.item_type, need.id.clone()), false)));
        }
        Ok(order)
    }

    /// Collects the requirements of each item.
    fn demands(&self, versions: &BTreeMap<Key, PublishedVersion>, reached: &[Key]) -> BTreeMap<Key, Vec<Demand>> {
        let mut demands: BTreeMap<Key, Vec<Demand>> = BTreeMap::new();
        for Root { key, requirement, .. } in &self.roots {
            demands.entry(key.clone()).or_default().push(Demand { requirement: *requirement, by: None });
        }
        let kept = self.kept.iter().filter(|kept| !reached.contains(&kept.key)).map(|kept| (&kept.key, &kept.needs));
        let chosen = versions.iter().filter(|(key, _)| reached.contains(key));
        for (by, needs) in kept.chain(chosen.map(|(key, version)| (key, &version.release.deps))) {
            for Need { id, item_type, version } in needs {
                let demand = Demand { requirement: version.0, by: Some(by.clone()) };
                demands.entry((*item_type, id.clone())).or_default().push(demand);
            }
        }
        demands
    }

    /// Chooses a version; the inner error is one of requirements that contradict each other or the lock.
    fn choose(&self, key: &Key, demands: &[Demand], barred: &Barred) -> Result<Result<PublishedVersion, Stuck>, Error> {
        let (item_type, item_id) = key;
        let registry = self.registry_of(item_id)?;
        let source = self.sources.open(&registry)?;
        let state = source.item(item_id)?;
        let published = state.published(*item_type, item_id);
        let published = published.ok_or_else(|| self.sources.unknown(item_id))?;
        let is_barred = |version: Version| barred.contains(&(key.clone(), version));
        let allows =
            |version: Version| demands.iter().all(|demand| demand.requirement.allows(version)) && !is_barred(version);
        let locked = self.lock.find(*item_type, item_id).map(|entry| entry.version);
        let kept = locked.filter(|version| allows(*version)).and_then(|version| published.versions.get(&version));
        if let Some(needed) = kept.filter(|kept| !kept.release.is_for_this_program()) {
            return Ok(Err(Stuck { error: newer_program(registry, needed), by: Vec::new() }));
        }
        if self.options.mode.is_locked {
            let against =
                demands.iter().find(|demand| locked.is_none_or(|version| !demand.requirement.allows(version)));
            let requirement = against.map_or(Requirement::ANY, |demand| demand.requirement);
            let error = || Error::NotLocked { item_id: item_id.clone(), requirement };
            return Ok(kept.cloned().ok_or_else(|| Stuck { error: error(), by: Vec::new() }));
        }
        let mut fitting = published.versions.values().rev().filter(|one| !one.is_yanked && allows(one.release.version));
        let newer = fitting.clone().next().filter(|one| !one.release.is_for_this_program());
        let newest = fitting.find(|one| one.release.is_for_this_program());
        let version = match (newest, kept) {
            // Cargo's rule: a locked version stays, as long as it matches and was not requested.
            (_, Some(kept)) if self.root_of(key).is_none() => kept,
            // A version of the lock that was yanked stays until there is a newer one.
            (newest, Some(kept)) => {
                newest.filter(|newest| newest.release.version > kept.release.version).unwrap_or(kept)
            }
            (Some(newest), None) => newest,
            (None, None) => {
                if let Some(needed) = newer {
                    return Ok(Err(Stuck { error: newer_program(registry, needed), by: Vec::new() }));
                }
                let by = demands.iter().filter_map(|demand| demand.by.clone()).collect();
                return Ok(Err(Stuck { error: no_version(registry, key, published, demands), by }));
            }
        };
        if let Some(from) = locked.filter(|from| version.release.version < *from)
            && !demands.iter().any(|demand| demand.by.is_none() && !demand.requirement.allows(from))
        {
            // Whether something becomes older is for the person to say.
            let error = downgrade(key, from, version.release.version, demands);
            return Ok(Err(Stuck { error, by: Vec::new() }));
        }
        Ok(Ok(version.clone()))
    }

    /// Returns the registry of an item. The packages that need an item do not affect it.
    fn registry_of(&self, item_id: &ItemId) -> Result<Segment, Error> {
        if let Some(known) = self.registries.borrow().get(item_id) {
            return Ok(known.clone());
        }
        let registry = self.sources.of_item(item_id, None, self.lock)?;
        self.registries.borrow_mut().insert(item_id.clone(), registry.clone());
        Ok(registry)
    }

    fn chosen(&self, key: &Key, version: &PublishedVersion) -> Option<Result<Chosen, Error>> {
        let made = || {
            let registry = self.registry_of(&key.1)?;
            let source = self.sources.open(&registry)?;
            let state = source.item(&key.1)?;
            let published = state.published(key.0, &key.1);
            let deprecated = published.and_then(|published| published.deprecated.clone());
            let is_needed = self.root_of(key).is_none_or(|root| root.is_needed);
            Ok(Chosen { registry, version: version.clone(), deprecated, is_needed })
        };
        Some(made())
    }
}

fn key_of(entry: &LockEntry) -> Key {
    (entry.item_type, entry.id.clone())
}

fn no_version(registry: Segment, (item_type, item_id): &Key, published: &Published, demands: &[Demand]) -> Error {
    let is_allowed = |version: Version| demands.iter().all(|demand| demand.requirement.allows(version));
    let yanked = published.versions.values().filter(|one| one.is_yanked && is_allowed(one.release.version));
    let mut requirements: Vec<String> = demands.iter().map(shown).collect();
    requirements.dedup();
    let (item_type, item_id) = (*item_type, item_id.clone());
    Error::NoVersion { item_type, item_id, registry, requirements, yanked: yanked.count() }
}

fn newer_program(registry: Segment, version: &PublishedVersion) -> Error {
    let Release { item_type, id, version, requires_rye, .. } = version.release.clone();
    let needed = requires_rye.unwrap_or(version);
    Error::NewerProgram { item_type, item_id: id, version, registry, needed }
}

fn downgrade((item_type, item_id): &Key, from: Version, to: Version, demands: &[Demand]) -> Error {
    let against = demands.iter().filter(|demand| !demand.requirement.allows(from)).map(shown).collect();
    Error::Downgrade { item_type: *item_type, item_id: item_id.clone(), from, to, requirements: against }
}

/// A requirement with who has it, in backticks.
fn shown(demand: &Demand) -> String {
    match &demand.by {
        None => format!("`{}`", demand.requirement),
        Some((item_type, item_id)) => format!("`{}` of {item_type} `{item_id}`", demand.requirement),
    }
}
