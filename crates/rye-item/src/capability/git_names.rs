//! The names by which git takes a folder for a repository.
//!
//! Git takes a folder for one that has a file `HEAD` with `objects` and `refs`, or with a `commondir`. Every walk that looks for
//! git folders judges by this file, and compares names as a forgiving file system does.

use super::folding::folded;

/// The names that tell git what a folder is, in lower case.
const TELLING: [(&str, GitNames); 7] = [
    ("head", GitNames::HEAD),
    ("objects", GitNames::OBJECTS),
    ("refs", GitNames::REFS),
    ("commondir", GitNames::COMMON),
    ("config", GitNames::CONFIG),
    ("config.worktree", GitNames::CONFIG_WORKTREE),
    ("hooks", GitNames::HOOKS),
];

/// Which names of a folder tell git what it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GitNames(u8);

impl GitNames {
    /// `HEAD`.
    pub const HEAD: Self = Self(1 << 0);
    const OBJECTS: Self = Self(1 << 1);
    const REFS: Self = Self(1 << 2);
    const COMMON: Self = Self(1 << 3);
    const CONFIG: Self = Self(1 << 4);
    const CONFIG_WORKTREE: Self = Self(1 << 5);
    const HOOKS: Self = Self(1 << 6);
    /// What git asks of the folder that a `commondir` names.
    pub const SHARED: Self = Self::OBJECTS.with(Self::REFS);
    /// What makes a folder with `HEAD` a repository, or is read once it is one.
    pub const BESIDE_HEAD: Self = Self::SHARED.with(Self::CONFIG).with(Self::COMMON);
    /// What names programs to run there.
    pub const OBEYED: Self = Self::CONFIG.with(Self::CONFIG_WORKTREE).with(Self::HOOKS);

    /// Looks at one name, whatever kind of entry has it.
    #[must_use]
    pub fn of(name: &str) -> Self {
        if !may_tell(name) {
            return Self(0);
        }
        let plain = folded(name);
        TELLING.iter().find(|(telling, _)| *telling == plain).map_or(Self(0), |(_, names)| *names)
    }

    /// Looks at an entry. `HEAD` must not be a folder, and `objects` must not be a file; a link may be either.
    #[must_use]
    pub fn of_entry(name: &str, is_folder: bool, is_file: bool) -> Self {
        let names = Self::of(name);
        let names = if is_folder { names.without(Self::HEAD.with(Self::COMMON)) } else { names };
        if is_file { names.without(Self::SHARED) } else { names }
    }

    /// Tells whether a name of ASCII that begins with a byte may be one of them.
    #[must_use]
    pub const fn begin_with(first: u8) -> bool {
        matches!(first.to_ascii_lowercase(), b'h' | b'o' | b'r' | b'c')
    }

    /// Adds other names.
    #[must_use]
    pub const fn with(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Takes names out.
    #[must_use]
    pub const fn without(self, names: Self) -> Self {
        Self(self.0 & !names.0)
    }

    /// Tells whether any of some names is among them.
    #[must_use]
    pub const fn has_any(self, names: Self) -> bool {
        self.0 & names.0 != 0
    }

    /// Tells whether all of some names are among them.
    #[must_use]
    pub const fn has_all(self, names: Self) -> bool {
        self.0 & names.0 == names.0
    }

    /// Tells whether git takes the folder for a repository.
    #[must_use]
    pub const fn are_a_repository(self) -> bool {
        self.has_any(Self::HEAD) && (self.has_all(Self::SHARED) || self.has_any(Self::COMMON))
    }

    /// Tells whether git obeys, once something leads to the folder, what a name in it contributes.
    #[must_use]
    pub const fn obeys(self, name: Self) -> bool {
        name.has_any(Self::SHARED.with(Self::OBEYED)) && self.has_all(Self::SHARED) && self.has_any(Self::OBEYED)
    }
}

impl<'n> FromIterator<&'n str> for GitNames {
    /// Takes the names of a folder, whatever kinds of entries have them.
    fn from_iter<I: IntoIterator<Item = &'n str>>(names: I) -> Self {
        names.into_iter().fold(Self::default(), |seen, name| seen.with(Self::of(name)))
    }
}

/// Tells whether a name may be one of those that matter, once it is folded. This is asked of every name in a folder, for each file that is written there,
/// and most names are plain.
fn may_tell(name: &str) -> bool {
    !name.is_ascii() || name.bytes().next().is_some_and(GitNames::begin_with)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_begins_with_a_byte_that_may_begin_one() {
        for (name, _) in TELLING {
            assert!(may_tell(name) && may_tell(&name.to_uppercase()), "{name}");
        }
        assert!(!may_tell("src") && !may_tell(""));
    }

    #[test]
    fn a_repository_is_known_in_any_spelling() {
        let is = |names: &[&str]| names.iter().copied().collect::<GitNames>().are_a_repository();
        assert!(
            is(&["HEAD", "objects", "refs"]) && is(&["head", "x", "OBJECTS", "Refs"]) && is(&["Head", "CommonDir"])
        );
        assert!(!is(&["HEAD", "objects"]) && !is(&["objects", "refs", "config"]) && !is(&["HEADS", "commondir"]));
        assert!(!GitNames::of_entry("HEAD", true, false).has_any(GitNames::HEAD));
        assert!(!GitNames::of_entry("refs", false, true).has_any(GitNames::SHARED));
    }
}
