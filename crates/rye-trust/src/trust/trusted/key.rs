//! One decision of trust: a key, what it is trusted for, how far, and since when.

use crate::id::{Timestamp, glob};
use crate::trust::{Namespace, Place, PublicKey, Scope};

/// OpenPGP keys by which github.com signs what its web page commits, whoever asks for it.
const FORGES: [&str; 2] = ["5DE3E0509C47EA3CF04A42D34AEE18F83AFDEB23", "968479A1AFF927E37D1A566BB5690EEEBB952194"];

/// One trusted key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// Who holds it: the principals of the allowed_signers line, joined by `,`.
    pub principal: String,
    /// The uses it is trusted for, as patterns: one fits, and none with `!` does. Empty means every use.
    pub namespaces: Vec<String>,
    /// Signatures claiming an earlier time do not count.
    pub valid_after: Option<Timestamp>,
    /// Signatures claiming this time or a later one do not count.
    pub valid_before: Option<Timestamp>,
    /// How far the decision reaches.
    pub scope: Scope,
    /// Where the decision is written, for people: `PATH:LINE`, or `your own key`.
    pub origin: String,
}

impl TrustedKey {
    /// Trusts a key for every use, everywhere and always.
    #[must_use]
    pub fn new(key: PublicKey, principal: impl Into<String>, origin: impl Into<String>) -> Self {
        Self {
            key,
            principal: principal.into(),
            namespaces: Vec::new(),
            valid_after: None,
            valid_before: None,
            scope: Scope::Everything,
            origin: origin.into(),
        }
    }

    /// Trusts a key for the turns of threads, and for nothing else.
    #[must_use]
    pub fn for_turns(key: PublicKey, principal: impl Into<String>, origin: impl Into<String>) -> Self {
        Self { namespaces: vec![Namespace::Turns.as_str().to_owned()], ..Self::new(key, principal, origin) }
    }

    /// Tells whether the key is trusted for a use at a place.
    #[must_use]
    pub fn serves(&self, namespace: Namespace, place: Place<'_>) -> bool {
        let is_of_registry = matches!(self.scope, Scope::Namespace { .. });
        self.permits(namespace) && self.scope.reaches(place) && (place.is_pulled || !is_of_registry)
    }

    /// Tells whether the key is trusted for a use, wherever that is.
    #[must_use]
    pub fn permits(&self, namespace: Namespace) -> bool {
        self.namespaces.is_empty() || glob::list_matches(&self.namespaces.join(","), namespace.as_str())
    }

    /// Tells whether the decision names a use in so many words, and not by a pattern.
    #[must_use]
    pub fn names_use(&self, namespace: Namespace) -> bool {
        self.permits(namespace) && self.namespaces.iter().any(|name| name == namespace.as_str())
    }

    /// Tells whether the decision is for the turns of threads and for nothing else.
    #[must_use]
    pub fn is_for_turns_only(&self) -> bool {
        !self.namespaces.is_empty() && self.namespaces.iter().all(|name| name == Namespace::Turns.as_str())
    }

    /// Tells whether this is the key of a forge, which signs the commits of every account: its line says so, or it is one of
    /// those that are known.
    #[must_use]
    pub fn is_of_forge(&self) -> bool {
        let is_named = self.namespaces.iter().any(|name| name == Namespace::Forge.as_str());
        is_named || FORGES.contains(&self.key.fingerprint().as_str())
    }

    /// Tells whether the key was valid at a moment.
    #[must_use]
    pub fn is_valid_at(&self, moment: Timestamp) -> bool {
        self.valid_after.is_none_or(|after| after <= moment) && self.valid_before.is_none_or(|before| moment < before)
    }

    /// Says how far the decision reaches, and for which uses if not for all.
    #[must_use]
    pub fn reach(&self) -> String {
        match (&self.scope, self.namespaces.join(",")) {
            (scope, uses) if uses.is_empty() => scope.to_string(),
            (Scope::Everything, uses) => uses,
            (scope, uses) => format!("{uses} in {scope}"),
        }
    }
}
