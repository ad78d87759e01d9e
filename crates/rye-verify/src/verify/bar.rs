//! The former content of an item's place, and when it was signed or removed: no signature from before counts for other
//! content.

use std::fmt;

use crate::id::Timestamp;
use crate::trust::{ContentHash, Fault, LineState, Predecessor, SignatureLine, Signed, Subject, Unverified};

/// What a signature must not be older than.
pub(super) enum Bar {
    /// Something else that was signed.
    Signed { than: Predecessor, subject: Subject, hash: ContentHash, known: Timestamp },
    /// The removal of the item.
    Removed { by: Predecessor, removed: Timestamp },
}

impl Bar {
    /// Takes the content as it was signed; `None` if it was not.
    pub(super) fn signed(than: Predecessor, before: &Signed<Vec<u8>, Unverified>) -> Option<Self> {
        let split = before.split();
        match &split.line {
            LineState::Present(line) if split.covered() == line.hash => {
                let (subject, hash, known) = (before.subject().clone(), line.hash, line.timestamp);
                Some(Self::Signed { than, subject, hash, known })
            }
            _ => None,
        }
    }

    /// Returns when that was.
    pub(super) const fn moment(&self) -> Timestamp {
        match self {
            Self::Signed { known, .. } => *known,
            Self::Removed { removed, .. } => *removed,
        }
    }

    /// Tells why a signature of an item does not count; none if it does. Content that is still the same was not changed,
    /// whoever signed it when.
    pub(super) fn fault(&self, item: &Subject, line: &SignatureLine) -> Option<Fault> {
        let claimed = line.timestamp;
        match self {
            Self::Signed { than, subject, hash, known } => (claimed < *known
                && (line.hash != *hash || item != subject))
                .then_some(Fault::RolledBack { than: *than, known: *known, claimed }),
            Self::Removed { by, removed } => {
                (claimed <= *removed).then_some(Fault::BroughtBack { by: *by, removed: *removed, claimed })
            }
        }
    }
}

impl fmt::Display for Bar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signed { than, known, .. } => {
                write!(f, "the other content that {than} has in its place (signed at {known})")
            }
            Self::Removed { by, removed } => write!(f, "{by} removed it (at {removed})"),
        }
    }
}
