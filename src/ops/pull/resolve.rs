//! Which version of each item is taken: the newest that every requirement allows and that was not yanked. What is needed stays
//! in the version of the lock where that will do.

use std::collections::BTreeMap;

use super::error::Error;
use super::options::{Options, Wanted};
use super::sources::{Source, Sources, namespace_of};
use crate::format::registry_files::Lock;
use crate::id::{ItemId, ItemType, Requirement, Segment};
use crate::registry::{Published, PublishedVersion};

/// The most items that are pulled at once.
const MOST: usize = 512;

/// A version that was chosen.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    pub(super) registry: Segment,
    pub(super) version: PublishedVersion,
    pub(super) deprecated: Option<String>,
    /// Whether it was not asked for, but is needed.
    pub(super) is_needed: bool,
    requirements: Vec<Requirement>,
}

/// One step: an item and why.
struct Step {
    item_type: ItemType,
    item_id: ItemId,
    requirement: Requirement,
    registry: Segment,
    is_needed: bool,
}

/// Chooses a version of everything that is wanted or needed; needed items come first.
pub(super) fn resolve(sources: &Sources<'_>, options: &Options, lock: &Lock) -> Result<Vec<Chosen>, Error> {
    let mut open: Vec<Step> = Vec::new();
    for wanted in roots(options, lock) {
        open.push(root(sources, options, lock, &wanted)?);
    }
    let mut chosen: BTreeMap<(ItemType, ItemId), Chosen> = BTreeMap::new();
    let mut order: Vec<(ItemType, ItemId)> = Vec::new();
    while let Some(step) = open.pop() {
        let key = (step.item_type, step.item_id.clone());
        order.retain(|known| *known != key);
        order.push(key.clone());
        if order.len() > MOST {
            return Err(Error::TooMany { item_id: step.item_id, most: MOST });
        }
        let known = chosen.get(&key);
        if known.is_some_and(|known| known.requirements.contains(&step.requirement)) {
            continue;
        }
        let choice = choose(sources, options, lock, &step, known)?;
        for need in &choice.version.release.deps {
            let registry = sources.of_item(&need.id, None, lock)?;
            let (item_type, item_id, requirement) = (need.item_type, need.id.clone(), need.version.0);
            open.push(Step { item_type, item_id, requirement, registry, is_needed: true });
        }
        chosen.insert(key, choice);
    }
    order.reverse();
    Ok(order.iter().filter_map(|key| chosen.remove(key)).collect())
}

/// Returns what is wanted: what was named, or all of the lock.
fn roots(options: &Options, lock: &Lock) -> Vec<Wanted> {
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

fn root(sources: &Sources<'_>, options: &Options, lock: &Lock, wanted: &Wanted) -> Result<Step, Error> {
    let Wanted { item_id, requirement, .. } = wanted.clone();
    namespace_of(&item_id)?;
    let registry = sources.of_item(&item_id, options.registry.as_ref(), lock)?;
    let source = sources.open(&registry)?;
    let types = source.snapshot.log.state().types_of(&item_id);
    let item_type = match (wanted.item_type, types.as_slice()) {
        (Some(item_type), types) if types.contains(&item_type) => item_type,
        (None, [only]) => *only,
        (None, [_, ..]) => {
            let types = types.iter().map(|item_type| item_type.as_str()).collect();
            return Err(Error::SeveralTypes { item_id, types });
        }
        (Some(_), _) | (None, []) => return Err(sources.unknown(&item_id)),
    };
    let is_needed = options.wanted.is_empty() && lock.find(item_type, &item_id).is_some_and(|entry| entry.needed);
    Ok(Step { item_type, item_id, requirement, registry, is_needed })
}

fn choose(
    sources: &Sources<'_>,
    options: &Options,
    lock: &Lock,
    step: &Step,
    known: Option<&Chosen>,
) -> Result<Chosen, Error> {
    let mut requirements = known.map(|known| known.requirements.clone()).unwrap_or_default();
    requirements.push(step.requirement);
    let source = sources.open(&step.registry)?;
    let published = source.snapshot.log.state().published(step.item_type, &step.item_id);
    let published = published.ok_or_else(|| sources.unknown(&step.item_id))?;
    let locked = lock.find(step.item_type, &step.item_id).map(|entry| entry.version);
    if options.mode.is_locked {
        let version = locked.filter(|version| requirements.iter().all(|wanted| wanted.allows(*version)));
        let version = version.and_then(|version| published.versions.get(&version));
        let not_locked = || Error::NotLocked { item_id: step.item_id.clone(), requirement: step.requirement };
        return Ok(chosen(step, published, version.ok_or_else(not_locked)?, requirements, known));
    }
    // Cargo's rule: what is locked stays, as long as it will do and was not asked for.
    let kept = locked.filter(|_| step.is_needed).and_then(|version| published.versions.get(&version));
    let kept = kept.filter(|version| is_allowed(version, &requirements));
    let newest =
        || published.versions.values().rev().find(|version| !version.is_yanked && is_allowed(version, &requirements));
    let version = kept.or_else(newest).ok_or_else(|| no_version(&source, step, published, &requirements))?;
    Ok(chosen(step, published, version, requirements, known))
}

fn chosen(
    step: &Step,
    published: &Published,
    version: &PublishedVersion,
    requirements: Vec<Requirement>,
    known: Option<&Chosen>,
) -> Chosen {
    Chosen {
        registry: step.registry.clone(),
        version: version.clone(),
        deprecated: published.deprecated.clone(),
        is_needed: step.is_needed && known.is_none_or(|known| known.is_needed),
        requirements,
    }
}

fn is_allowed(version: &PublishedVersion, requirements: &[Requirement]) -> bool {
    requirements.iter().all(|wanted| wanted.allows(version.release.version))
}

fn no_version(source: &Source<'_>, step: &Step, published: &Published, requirements: &[Requirement]) -> Error {
    let yanked = published.versions.values().filter(|version| version.is_yanked && is_allowed(version, requirements));
    let mut shown: Vec<String> = requirements.iter().map(|requirement| format!("`{requirement}`")).collect();
    shown.dedup();
    Error::NoVersion {
        item_type: step.item_type,
        item_id: step.item_id.clone(),
        registry: source.registry.name().clone(),
        requirements: shown,
        yanked: yanked.count(),
    }
}
