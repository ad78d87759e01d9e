//! Path patterns held against each other, folder by folder: what one leaves of another.
//!
//! `*` and `?` stay inside one name, `**` matches any number of folders. Names with `[…]` or `{…}` are compared by
//! their text alone, so an answer may miss that one pattern covers another, or that two have nothing in common; it is
//! never wrong the other way round.

use crate::id::glob;

const FOLDERS: &str = "**";

/// Tells whether `wide` matches every path that `narrow` matches.
#[must_use]
pub fn includes(wide: &str, narrow: &str) -> bool {
    compare(wide, narrow, &Comparison { name: name_includes, other_may_be_folders: false })
}

/// Tells whether some path may be matched by both patterns.
#[must_use]
pub fn overlaps(one: &str, other: &str) -> bool {
    compare(one, other, &Comparison { name: name_overlaps, other_may_be_folders: true })
}

struct Comparison {
    /// Holds a name of the first pattern against one of the second.
    name: fn(&str, &str) -> bool,
    /// Whether `**` of the second pattern may match names of the first.
    other_may_be_folders: bool,
}

/// Fills a table from the ends of both patterns: whether what follows in the one fits what follows in the other.
fn compare(one: &str, other: &str, by: &Comparison) -> bool {
    let (one, other) = (names(one), names(other));
    let mut below = vec![false; other.len() + 1];
    below[other.len()] = true;
    for (at, name) in one.iter().enumerate().rev() {
        let mut row = vec![false; other.len() + 1];
        for next in (0..=other.len()).rev() {
            let rest = other.get(next..).unwrap_or(&[]);
            row[next] = match rest.first() {
                // At the end of a pattern `**` matches at least one name.
                _ if *name == FOLDERS => {
                    let is_last = at + 1 == one.len();
                    !is_last && below[next] || next < other.len() && (row[next + 1] || is_last && rest.len() == 1)
                }
                Some(second) if *second == FOLDERS => {
                    by.other_may_be_folders && (row[next + 1] || below[next] || below[next + 1])
                }
                Some(second) => below[next + 1] && (by.name)(name, second),
                None => false,
            };
        }
        below = row;
    }
    below[0]
}

fn names(pattern: &str) -> Vec<&str> {
    pattern.split('/').filter(|name| !matches!(*name, "" | ".")).collect()
}

fn is_plain(name: &str) -> bool {
    name.is_ascii() && !name.contains(['[', '{'])
}

fn name_includes(wide: &str, narrow: &str) -> bool {
    wide == "*" && narrow != FOLDERS
        || wide == narrow
        || is_plain(wide) && is_plain(narrow) && narrow != FOLDERS && glob::includes(wide, narrow)
}

fn name_overlaps(one: &str, other: &str) -> bool {
    !is_plain(one) || !is_plain(other) || glob::overlaps(one, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_includes_what_it_matches_for_certain() {
        for (wide, narrow) in [
            ("**", "a"),
            ("**", "a/b/**"),
            ("docs/**", "docs/a/**"),
            ("docs/**", "docs/**"),
            ("docs/**", "docs/*/b.md"),
            ("**/*.md", "a.md"),
            ("**/*.md", "a/b/c.md"),
            ("**/*.md", "a/**/*.md"),
            ("a/*/c", "a/b/c"),
            ("./a/*", "a/b?"),
            ("a/[xy]", "a/[xy]"),
            ("a/*", "a/{x}"),
        ] {
            assert!(includes(wide, narrow), "{wide} {narrow}");
            assert!(overlaps(wide, narrow) && overlaps(narrow, wide), "{wide} {narrow}");
        }
    }

    #[test]
    fn a_pattern_never_includes_more_than_it_matches() {
        for (wide, narrow) in [
            ("docs/a/**", "docs/**"),
            ("docs/**", "docs"),
            ("docs/*", "docs/a/b"),
            ("docs/*", "docs/**"),
            ("*", "**"),
            ("**/*.md", "docs/**"),
            ("a/[xy]", "a/x"),
            ("a/**/b", "a/**"),
        ] {
            assert!(!includes(wide, narrow), "{wide} {narrow}");
        }
    }

    #[test]
    fn patterns_without_a_common_path_are_told_apart() {
        for (one, other) in
            [("docs/**", "src/**"), ("*.md", "docs/**"), ("a/b", "a"), ("docs/**", "docs"), ("*.md", "*.rs")]
        {
            assert!(!overlaps(one, other) && !overlaps(other, one), "{one} {other}");
        }
        for (one, other) in
            [("**/x.md", "docs/**"), ("a/[xy]", "a/z"), ("a*/**", "*b/c"), ("**", "**"), ("a/**/b", "a/b")]
        {
            assert!(overlaps(one, other) && overlaps(other, one), "{one} {other}");
        }
    }
}
