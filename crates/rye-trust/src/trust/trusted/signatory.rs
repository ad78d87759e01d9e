//! Who signed: keys and the people behind them, so that each person counts once.

use crate::id::glob;
use crate::trust::{PublicKey, TrustedKey};

/// A signer: their keys, and the names they are trusted under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signatory {
    /// The keys, in the order they were met.
    pub keys: Vec<PublicKey>,
    /// The principals of the decisions that count, in the order they were met.
    pub principals: Vec<String>,
}

impl Signatory {
    /// Names the holder of one key after the decisions about it that count.
    pub(in crate::trust) fn of<'a>(key: PublicKey, decisions: impl IntoIterator<Item = &'a TrustedKey>) -> Self {
        let mut signer = Self { keys: vec![key], principals: Vec::new() };
        for decision in decisions {
            signer.add_principals(names(&decision.principal));
        }
        signer
    }

    /// Tells whether this is the principal `name`, by OpenSSH's rules: a pattern fits, and none with `!` does.
    #[must_use]
    pub fn is_principal(&self, name: &str) -> bool {
        let fits = |pattern: &str| glob::matches(pattern, name);
        let denied = self.principals.iter().filter_map(|pattern| pattern.strip_prefix('!')).any(fits);
        !denied && self.principals.iter().any(|pattern| fits(pattern))
    }

    /// Tells whether both may be one person: they share a key, or a principal can be both.
    fn may_be(&self, other: &Self) -> bool {
        let is_name = |pattern: &&String| !pattern.starts_with('!');
        self.keys.iter().any(|key| other.keys.contains(key))
            || self
                .principals
                .iter()
                .filter(is_name)
                .any(|one| other.principals.iter().filter(is_name).any(|another| glob::overlaps(one, another)))
    }

    fn absorb(&mut self, other: Self) {
        let new: Vec<PublicKey> = other.keys.into_iter().filter(|key| !self.keys.contains(key)).collect();
        self.keys.extend(new);
        self.add_principals(other.principals.iter().map(String::as_str));
    }

    fn add_principals<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            if !self.principals.iter().any(|known| known == name) {
                self.principals.push(name.to_owned());
            }
        }
    }
}

/// Joins what may be one person, also by way of a third key: each of those returned counts once.
#[must_use]
pub(in crate::trust) fn people(signers: impl IntoIterator<Item = Signatory>) -> Vec<Signatory> {
    signers.into_iter().fold(Vec::new(), |people: Vec<Signatory>, signer| {
        let (same, mut others): (Vec<_>, Vec<_>) = people.into_iter().partition(|person| person.may_be(&signer));
        let joined = same.into_iter().chain([signer]).reduce(|mut person, other| {
            person.absorb(other);
            person
        });
        others.extend(joined);
        others
    })
}

/// Takes the principals of an allowed_signers line apart.
fn names(principals: &str) -> impl Iterator<Item = &str> {
    principals.split(',').map(str::trim).filter(|name| !name.is_empty())
}
