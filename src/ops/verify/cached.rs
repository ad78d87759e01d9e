//! What earlier verifications found, so that an item that did not change is hashed instead of judged.

use super::super::locate::Locator;
use super::judge::{Judged, Judgement};
use crate::id::Space;
use crate::keys::VerdictStore;
use crate::trust::{CacheEntry, Subject, TrustedKeys, VerdictCache};

/// The verdicts of earlier runs in this project, under these keys.
pub(super) struct Cached {
    store: VerdictStore,
    verdicts: VerdictCache,
}

impl Cached {
    /// Opens them; none without a repository and the secret they are keyed with.
    pub(super) fn open(locator: &Locator<'_>, keys: &TrustedKeys) -> Option<Self> {
        let repository = locator.repository()?;
        let store = VerdictStore::open(locator.context(), repository.work_dir().unwrap_or(repository.git_dir()))?;
        let verdicts = VerdictCache::new(store.secret(), keys, store.read());
        Some(Self { store, verdicts })
    }

    pub(super) fn entry(&self, subject: &Subject, space: Space, beside: &[u8], bytes: &[u8]) -> CacheEntry {
        self.verdicts.entry(subject, space, beside, bytes)
    }

    pub(super) fn holds(&self, entry: CacheEntry) -> bool {
        self.verdicts.holds(entry)
    }

    /// Stores what was found good. A failure only costs the next run its time.
    pub(super) fn keep(&self, judged: &[Judged]) {
        let good = |file: &Judged| match file.judgement {
            Judgement::Good { entry } => entry,
            Judgement::Bad(_) | Judgement::Stray { .. } => None,
        };
        let good: Vec<CacheEntry> = judged.iter().filter_map(good).collect();
        if let Some(renewed) = self.verdicts.renewed(&good) {
            let _only_slower = self.store.write(&renewed);
        }
    }
}
