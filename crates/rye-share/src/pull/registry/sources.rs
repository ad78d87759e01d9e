//! The registries that items are taken from, each fetched once, of which only the requested parts are read; and the
//! source of each namespace.
//!
//! A namespace stays with the registry that it first came from: another one that has it, too, could bring anything under a
//! name that is trusted.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::error::Error;
use super::options::Options;
use crate::format::registry_files::{KnownRegistries, Lock, LockEntry};
use crate::git::Terminal;
use crate::id::{ItemId, Segment, nearest};
use crate::registry::{self, Release, Sparse, Transport, known};
use crate::session::Session;
use crate::trust::PublicKey;

/// The identity of a registry, independent of its local name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// Its own name.
    pub(super) name: Segment,
    /// The fingerprint of the key that made it.
    pub(super) key: Option<String>,
}

impl Origin {
    pub(super) fn of(source: &Sparse<'_>) -> Self {
        Self { name: source.config().name.clone(), key: source.maker().map(PublicKey::fingerprint) }
    }
}

/// The registries that a person uses.
pub(super) struct Sources<'c> {
    session: &'c Session,
    terminal: Terminal,
    list: KnownRegistries,
    is_offline: bool,
    opened: RefCell<BTreeMap<Segment, Rc<Sparse<'c>>>>,
    cached: RefCell<BTreeMap<Segment, Option<Rc<Sparse<'c>>>>>,
}

impl<'c> Sources<'c> {
    pub(super) fn new(session: &'c Session, options: &Options) -> Result<Self, Error> {
        let list = known(session.context())?;
        if list.registries.is_empty() {
            return Err(Error::NoRegistry);
        }
        Ok(Self {
            session,
            terminal: options.terminal,
            list,
            is_offline: options.mode.is_offline,
            opened: RefCell::default(),
            cached: RefCell::default(),
        })
    }

    /// Finds git, where a registry needs it.
    fn transport(&self) -> Result<Transport, Error> {
        Ok(self.session.transport(self.terminal)?)
    }

