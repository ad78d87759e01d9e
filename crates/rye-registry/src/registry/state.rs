//! What a registry's log comes to: who owns which namespace, and which versions there are. Pure.
//!
//! Lines are applied in the order of the log, and each must be one that its signer could make at that point. Publishing
//! asks the same rules before a line is written.

use std::collections::BTreeMap;

use super::fault::Fault;
use super::line::{Entry, Line, Release, Target};
use crate::format::registry_files::{Claims, RegistryConfig};
use crate::id::{ItemId, ItemType, Segment, Timestamp, Version};
use crate::trust::{KeyId, PublicKey};

/// Namespaces that every registry reserves: those of the program, and words that are spaces.
pub const RESERVED: [&str; 5] = ["rye", "builtin", "system", "project", "user"];

/// A registry's state after some lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    config: RegistryConfig,
    size: u64,
    /// Whether lines about something else were left out.
    has_gaps: bool,
    maker: Option<PublicKey>,
    namespaces: BTreeMap<Segment, Vec<PublicKey>>,
    items: BTreeMap<ItemId, BTreeMap<ItemType, Published>>,
    /// The time of the last line, as its signer says.
    latest: Option<Timestamp>,
    /// Every name and folder of an id, by its form in lower case.
    spelled: BTreeMap<String, String>,
}

/// The published versions of one item.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Published {
    /// Its versions.
    pub versions: BTreeMap<Version, PublishedVersion>,
    /// Why it is no longer recommended; none if it is.
    pub deprecated: Option<String>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedVersion {
    /// The published item.
    pub release: Release,
    /// The line of the log.
    pub seq: u64,
    /// The key that published it.
    pub key: PublicKey,
    /// Whether it is no longer chosen.
    pub is_yanked: bool,
}

impl State {
    /// Begins with no line.
    #[must_use]
    pub const fn new(config: RegistryConfig) -> Self {
        Self {
            config,
            size: 0,
            has_gaps: false,
            maker: None,
            namespaces: BTreeMap::new(),
            items: BTreeMap::new(),
            latest: None,
            spelled: BTreeMap::new(),
        }
    }

    /// Begins with no line, for the lines about one namespace or item: lines about others are left out.
    #[must_use]
    pub const fn with_gaps(config: RegistryConfig) -> Self {
        let mut state = Self::new(config);
        state.has_gaps = true;
        state
    }

    /// Returns the number of lines, those that were left out counted.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Returns what the registry says of itself.
    #[must_use]
    pub const fn config(&self) -> &RegistryConfig {
        &self.config
    }

    /// Returns the time of the latest line, as its signer says; `None` without lines.
    #[must_use]
    pub const fn latest(&self) -> Option<Timestamp> {
        self.latest
    }

    /// Returns the key that made the registry.
    #[must_use]
    pub const fn maker(&self) -> Option<&PublicKey> {
        self.maker.as_ref()
    }

    /// Returns the owners of every namespace.
    #[must_use]
    pub const fn namespaces(&self) -> &BTreeMap<Segment, Vec<PublicKey>> {
        &self.namespaces
    }

    /// Returns the owners of a namespace; none if unclaimed.
    #[must_use]
    pub fn owners(&self, namespace: &str) -> &[PublicKey] {
        let found = self.namespaces.iter().find(|(name, _)| name.as_str() == namespace);
        found.map_or(&[], |(_, owners)| owners)
    }

    /// Returns every item.
    pub fn items(&self) -> impl Iterator<Item = (&ItemId, ItemType, &Published)> {
        self.items.iter().flat_map(|(id, types)| types.iter().map(move |(of, published)| (id, *of, published)))
    }

    /// Returns the published items of an id, by type.
    #[must_use]
    pub fn types_of(&self, id: &ItemId) -> Vec<ItemType> {
        self.items.get(id).map(|types| types.keys().copied().collect()).unwrap_or_default()
    }

    /// Returns the published versions of one item.
    #[must_use]
    pub fn published(&self, item_type: ItemType, id: &ItemId) -> Option<&Published> {
        self.items.get(id)?.get(&item_type)
    }

    /// Tells whether a key may sign checkpoints: the one that made the registry, and those that own a namespace.
    #[must_use]
    pub fn may_sign_checkpoint(&self, key_id: &KeyId) -> Option<&PublicKey> {
        let owners = self.namespaces.values().flatten();
        self.maker.iter().chain(owners).find(|key| key.key_id() == *key_id)
    }

    /// Applies the next line. Signatures of lines that were checked before need not be checked again.
    ///
    /// # Errors
    ///
    /// Fails when its signer could not make it here.
    pub fn apply(&mut self, line: &Line, is_signature_known: bool) -> Result<(), Fault> {
        let key = self.signer(line)?;
        if !is_signature_known && !line.is_by(&key) {
            return Err(Fault::LineSignature { seq: line.seq, key_id: line.key_id.clone() });
        }
        match &line.entry {
            Entry::Init { name, claims, .. } => {
                if line.seq != 0 || *name != self.config.name || *claims != self.config.claims {
                    return Err(senseless(
                        line,
                        "a registry begins once, with the name and the claims of its configuration",
                    ));
                }
                self.maker = Some(key);
            }
            Entry::Renew {} => {}
            Entry::Owners { namespace, owners } => {
                self.check_spelling(namespace.as_str())?;
                self.namespaces.insert(namespace.clone(), keys(line, owners)?);
            }
            Entry::Publish(release) => self.publish(line, release, key)?,
            Entry::Yank(target) => self.version(line, target)?.is_yanked = true,
            Entry::Unyank(target) => self.version(line, target)?.is_yanked = false,
            Entry::Deprecate { item_type, id, message } => {
                let published = self.items.get_mut(id).and_then(|types| types.get_mut(item_type));
                let published = published.ok_or_else(|| not_published(line, *item_type, id))?;
                published.deprecated = Some(message.clone()).filter(|message| !message.is_empty());
            }
        }
        self.size = line.seq + 1;
        self.latest = self.latest.max(Some(line.published_at));
        Ok(())
    }

