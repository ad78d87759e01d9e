//! `outdated`: what the lock says, compared with the registries and git repositories; and what an update is about.

use serde::Serialize;

use super::error::Error;
use super::lock;
use super::options::{Mode, Options, Wanted};
use super::skills::{self, OutdatedSkill};
use super::sources::Sources;
use crate::format::registry_files::LockEntry;
use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Requirement, Segment, Space, Version};
use crate::project::Project;
use crate::registry::PublishedVersion;
use crate::session::Session;
use crate::trust::ContentHash;
use crate::workspace::Candidate;

/// The newer versions.
#[derive(Debug, Clone, Serialize)]
pub struct Outdated {
    /// Every item of the lock that came from a registry, sorted.
    pub items: Vec<OutdatedItem>,
    /// Every skill of the lock that came from a git repository, sorted.
    pub skills: Vec<OutdatedSkill>,
}

/// One item of the lock.
#[derive(Debug, Clone, Serialize)]
pub struct OutdatedItem {
    /// Its state.
    pub status: Standing,
    /// The type.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The version of the lock.
    pub version: Version,
    /// The newest version that was not yanked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<Version>,
    /// The registry.
    pub registry: Segment,
    /// Why it is no longer recommended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Whether its file here is another one than the lock says.
    pub is_changed: bool,
}

/// The state of an item of the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// It is the newest.
    Current,
    /// There is a newer version.
    Outdated,
    /// Its version was yanked.
    Yanked,
    /// The registry does not have it.
    Gone,
}

/// Returns what an update is about: one item of the lock, or all that were asked for.
///
/// # Errors
///
/// Fails when the lock cannot be read, or does not have the item.
pub fn updatable(project: &Project, space: Space, only: Option<Wanted>) -> Result<Vec<Wanted>, Error> {
    let lock = lock::read(project, space)?;
    if let Some(wanted) = only {
        let is_it = |entry: &LockEntry| entry.id == wanted.item_id;
        let is_there = lock.entries().iter().any(is_it);
        return if is_there { Ok(vec![wanted]) } else { Err(Error::NotPulled { item_id: wanted.item_id }) };
    }
    let asked_for = lock.entries().iter().filter(|entry| !entry.needed);
    let wanted = asked_for.map(|entry| Wanted {
        item_id: entry.id.clone(),
        item_type: Some(entry.item_type),
        requirement: Requirement::ANY,
    });
    Ok(wanted.collect())
}

/// Compares a lock with the registries and the git repositories that its items came from.
///
/// # Errors
///
/// Fails when the lock, a registry or a git repository cannot be read.
pub fn outdated(
    session: &Session,
    space: Space,
    is_offline: bool,
    terminal: Terminal,
) -> Result<Outdated, skills::Error> {
    let items = outdated_items(session, space, is_offline, terminal)?;
    Ok(Outdated { items, skills: skills::outdated_skills(session, space, is_offline, terminal)? })
}

fn outdated_items(
    session: &Session,
    space: Space,
    is_offline: bool,
    terminal: Terminal,
) -> Result<Vec<OutdatedItem>, Error> {
    let lock = lock::read(session.project(), space)?;
    if lock.entries().is_empty() {
        return Ok(Vec::new());
    }
    let mode = Mode { is_locked: false, is_offline };
    let options = Options { wanted: Vec::new(), space, registry: None, to: None, force: false, mode, terminal };
    let sources = Sources::new(session, &options)?;
    let items = lock.entries().iter().map(|entry| outdated_item(session.project(), space, &sources, entry));
    items.collect()
}

fn outdated_item(
    project: &Project,
    space: Space,
    sources: &Sources<'_>,
    entry: &LockEntry,
) -> Result<OutdatedItem, Error> {
    let registry = sources.of_entry(entry)?;
    let source = sources.open(&registry)?;
    let state = source.item(&entry.id)?;
    let published = state.published(entry.item_type, &entry.id);
    let is_good = |one: &PublishedVersion| !one.is_yanked && one.release.is_for_this_program();
    let good = |version: &Version| published.is_some_and(|known| is_good(&known.versions[version]));
    let newest = published.and_then(|known| known.versions.keys().rev().find(|version| good(version)).copied());
    let own = published.and_then(|known| known.versions.get(&entry.version));
    let status = match own {
        None => Standing::Gone,
        Some(own) if own.is_yanked => Standing::Yanked,
        Some(_) if newest.is_some_and(|newest| newest > entry.version) => Standing::Outdated,
        Some(_) => Standing::Current,
    };
    Ok(OutdatedItem {
        status,
        item_type: entry.item_type,
        item_id: entry.id.clone(),
        version: entry.version,
        newest,
        registry,
        deprecated: published.and_then(|known| known.deprecated.clone()),
        is_changed: here(project, space, entry)?.is_none_or(|(_, bytes)| ContentHash::of(&bytes) != entry.sha256),
    })
}

/// Returns the file of an item of the lock.
pub(super) fn here(project: &Project, space: Space, entry: &LockEntry) -> Result<Option<(Candidate, Vec<u8>)>, Error> {
    let Some(candidate) = project.workspace().candidate_in(space, entry.item_type, &entry.id)? else { return Ok(None) };
    let bytes = project.workspace().read(&candidate)?;
    Ok(Some((candidate, bytes)))
}
