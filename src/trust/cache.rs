//! Verdicts of earlier runs that still hold: a set of keyed digests.
//!
//! An entry is the BLAKE3 of everything a verdict depends on, keyed with a secret of this machine. That the entry is
//! there *is* the proof that the item was judged good before: whoever does not hold the secret cannot make one, a bit
//! that flips makes one that stands for nothing, and a set that is gone costs time. Only [`Verdict::Good`] is kept:
//! whatever is wrong is judged, and told, anew each time.
//!
//! [`Verdict::Good`]: super::Verdict::Good

use std::collections::BTreeSet;
use std::fmt;

use zeroize::Zeroizing;

use super::{Subject, TrustedKeys};
use crate::id::Space;

/// Changes whenever the meaning of an entry does, so that no program reads another's.
const FORMAT: &[u8] = b"rye-verdict-1";

/// The length of an entry, in bytes.
const LENGTH: usize = 32;

/// What only the person's own programs know.
pub struct CacheSecret(Zeroizing<[u8; LENGTH]>);

/// One item judged good under one set of trusted keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CacheEntry([u8; LENGTH]);

/// The entries of earlier runs, for one set of trusted keys.
#[derive(Debug)]
pub struct VerdictCache {
    keyed: blake3::Hasher,
    stored: Vec<u8>,
}

impl CacheSecret {
    /// Takes 32 random bytes.
    #[must_use]
    pub fn new(bytes: [u8; LENGTH]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Reads what [`CacheSecret::as_bytes`] gave; none if the length is another.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self::new)
    }

    /// Returns the bytes, for a file of mode 0600.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_slice()
    }
}

impl fmt::Debug for CacheSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CacheSecret")
    }
}

impl VerdictCache {
    /// Opens the entries of earlier runs. `stored` may be anything: what is no entry is never found.
    #[must_use]
    pub fn new(secret: &CacheSecret, keys: &TrustedKeys, stored: Vec<u8>) -> Self {
        let mut keyed = blake3::Hasher::new_keyed(&secret.0);
        keyed.update(FORMAT);
        keyed.update(keys.basis().as_bytes());
        Self { keyed, stored }
    }

    /// Computes the entry of an item. `beside` is what stands beside it: its countersignatures.
    #[must_use]
    pub fn entry(&self, subject: &Subject, space: Space, beside: &[u8], bytes: &[u8]) -> CacheEntry {
        let mut hasher = self.keyed.clone();
        let name =
            format!("{}\n{}\n{}\n{space}\n{}\n", subject.item_type, subject.item_id, subject.extension, beside.len());
        hasher.update(name.as_bytes()).update(beside).update(bytes);
        CacheEntry(*hasher.finalize().as_bytes())
    }

    /// Tells whether the item was judged good before.
    #[must_use]
    pub fn holds(&self, entry: CacheEntry) -> bool {
        self.entries().binary_search(&entry.0).is_ok()
    }

    /// Returns what to store after a run that found `good`; none if that is what is stored. Entries nobody asked for are
    /// kept for the other revisions they may stand for, until they are the most of it.
    #[must_use]
    pub fn renewed(&self, good: &[CacheEntry]) -> Option<Vec<u8>> {
        if self.stored.len().is_multiple_of(LENGTH) && good.iter().all(|entry| self.holds(*entry)) {
            return None;
        }
        let mut kept: BTreeSet<[u8; LENGTH]> = good.iter().map(|entry| entry.0).collect();
        if self.entries().len() <= 4 * kept.len() + 1024 {
            kept.extend(self.entries());
        }
        Some(kept.into_iter().flatten().collect())
    }

    fn entries(&self) -> &[[u8; LENGTH]] {
        self.stored.as_chunks().0
    }
}