    /// Opens a registry by its name.
    pub(super) fn open(&self, name: &Segment) -> Result<Rc<Sparse<'c>>, Error> {
        if let Some(source) = self.opened.borrow().get(name) {
            return Ok(Rc::clone(source));
        }
        let (ctx, known) = (self.session.context(), registry::find(&self.list, name)?);
        let source = match self.is_offline {
            true => Sparse::cached(ctx, known, || self.transport())?,
            false => Sparse::fetch_in_time(ctx, known, || self.transport())?,
        };
        let source = Rc::new(source);
        self.opened.borrow_mut().insert(name.clone(), Rc::clone(&source));
        Ok(source)
    }

    /// Returns what the registry says of a version in the lock; none where it has another one, which whoever pulls that item
    /// is told. A version never changes, so a fetched copy is enough.
    pub(super) fn locked(&self, entry: &LockEntry, lock: &Lock) -> Result<Option<Release>, Error> {
        let name = self.of_item(&entry.id, None, lock)?;
        // Its faults are reported when it is fetched.
        match self.cached(&name)?.map(|source| locked(&source, entry)) {
            Some(Ok(Some(release))) => Ok(Some(release)),
            _ => locked(&*self.open(&name)?, entry),
        }
    }

    /// Returns a registry as it was last fetched, without keeping it from others; none if it cannot be had so.
    fn cached(&self, name: &Segment) -> Result<Option<Rc<Sparse<'c>>>, Error> {
        if self.opened.borrow().contains_key(name) {
            return Ok(None);
        }
        if let Some(cached) = self.cached.borrow().get(name) {
            return Ok(cached.clone());
        }
        let known = registry::find(&self.list, name)?;
        let cached = Sparse::cached(self.session.context(), known, || self.transport());
        let cached = cached.ok().map(|source| Rc::new(source.unlocked()));
        self.cached.borrow_mut().insert(name.clone(), cached.clone());
        Ok(cached)
    }

    /// Finds the registry of an item: the one that was named, that of the lock, that of its namespace, or the only one that has
    /// the namespace. The packages that need an item do not decide: they may be a stranger's.
    pub(super) fn of_item(&self, item_id: &ItemId, named: Option<&Segment>, lock: &Lock) -> Result<Segment, Error> {
        let namespace = namespace_of(item_id)?;
        let is_of = |id: &ItemId| id.namespace() == Some(namespace.as_str());
        let locked =
            lock.entries().iter().find(|entry| is_of(&entry.id)).map(|entry| self.of_entry(entry)).transpose()?;
        let own = self.list.namespaces.get(&namespace);
        // A project's lock must not lead a namespace of the person's elsewhere.
        if let (Some(own), Some(locked)) = (own, &locked)
            && own != locked
        {
            return Err(Error::Pinned { namespace, pinned: own.clone(), registry: locked.clone() });
        }
        let pinned = own.or(locked.as_ref());
        match (pinned, named) {
            (Some(pinned), Some(other)) if pinned != other => {
                Err(Error::Pinned { namespace, pinned: pinned.clone(), registry: other.clone() })
            }
            (Some(pinned), _) => Ok(pinned.clone()),
            (None, Some(other)) => Ok(other.clone()),
            (None, None) => self.only_with(item_id, namespace),
        }
    }

    /// Finds the registry of an entry of the lock among those that the person uses: by its own name and first key,
    /// because local names differ.
    pub(super) fn of_entry(&self, entry: &LockEntry) -> Result<Segment, Error> {
        let LockEntry { id, registry, registry_key, .. } = entry;
        let Some(key) = registry_key else { return Ok(registry.clone()) };
        let wanted = Origin { name: registry.clone(), key: Some(key.clone()) };
        let (mut found, mut failed) = (Vec::new(), None);
        for known in &self.list.registries {
            match self.origin(&known.name) {
                Ok(origin) if origin == wanted => found.push(known.name.clone()),
                Ok(_) => {}
                // One that cannot be reached must not keep the others from being found.
                Err(error) => drop(failed.get_or_insert(error)),
            }
        }
        let own = namespace_of(id).ok().and_then(|namespace| self.list.namespaces.get(&namespace));
        match (found.as_slice(), failed) {
            ([only], _) => Ok(only.clone()),
            ([], Some(error)) => Err(error),
            ([], None) => {
                let (item_id, registry, key) = (id.clone(), registry.clone(), key.clone());
                Err(Error::OtherRegistry { item_id, registry, key })
            }
            // Two names for one registry.
            ([first, ..], _) => Ok(own.filter(|own| found.contains(own)).unwrap_or(first).clone()),
        }
    }

    /// Returns what a registry calls itself, and its first key; a fetched copy is enough.
    fn origin(&self, name: &Segment) -> Result<Origin, Error> {
        if let Some(source) = self.cached(name)? {
            return Ok(Origin::of(&source));
        }
        Ok(Origin::of(&*self.open(name)?))
    }

    fn only_with(&self, item_id: &ItemId, namespace: Segment) -> Result<Segment, Error> {
        let mut found = Vec::new();
        for known in &self.list.registries {
            if !self.open(&known.name)?.namespace(&namespace)?.owners(namespace.as_str()).is_empty() {
                found.push(known.name.clone());
            }
        }
        match found.as_slice() {
            [only] => Ok(only.clone()),
            [] => Err(self.unknown(item_id)),
            several => {
                let registries = several.iter().map(|name| format!("`{name}`")).collect();
                Err(Error::SeveralRegistries { namespace, registries, item_id: item_id.clone() })
            }
        }
    }

    /// Says where an item was looked for.
    pub(super) fn unknown(&self, item_id: &ItemId) -> Error {
        let opened = self.opened.borrow();
        let ids: Vec<ItemId> = opened.values().flat_map(|source| source.probable_ids()).collect();
        let nearest = nearest(item_id.as_str(), ids.iter().map(ItemId::as_str)).map(str::to_owned);
        let registries = opened.keys().map(|name| format!("`{name}`")).collect();
        Error::Unknown { item_id: item_id.clone(), registries, nearest }
    }
}

fn locked(source: &Sparse<'_>, entry: &LockEntry) -> Result<Option<Release>, Error> {
    let state = source.item(&entry.id)?;
    let published = state.published(entry.item_type, &entry.id);
    let version = published.and_then(|published| published.versions.get(&entry.version));
    Ok(version.filter(|version| version.release.sha256 == entry.sha256).map(|version| version.release.clone()))
}

/// Returns the namespace of an id.
pub(super) fn namespace_of(item_id: &ItemId) -> Result<Segment, Error> {
    let namespace = item_id.namespace().and_then(|namespace| namespace.parse().ok());
    namespace.ok_or_else(|| Error::NoNamespace { item_id: item_id.clone() })
}
