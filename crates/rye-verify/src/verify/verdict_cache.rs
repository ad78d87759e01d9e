//! What earlier verifications found, so that an item that did not change is hashed instead of judged.

use super::judgement::{Judged, Judgement, Remembered};
use crate::id::Space;
use crate::keys::VerdictStore;
use crate::project::Project;
use crate::trust::{Subject, TrustedKeys, VerdictCache};

/// The verdicts of earlier runs in this project, under these keys.
pub(super) struct Cached {
    store: VerdictStore,
    verdicts: VerdictCache,
}

impl Cached {
    /// Opens them; none without a repository and the secret they are keyed with.
    pub(super) fn open(project: &Project, keys: &TrustedKeys) -> Option<Self> {
        let repository = project.repository()?;
        let store = VerdictStore::open(project.context(), repository.work_dir().unwrap_or(repository.git_dir()))?;
        let verdicts = VerdictCache::new(store.secret(), keys, store.read());
        Some(Self { store, verdicts })
    }

    /// Looks an item up.
    pub(super) fn remembered(&self, subject: &Subject, space: Space, beside: &[u8], bytes: &[u8]) -> Remembered {
        let entry = self.verdicts.entry(subject, space, beside, bytes);
        if self.verdicts.holds(entry) { Remembered::Good(entry) } else { Remembered::Not(entry) }
    }

    /// Stores good results. A failure only costs the next run its time.
    pub(super) fn keep(&self, judged: &[Judged<'_>]) {
        let (mut held, mut new) = (Vec::new(), Vec::new());
        for file in judged {
            match file.judgement {
                Judgement::Good(Some(Remembered::Good(entry))) => held.push(entry),
                Judgement::Good(Some(Remembered::Not(entry))) => new.push(entry),
                Judgement::Good(None)
                | Judgement::Bad(_)
                | Judgement::Taken
                | Judgement::Skill(_)
                | Judgement::Stray { .. } => {}
            }
        }
        if let Some(renewed) = self.verdicts.renewed(&held, &new) {
            let _only_slower = self.store.write(&renewed);
        }
    }
}
