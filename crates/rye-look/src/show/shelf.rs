//! What the registries of a person have of one item.

use std::rc::Rc;

use super::card::{Card, Place, VersionInfo};
use super::error::Error;
use super::options::Options;
use crate::id::{ItemId, ItemType, Requirement, nearest};
use crate::project::Project;
use crate::registry::{self, Published, PublishedVersion, Sparse, State, known};
use crate::session::Session;
use crate::trust::{Signed, Subject};

/// A registry, and what it has of the item.
struct Source<'c> {
    registry: Sparse<'c>,
    state: Rc<State>,
}

/// The registries that were looked at.
pub(super) struct Shelf<'c> {
    sources: Vec<Source<'c>>,
}

impl<'c> Shelf<'c> {
    /// Opens the registry that was named, the one that the namespace comes from, or all of them.
    pub(super) fn open(session: &'c Session, options: &Options, is_offline: bool) -> Result<Self, Error> {
        let (ctx, mut list) = (session.context(), known(session.context())?);
        let pinned = list.namespaces.iter().find(|(name, _)| Some(name.as_str()) == options.item_id.namespace());
        if let Some(name) = options.registry.clone().or_else(|| pinned.map(|(_, registry)| registry.clone())) {
            let only = registry::find(&list, &name)?.clone();
            list.registries = vec![only];
        }
        let mut sources = Vec::new();
        // Without a registry that git fetches, git need not be there.
        let transport = || -> Result<_, Error> { Ok(session.transport(options.terminal)?) };
        for known in &list.registries {
            let opened = match is_offline {
                true => Sparse::cached(ctx, known, transport),
                false => Sparse::fetch_in_time(ctx, known, transport),
            };
            let registry = match opened {
                Err(Error::Registry(registry::Error::NotFetched { .. } | registry::Error::NotKept { .. }))
                    if is_offline =>
                {
                    continue;
                }
                opened => opened?,
            };
            let state = registry.item(&options.item_id)?;
            sources.push(Source { registry, state });
        }
        Ok(Self { sources })
    }

    /// Lists the versions of an item, the newest of each registry first.
    pub(super) fn versions(&self, item_type: ItemType, item_id: &ItemId) -> Vec<VersionInfo> {
        let mut versions = Vec::new();
        for (registry, published) in self.published(item_type, item_id) {
            versions.extend(published.versions.iter().rev().map(|(version, known)| VersionInfo {
                version: *version,
                registry: registry.name().clone(),
                seq: known.seq,
                signer: known.key.fingerprint(),
                is_yanked: known.is_yanked,
                requires_rye: known.release.requires_rye,
            }));
        }
        versions
    }

    /// Returns why an item is no longer recommended.
    pub(super) fn deprecated(&self, item_type: ItemType, item_id: &ItemId) -> Option<String> {
        self.published(item_type, item_id).find_map(|(_, published)| published.deprecated.clone())
    }

    fn published(&self, item_type: ItemType, item_id: &ItemId) -> impl Iterator<Item = (&Sparse<'c>, &Published)> {
        let of = move |source: &'_ Source<'_>| source.state.published(item_type, item_id).is_some();
        self.sources
            .iter()
            .filter(move |source| of(source))
            .filter_map(move |source| Some((&source.registry, source.state.published(item_type, item_id)?)))
    }

    /// Reads the version that is meant, checked, and tells what there is to know of it.
    pub(super) fn card(&self, project: &Project, options: &Options) -> Result<Card, Error> {
        let item_id = &options.item_id;
        let Source { registry, state } = self.only_source(item_id)?;
        let types = state.types_of(item_id);
        let types: Vec<_> =
            types.into_iter().filter(|of| options.item_type.is_none_or(|wanted| wanted == *of)).collect();
        let item_type = match types.as_slice() {
            [only] => *only,
            [] => return Err(self.unknown(item_id)),
            _ => return Err(Error::SeveralTypes { item_id: item_id.clone(), types }),
        };
        let published = state.published(item_type, item_id).ok_or_else(|| self.unknown(item_id))?;
        let requirement = options.requirement.unwrap_or(Requirement::ANY);
        let version = chosen(published, requirement).ok_or_else(|| Error::NoVersion {
            item_type,
            item_id: item_id.clone(),
            registry: registry.name().clone(),
            requirement: requirement.to_string(),
        })?;
        let package = registry.package(version)?;
        let extension = version.release.extension.clone();
        let subject = Subject { item_type, item_id: item_id.clone(), extension };
        let place = Place::Registry { registry: registry.name().clone(), seq: version.seq };
        let card = Card::of(project, &Signed::new(subject, package.item().to_vec()), place);
        Ok(Card {
            needs: version.release.deps.iter().map(|need| (need.item_type, need.id.clone())).collect(),
            versions: self.versions(item_type, item_id),
            deprecated: published.deprecated.clone(),
            ..card
        })
    }

    /// Finds the one registry that has an id.
    fn only_source(&self, item_id: &ItemId) -> Result<&Source<'c>, Error> {
        let has = |source: &&Source<'c>| !source.state.types_of(item_id).is_empty();
        let with: Vec<_> = self.sources.iter().filter(has).collect();
        match with.as_slice() {
            [only] => Ok(only),
            [] => Err(self.unknown(item_id)),
            several => Err(Error::SeveralRegistries {
                item_id: item_id.clone(),
                registries: several.iter().map(|source| source.registry.name().clone()).collect(),
            }),
        }
    }

    fn unknown(&self, item_id: &ItemId) -> Error {
        let ids: Vec<ItemId> = self.sources.iter().flat_map(|source| source.registry.probable_ids()).collect();
        let nearest = nearest(item_id.as_str(), ids.iter().map(ItemId::as_str))
            .filter(|id| *id != item_id.as_str())
            .map(str::to_owned);
        let registries: Vec<String> =
            self.sources.iter().map(|source| format!("`{}`", source.registry.name())).collect();
        match registries.as_slice() {
            [] => Error::NotHere { item_id: item_id.clone() },
            _ => Error::Unknown { item_id: item_id.clone(), registries, nearest },
        }
    }
}

/// Chooses the newest matching version; a yanked one only if it is the only one.
fn chosen(published: &Published, requirement: Requirement) -> Option<&PublishedVersion> {
    let mut fitting = published.versions.iter().rev().filter(|(version, _)| requirement.allows(**version));
    let newest = fitting.clone().find(|(_, known)| !known.is_yanked).or_else(|| fitting.next());
    newest.map(|(_, known)| known)
}