    /// Finds the key that may have signed a line.
    fn signer(&self, line: &Line) -> Result<PublicKey, Fault> {
        if line.seq < self.size || (line.seq > self.size && !self.has_gaps) {
            return Err(Fault::MissingLine { seq: self.size });
        }
        let Some(namespace) = line.entry.namespace() else {
            return match &line.entry {
                Entry::Init { key, .. } => {
                    PublicKey::from_openssh(key).map_err(|_| senseless(line, "its key is malformed"))
                }
                Entry::Renew {} => self
                    .may_sign_checkpoint(&line.key_id)
                    .copied()
                    .ok_or_else(|| senseless(line, "its key owns no namespace")),
                Entry::Owners { .. }
                | Entry::Publish(_)
                | Entry::Yank(_)
                | Entry::Unyank(_)
                | Entry::Deprecate { .. } => Err(senseless(line, "its id has no namespace")),
            };
        };
        if self.maker.is_none() {
            return Err(senseless(line, "the first line must be that of the registry"));
        }
        if self.is_reserved(namespace) {
            return Err(Fault::Reserved { namespace: namespace.to_owned() });
        }
        let owners = match (self.owners(namespace), &line.entry) {
            ([], Entry::Owners { owners, .. }) => self.claimants(keys(line, owners)?),
            (owners, _) => owners.to_vec(),
        };
        owners.into_iter().find(|key| key.key_id() == line.key_id).ok_or_else(|| Fault::NotOwner {
            seq: line.seq,
            key_id: line.key_id.clone(),
            namespace: namespace.to_owned(),
        })
    }

    /// Returns the keys that may claim a namespace for these owners.
    fn claimants(&self, owners: Vec<PublicKey>) -> Vec<PublicKey> {
        match self.config.claims {
            Claims::Open => owners,
            Claims::Owners => self.maker.into_iter().collect(),
        }
    }

    /// Tells whether a key may publish in a namespace: it owns it, or may claim it.
    #[must_use]
    pub fn may_publish(&self, namespace: &str, key: &PublicKey) -> bool {
        match self.owners(namespace) {
            [] => !self.is_reserved(namespace) && self.claimants(vec![*key]).contains(key),
            owners => owners.contains(key),
        }
    }

    /// Tells whether a namespace cannot be claimed.
    #[must_use]
    pub fn is_reserved(&self, namespace: &str) -> bool {
        let is_same = |name: &str| name.eq_ignore_ascii_case(namespace);
        RESERVED.iter().any(|name| is_same(name)) || self.config.reserved.iter().any(|name| is_same(name.as_str()))
    }

    fn publish(&mut self, line: &Line, release: &Release, key: PublicKey) -> Result<(), Fault> {
        self.check_spelling(release.id.as_str())?;
        let published = self.items.entry(release.id.clone()).or_default().entry(release.item_type).or_default();
        if published.versions.contains_key(&release.version) {
            let Release { item_type, id, version, .. } = release.clone();
            return Err(Fault::Republished { item_type, id, version });
        }
        let version = PublishedVersion { release: release.clone(), seq: line.seq, key, is_yanked: false };
        published.versions.insert(release.version, version);
        Ok(())
    }

    fn version(&mut self, line: &Line, target: &Target) -> Result<&mut PublishedVersion, Fault> {
        let types = self.items.get_mut(&target.id);
        let published = types.and_then(|types| types.get_mut(&target.item_type));
        let version = published.and_then(|published| published.versions.get_mut(&target.version));
        version.ok_or_else(|| not_published(line, target.item_type, &target.id))
    }

    /// Refuses an id of which a part differs from another id's only in upper and lower case: some file systems take them for
    /// one.
    fn check_spelling(&mut self, id: &str) -> Result<(), Fault> {
        let ends = id.match_indices('/').map(|(at, _)| at).chain([id.len()]);
        for part in ends.map(|end| &id[..end]) {
            let known = self.spelled.entry(part.to_ascii_lowercase()).or_insert_with(|| part.to_owned());
            if known != part {
                return Err(Fault::Collision { name: part.to_owned(), other: known.clone() });
            }
        }
        Ok(())
    }
}

fn senseless(line: &Line, reason: &'static str) -> Fault {
    Fault::Senseless { seq: line.seq, reason }
}

fn not_published(line: &Line, item_type: ItemType, id: &ItemId) -> Fault {
    Fault::NotPublished { seq: line.seq, item_type, id: id.clone() }
}

fn keys(line: &Line, owners: &[String]) -> Result<Vec<PublicKey>, Fault> {
    let mut keys: Vec<PublicKey> = Vec::new();
    for owner in owners {
        let key = PublicKey::from_openssh(owner).ok().filter(|key| key.to_openssh() == *owner);
        let key = key.filter(|key| !keys.contains(key)).ok_or_else(|| senseless(line, "its owners are malformed"))?;
        keys.push(key);
    }
    Ok(keys)
}
