//! Needed items that another registry has: that of their namespace. They are pulled from there, and not published again.

use std::collections::BTreeMap;

use super::destination::Destination;
use super::error::Error;
use super::options::Options;
use super::parcel::Packaged;
use crate::format::registry_files::KnownRegistries;
use crate::id::Segment;
use crate::registry::{self, Release, Sparse, known};
use crate::session::Session;

/// Notes of each needed item whether the registry of its namespace is another one and has it, in this version and with these
/// bytes.
pub(super) fn marked(
    session: &Session,
    options: &Options,
    destination: &Destination,
    mut packages: Vec<Packaged>,
) -> Result<Vec<Packaged>, Error> {
    let list = known(session.context())?;
    let mut opened: BTreeMap<Segment, Sparse<'_>> = BTreeMap::new();
    // The last one is the requested one.
    let needed = packages.len().saturating_sub(1);
    for one in &mut packages[..needed] {
        let other = pinned(&list, &one.release).filter(|name| *name != destination.name());
        let Some(name) = other.cloned() else { continue };
        if !opened.contains_key(&name) {
            let transport = || -> Result<_, Error> { Ok(session.transport(options.terminal)?) };
            let registry = Sparse::fetch(session.context(), registry::find(&list, &name)?, transport)?;
            opened.insert(name.clone(), registry);
        }
        if let Some(registry) = opened.get(&name)
            && has(registry, &one.release)?
        {
            one.elsewhere = Some(name);
        }
    }
    Ok(packages)
}

/// Returns the registry that the namespace of an item comes from.
fn pinned<'k>(list: &'k KnownRegistries, release: &Release) -> Option<&'k Segment> {
    let namespace: Segment = release.id.namespace()?.parse().ok()?;
    list.namespaces.get(&namespace).filter(|name| list.find(name).is_some())
}

fn has(registry: &Sparse<'_>, release: &Release) -> Result<bool, Error> {
    let state = registry.item(&release.id)?;
    let published = state.published(release.item_type, &release.id);
    let version = published.and_then(|published| published.versions.get(&release.version));
    Ok(version.is_some_and(|there| there.release.blake3 == release.blake3))
}
