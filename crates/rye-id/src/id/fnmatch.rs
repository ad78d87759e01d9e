//! Patterns of ASCII as fnmatch has them: `*`, `?`, and classes such as `[ab]`, `[0-9]` and `[!x]`.
//!
//! Without a class the questions are those of [`glob`], and so are the answers.

use super::glob;

/// A part of a pattern: any run of characters, or one character of a set, a bit for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Run,
    One(u128),
}

/// Tells whether a pattern matches a text.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    if !has_class(pattern) {
        return glob::matches(pattern, text);
    }
    let text: Vec<Part> = text.bytes().map(|byte| Part::One(bit(byte))).collect();
    covers(&parts(pattern), &text)
}

/// Tells whether `wide` matches all that `narrow` matches. It may miss it, and never says so wrongly.
#[must_use]
pub fn includes(wide: &str, narrow: &str) -> bool {
    if has_class(wide) || has_class(narrow) {
        covers(&parts(wide), &parts(narrow))
    } else {
        glob::includes(wide, narrow)
    }
}

/// Tells whether some text is matched by both patterns.
#[must_use]
pub fn overlaps(one: &str, other: &str) -> bool {
    if !has_class(one) && !has_class(other) {
        return glob::overlaps(one, other);
    }
    let (one, other) = (parts(one), parts(other));
    // `shared[j]`: some text is matched by the taken part of `one` and by the first j parts of `other`.
    let mut shared: Vec<bool> = (0..=other.len()).map(|j| other[..j].iter().all(|part| *part == Part::Run)).collect();
    for a in one {
        let mut before = shared[0];
        shared[0] = before && a == Part::Run;
        for (j, b) in other.iter().enumerate() {
            let without = shared[j + 1];
            shared[j + 1] = match (a, b) {
                (Part::Run, _) | (_, Part::Run) => without || shared[j],
                (Part::One(a), Part::One(b)) => before && a & b != 0,
            };
            before = without;
        }
    }
    shared[other.len()]
}

/// Says what is wrong with the classes of a pattern.
#[must_use]
pub fn fault(pattern: &str) -> Option<&'static str> {
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('[') {
        if before.contains(']') {
            return Some("a `]` has no `[`");
        }
        let Some((inside, behind)) = after.split_once(']') else { return Some("a class `[` has no `]`") };
        let members = inside.strip_prefix('!').unwrap_or(inside).as_bytes();
        if members.is_empty() {
            return Some("a class `[]` is empty");
        }
        if !members.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
            return Some("a class may have only letters, digits, `_` and `-`");
        }
        if ranges(members).any(|(first, last)| first > last) {
            return Some("a range of a class goes backwards");
        }
        rest = behind;
    }
    rest.contains(']').then_some("a `]` has no `[`")
}

/// Matches each part of `narrow` by one of `wide`, going back only to the last run of it.
fn covers(wide: &[Part], narrow: &[Part]) -> bool {
    let (mut w, mut n, mut run) = (0, 0, None);
    while n < narrow.len() {
        match (wide.get(w), narrow[n]) {
            (Some(Part::Run), _) => {
                run = Some((w, n));
                w += 1;
            }
            (Some(Part::One(set)), Part::One(found)) if found != 0 && found & !set == 0 => {
                w += 1;
                n += 1;
            }
            _ => match run {
                Some((at, from)) => {
                    run = Some((at, from + 1));
                    w = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    wide[w..].iter().all(|part| *part == Part::Run)
}

fn has_class(pattern: &str) -> bool {
    pattern.contains('[')
}

/// Takes a pattern apart. A class that [`fault`] objects to matches nothing.
fn parts(pattern: &str) -> Vec<Part> {
    let (bytes, mut parts, mut at) = (pattern.as_bytes(), Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        let part = match byte {
            b'*' => Part::Run,
            b'?' => Part::One(u128::MAX),
            b'[' => {
                let Some(length) = pattern[at..].find(']') else { return vec![Part::One(0)] };
                let inside = &bytes[at + 1..at + length];
                at += length;
                Part::One(set(inside))
            }
            byte => Part::One(bit(byte)),
        };
        parts.push(part);
        at += 1;
    }
    parts
}

/// Gathers the characters of a class.
fn set(inside: &[u8]) -> u128 {
    let (is_negated, members) = inside.strip_prefix(b"!").map_or((false, inside), |members| (true, members));
    let named = ranges(members).flat_map(|(first, last)| first..=last).fold(0, |set, byte| set | bit(byte));
    if is_negated { !named } else { named }
}

/// Lists the members of a class as ranges; a `-` at either end is a member.
fn ranges(members: &[u8]) -> impl Iterator<Item = (u8, u8)> + '_ {
    let mut rest = members;
    std::iter::from_fn(move || {
        let (range, behind) = match rest {
            [first, b'-', last, behind @ ..] => ((*first, *last), behind),
            [only, behind @ ..] => ((*only, *only), behind),
            [] => return None,
        };
        rest = behind;
        Some(range)
    })
}

/// The set of one character; of one beyond ASCII it is empty.
fn bit(byte: u8) -> u128 {
    1_u128.checked_shl(u32::from(byte)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_one_character_of_several() {
        for (pattern, text) in
            [("a[bc]", "ac"), ("a[0-9]*", "a1.x"), ("[!a]b", ".b"), ("[a-]", "-"), ("[_a-c]?", "bz"), ("*[!0-9]", "1x")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("a[bc]", "ad"), ("a[bc]", "abc"), ("a[bc]", "a"), ("[!a]b", "ab"), ("*[!0-9]", "x1"), ("[a", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn inclusion_and_overlap_of_classes() {
        for (wide, narrow, includes_it, overlaps_it) in [
            ("a[bc]", "ab", true, true),
            ("ab", "a[bc]", false, true),
            ("a[a-z]", "a[bc]", true, true),
            ("a[bc]", "a[cd]", false, true),
            ("a[bc]", "a[de]", false, false),
            ("a?", "a[!b]", true, true),
            ("a[!b]", "ab", false, false),
            ("a[!b]", "a?", false, true),
            ("a*", "a[bc]*", true, true),
            ("a[bc]*", "a*", false, true),
            ("*[x]", "y*", false, true),
        ] {
            assert_eq!((includes(wide, narrow), overlaps(wide, narrow)), (includes_it, overlaps_it), "{wide} {narrow}");
            assert_eq!(overlaps(narrow, wide), overlaps_it, "{narrow} {wide}");
        }
    }

    /// Without a class both modules get the same question.
    #[test]
    fn without_a_class_the_answers_are_those_of_a_glob() {
        for (wide, narrow) in [("a.*", "a.b.*"), ("a.?", "a.b"), ("*", "?*"), ("a*b", "b*a"), ("", "*"), ("a.b", "a.c")]
        {
            assert_eq!(covers(&parts(wide), &parts(narrow)), glob::includes(wide, narrow), "{wide} {narrow}");
        }
    }

    #[test]
    fn faults_of_classes() {
        for pattern in ["[a", "a]", "[]", "[!]", "[a.b]", "[z-a]", "[a]]", "[[a]"] {
            assert!(fault(pattern).is_some(), "{pattern}");
        }
        for pattern in ["", "a*", "[a-z0-9_-]", "[!a]", "x[-a]y[b]"] {
            assert_eq!(fault(pattern), None, "{pattern}");
        }
    }
}
