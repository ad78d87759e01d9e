//! Verdicts of earlier runs that still hold: a set of keyed digests.
//!
//! An entry is the HMAC-SHA-256 of everything a verdict depends on, keyed with a secret of this machine. An entry *is*
//! the proof that the item was judged good before: without the secret it cannot be made, a flipped bit makes an entry
//! without a meaning, and a lost set costs time. Only [`Verdict::Good`] is kept: any other verdict is judged, and
//! reported, anew each time.
//!
//! Items are a few kilobytes: too short for what makes BLAKE3 fast, so SHA-256, which processors have an instruction for,
//! takes half its time.
//!
//! [`Verdict::Good`]: crate::trust::Verdict::Good

use std::fmt;

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::id::Space;
use crate::trust::{Subject, TrustedKeys};

/// Changes whenever the meaning of an entry does, so that no program reads another's.
const FORMAT: &[u8] = b"rye-verdict-2";

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
    keyed: Hmac<Sha256>,
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

    /// Computes the keyed digest of a text that only the person's own programs can have written, in hexadecimal. `purpose` names what
    /// the text is.
    #[must_use]
    pub fn seal(&self, purpose: &str, text: &str) -> String {
        let mut keyed = Hmac::<Sha256>::new_from_slice(self.0.as_slice()).expect("because a key may have any length");
        for part in [purpose, "\n", text] {
            keyed.update(part.as_bytes());
        }
        keyed.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for CacheSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CacheSecret")
    }
}

impl VerdictCache {
    /// Opens the entries of earlier runs. `stored` may be anything: an invalid entry is never found.
    #[must_use]
    pub fn new(secret: &CacheSecret, keys: &TrustedKeys, stored: Vec<u8>) -> Self {
        let mut keyed = Hmac::new_from_slice(secret.0.as_slice()).expect("because a key may have any length");
        keyed.update(FORMAT);
        keyed.update(keys.basis().as_bytes());
        Self { keyed, stored }
    }

    /// Computes the entry of an item. `beside` has its countersignatures.
    #[must_use]
    pub fn entry(&self, subject: &Subject, space: Space, beside: &[u8], bytes: &[u8]) -> CacheEntry {
        let mut keyed = self.keyed.clone();
        let Subject { item_type, item_id, extension } = subject;
        let beside_length = beside.len().to_string();
        for line in [item_type.as_str(), item_id.as_str(), extension.as_str(), space.as_str(), &beside_length] {
            keyed.update(line.as_bytes());
            keyed.update(b"\n");
        }
        keyed.update(beside);
        keyed.update(bytes);
        CacheEntry(keyed.finalize().into_bytes().into())
    }

    /// Tells whether the item was judged good before.
    #[must_use]
    pub fn holds(&self, entry: CacheEntry) -> bool {
        // The first bytes of a digest are as good as all of them to find its place, and quicker to compare.
        let entries = self.entries();
        let place = entries.partition_point(|other| head(other) < head(&entry.0));
        entries[place..].iter().take_while(|other| head(other) == head(&entry.0)).any(|other| *other == entry.0)
    }

    /// Returns what to store after a run that found the items of `held`, which are entries already, and of `new` good;
    /// `None` if that is stored already. Unused entries are kept for the other revisions that they may belong to, until
    /// they are the most of it.
    #[must_use]
    pub fn renewed(&self, held: &[CacheEntry], new: &[CacheEntry]) -> Option<Vec<u8>> {
        if self.stored.len().is_multiple_of(LENGTH) && new.is_empty() {
            return None;
        }
        let are_few = self.entries().len() <= 4 * (held.len() + new.len()) + 1024;
        let asked = |entries: &[CacheEntry]| entries.iter().map(|entry| entry.0).collect();
        let mut kept: Vec<[u8; LENGTH]> = if are_few { self.entries().to_vec() } else { asked(held) };
        kept.extend(new.iter().map(|entry| entry.0));
        // The stored entries are sorted already, unless another program wrote them: a stable sort only merges the rest
        // in.
        kept.sort();
        kept.dedup();
        Some(kept.into_flattened())
    }

    fn entries(&self) -> &[[u8; LENGTH]] {
        self.stored.as_chunks().0
    }
}

fn head(entry: &[u8; LENGTH]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *entry;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::ItemType;

    fn cache(stored: Vec<u8>) -> VerdictCache {
        VerdictCache::new(&CacheSecret::new([7; LENGTH]), &TrustedKeys::default(), stored)
    }

    fn entry(id: &str) -> CacheEntry {
        let subject = Subject {
            item_type: ItemType::Knowledge,
            item_id: id.parse().expect("an id"),
            extension: "md".parse().expect("an extension"),
        };
        cache(Vec::new()).entry(&subject, Space::Project, b"", b"text")
    }

    #[test]
    fn an_entry_is_found_by_all_of_its_bytes() {
        let sought = entry("sought");
        for at in 0..LENGTH {
            let changed = |by: i8| {
                let mut other = sought.0;
                other[at] = other[at].wrapping_add_signed(by);
                other
            };
            let others = [changed(-1), changed(1)].concat();
            assert!(!cache(others).holds(sought), "byte {at}");
            let mut among = [changed(-1), sought.0, changed(1)];
            among.sort();
            assert!(cache(among.concat()).holds(sought), "byte {at}");
        }
        assert!(!cache(Vec::new()).holds(sought));
    }

    #[test]
    fn what_nobody_asked_for_is_dropped_when_it_is_the_most() {
        let (held, new) = (entry("held"), entry("new"));
        let stored = |others: usize| {
            let mut stored = vec![held.0];
            stored.extend((0..others).map(|number| {
                let mut other = [0; LENGTH];
                other[..8].copy_from_slice(&number.to_be_bytes());
                other
            }));
            stored.sort();
            stored.concat()
        };
        let kept = |others: usize| cache(stored(others)).renewed(&[held], &[new]);
        assert_eq!(kept(1000).map(|kept| kept.len()), Some(1002 * LENGTH));
        let mut few = [held.0, new.0];
        few.sort();
        assert_eq!(kept(2000), Some(few.concat()));
        assert_eq!(cache(stored(2000)).renewed(&[held], &[]), None);
    }
}
