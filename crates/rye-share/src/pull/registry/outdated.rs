//! `outdated` for items of registries: the versions of the lock, compared with the published ones.

use serde::Serialize;

use super::super::lock;
use super::super::place::item_file;
use super::error::Error;
use super::options::{Mode, Options};
use super::sources::Sources;
use crate::format::registry_files::LockEntry;
use crate::git::Terminal;
use crate::id::{ItemId, ItemType, Segment, Space, Version};
use crate::project::Project;
use crate::registry::PublishedVersion;
use crate::session::Session;
use crate::trust::ContentHash;

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

/// Compares the items of a lock with the registries that they came from.
pub fn outdated_items(
    session: &Session,
    space: Space,
    is_offline: bool,
    terminal: Terminal,
) -> Result<Vec<OutdatedItem>, Error> {
    let project = session.project();
    let lock = lock::read(project, space)?;
    if lock.entries().is_empty() {
        return Ok(Vec::new());
    }
    let mode = Mode { is_locked: false, is_offline };
    let options = Options { wanted: Vec::new(), space, registry: None, to: None, force: false, mode, terminal };
    let sources = Sources::new(session, &options)?;
    let items = lock.entries().iter().map(|entry| outdated_item(project, space, &sources, entry));
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
    let file = item_file(project, space, entry.item_type, &entry.id)?;
    Ok(OutdatedItem {
        status,
        item_type: entry.item_type,
        item_id: entry.id.clone(),
        version: entry.version,
        newest,
        registry,
        deprecated: published.and_then(|known| known.deprecated.clone()),
        is_changed: file.is_none_or(|(_, bytes)| ContentHash::of(&bytes) != entry.sha256),
    })
}
