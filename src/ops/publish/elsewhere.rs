//! Needed items that another registry has: that of their namespace. They are pulled from there, and not published again.

use std::collections::BTreeMap;

use super::destination::Destination;
use super::error::Error;
use super::options::Options;
use super::packaged::Packaged;
use crate::format::registry_files::KnownRegistries;
use crate::id::Segment;
use crate::ops::locate::Session;
use crate::registry::{self, Registry, Release, Snapshot, known};

/// Notes of each needed item whether the registry of its namespace is another one and has it, in this version and with these
/// bytes.
pub(super) fn marked(
    session: &Session,
    options: &Options,
    destination: &Destination,
    mut packages: Vec<Packaged>,
) -> Result<Vec<Packaged>, Error> {
    let list = known(session.context())?;
    let mut snapshots: BTreeMap<Segment, Snapshot> = BTreeMap::new();
    // The last one is what was asked for.
    let needed = packages.len().saturating_sub(1);
    for one in &mut packages[..needed] {
        let other = pinned(&list, &one.release).filter(|name| *name != destination.name());
        let Some(name) = other.cloned() else { continue };
        if !snapshots.contains_key(&name) {
            let transport = session.transport(options.terminal)?;
            let mut registry = Registry::open(session.context(), &transport, registry::find(&list, &name)?)?;
            snapshots.insert(name.clone(), registry.refresh()?);
        }
        let has_it = snapshots.get(&name).is_some_and(|snapshot| has(snapshot, &one.release));
        one.elsewhere = has_it.then_some(name);
    }
    Ok(packages)
}

/// Returns the registry that the namespace of an item comes from.
fn pinned<'k>(list: &'k KnownRegistries, release: &Release) -> Option<&'k Segment> {
    let namespace: Segment = release.id.namespace()?.parse().ok()?;
    list.namespaces.get(&namespace).filter(|name| list.find(name).is_some())
}

fn has(snapshot: &Snapshot, release: &Release) -> bool {
    let published = snapshot.log.state().published(release.item_type, &release.id);
    let version = published.and_then(|published| published.versions.get(&release.version));
    version.is_some_and(|there| there.release.blake3 == release.blake3)
}
