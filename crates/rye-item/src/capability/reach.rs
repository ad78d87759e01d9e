//! How far path rules reach, in folders and files: what a sandbox can hold, which knows no patterns.

use std::collections::BTreeSet;

use super::paths::{Access, PathRules, ProjectPath, literal_prefix};

/// A part of the project that rules may let be touched; changes of other paths in it are refused when they are taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The whole project.
    Project,
    /// A folder, with all below it.
    Folder(ProjectPath),
    /// A single file.
    File(ProjectPath),
}

/// Returns the least parts of the project that hold all which every one of `layers` matches. No layer, and a layer without a
/// rule, matches everything; a write rule lets its paths be read.
#[must_use]
pub fn reach(layers: &[PathRules], access: Access) -> BTreeSet<Reach> {
    let everything = BTreeSet::from([Reach::Project]);
    layers.iter().filter(|rules| !rules.is_empty()).fold(everything, |reached, rules| {
        let more: &[String] = match access {
            Access::Read => &rules.read,
            Access::Write => &[],
        };
        let parts: BTreeSet<Reach> = rules.write.iter().chain(more).filter_map(|pattern| part(pattern)).collect();
        let pairs = reached.iter().flat_map(|one| parts.iter().map(move |other| (one, other)));
        pairs.filter_map(|(one, other)| shared(one, other)).collect()
    })
}

/// Leaves out parts that lie in another one. A path that is named as a file and as a folder is a file: it may be either.
#[must_use]
pub fn outermost(parts: &BTreeSet<Reach>) -> BTreeSet<Reach> {
    let is_within = |part: &&Reach| parts.iter().any(|other| covers(other, part));
    parts.iter().filter(|part| !is_within(part)).cloned().collect()
}

fn covers(other: &Reach, part: &Reach) -> bool {
    match (other, part) {
        (_, Reach::Project) => false,
        (Reach::Project, Reach::Folder(_) | Reach::File(_)) => true,
        (Reach::File(outer), Reach::Folder(inner)) if outer == inner => true,
        (Reach::Folder(outer) | Reach::File(outer), Reach::Folder(inner) | Reach::File(inner)) => {
            outer != inner && inner.parts().take(outer.parts().count()).eq(outer.parts())
        }
    }
}

/// The part before the first wildcard of a pattern.
fn part(pattern: &str) -> Option<Reach> {
    let prefix = literal_prefix(pattern);
    // A pattern that is not a path matches nothing.
    let path: ProjectPath = prefix.parse().ok()?;
    Some(match (path.as_str().is_empty(), prefix.len() == pattern.len()) {
        (true, _) => Reach::Project,
        (false, true) => Reach::File(path),
        (false, false) => Reach::Folder(path),
    })
}

/// What two parts share: the smaller one, where it lies in the other.
fn shared(one: &Reach, other: &Reach) -> Option<Reach> {
    match (holds(one, other), holds(other, one)) {
        (true, _) => Some(other.clone()),
        (false, true) => Some(one.clone()),
        (false, false) => None,
    }
}

fn holds(outer: &Reach, inner: &Reach) -> bool {
    match (outer, inner) {
        (Reach::Project, _) => true,
        (_, Reach::Project) => false,
        (Reach::Folder(outer), Reach::Folder(inner) | Reach::File(inner)) => {
            inner.parts().take(outer.parts().count()).eq(outer.parts())
        }
        (Reach::File(_), Reach::Folder(_)) => false,
        (Reach::File(outer), Reach::File(inner)) => outer == inner,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn rules(read: &str, write: &str) -> PathRules {
        let mut rules = PathRules::default();
        rules.add(Access::Read, read).unwrap();
        rules.add(Access::Write, write).unwrap();
        rules
    }

    fn folder(path: &str) -> Reach {
        Reach::Folder(path.parse().unwrap())
    }

    fn file(path: &str) -> Reach {
        Reach::File(path.parse().unwrap())
    }

    #[test]
    fn rules_reach_what_they_spell_out() {
        let whole = BTreeSet::from([Reach::Project]);
        assert_eq!(reach(&[], Access::Write), whole);
        assert_eq!(reach(&[PathRules::default()], Access::Write), whole);
        let one = rules("src/**, *.md", "out/*.txt, a/b.txt, [xy]/z");
        assert_eq!(
            reach(std::slice::from_ref(&one), Access::Read),
            [Reach::Project, folder("out"), folder("src"), file("a/b.txt")].into()
        );
        assert_eq!(reach(&[rules("**", "out/**")], Access::Write), [folder("out")].into());
        assert_eq!(reach(&[rules("src/**", "")], Access::Write), BTreeSet::new());
        assert_eq!(reach(&[rules("./src/x/*.rs", "")], Access::Read), [folder("src/x")].into());
    }

    #[test]
    fn of_parts_in_one_another_the_outer_one_is_left() {
        let parts = [folder("a"), file("a"), file("a/b"), folder("a/c"), folder("ab"), file("c"), folder("d/e")].into();
        assert_eq!(outermost(&parts), [folder("ab"), folder("d/e"), file("a"), file("c")].into());
        assert_eq!(outermost(&[Reach::Project, folder("a")].into()), [Reach::Project].into());
    }

    #[test]
    fn every_layer_has_a_say() {
        let layers =
            [rules("src/**", "out/**, notes.md"), rules("src/deep/**, other/**", "out/a.txt, notes.md, srcs/**")];
        assert_eq!(reach(&layers, Access::Write), [file("out/a.txt"), file("notes.md")].into());
        assert_eq!(reach(&layers, Access::Read), [folder("src/deep"), file("out/a.txt"), file("notes.md")].into());
        assert_eq!(reach(&[rules("a/**", ""), rules("ab/**", "")], Access::Read), BTreeSet::new());
    }
}
