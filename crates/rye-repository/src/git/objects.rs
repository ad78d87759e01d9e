//! Looking objects up while git packs them.
//!
//! `git gc` writes a pack and then removes what the pack holds from elsewhere. A lookup that passes the packs before and
//! the rest after finds an object nowhere, and gix remembers folders by times that two changes may share. So a missing
//! object is looked up once more in a store opened for it, and again as long as the packs change meanwhile.

use std::os::unix::fs::MetadataExt as _;

use gix::objs::{Data, Exists, Find, Kind};

use super::Repository;

/// How often is looked while packs come and go.
const ATTEMPTS: usize = 8;

/// A repository's objects.
pub(super) struct Objects<'repo>(pub(super) &'repo Repository);

impl Find for Objects<'_> {
    fn try_find<'a>(&self, id: &gix::oid, buffer: &'a mut Vec<u8>) -> Result<Option<Data<'a>>, gix::Error> {
        let kind = |found: Option<Data<'_>>| found.map(|data| data.kind);
        let mut found = self.0.inner.objects.try_find(id, buffer).map(kind);
        for _ in 0..ATTEMPTS {
            if matches!(found, Ok(Some(_))) {
                break;
            }
            let before = self.packs();
            found = self.anew()?.try_find(id, buffer).map(kind);
            if before == self.packs() {
                break;
            }
        }
        let of_kind = |kind: Kind| Data { kind, object_hash: id.kind(), data: buffer };
        found.map(|found| found.map(of_kind))
    }
}

impl Exists for Objects<'_> {
    fn exists(&self, id: &gix::oid) -> bool {
        let mut exists = self.0.inner.objects.exists(id);
        for _ in 0..ATTEMPTS {
            let before = self.packs();
            exists = exists || self.anew().is_ok_and(|objects| objects.exists(id));
            if exists || before == self.packs() {
                break;
            }
        }
        exists
    }
}

impl Objects<'_> {
    fn anew(&self) -> Result<gix::odb::Handle, gix::Error> {
        let store = self.0.inner.objects.store_ref();
        gix::odb::at(store.path(), self.0.inner.object_hash()).map_err(gix::Error::from_error)
    }

    /// Tells one state of the folder of packs from another, as far as its time does.
    fn packs(&self) -> Option<(i64, i64)> {
        let about = self.0.inner.objects.store_ref().path().join("pack").metadata().ok()?;
        Some((about.mtime(), about.mtime_nsec()))
    }
}
