//! Patterns over names in which `*` matches any run of characters and `?` exactly one.
//!
//! Three questions: does a pattern match a text, does it match whatever another one matches, is there a text that both
//! match. Bytes throughout: the matched names are ASCII. fnmatch as the seed documents use it, without classes.

/// Matches `text` against `pattern`, going back only to the last `*`.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    run(pattern, text, |wanted, found| wanted == b'?' || wanted == found)
}

/// Matches `text` against a list of patterns, separated by commas: one matches, and none of those with `!` before them
/// does (OpenSSH, PATTERNS in ssh_config(5)).
#[must_use]
pub fn list_matches(list: &str, text: &str) -> bool {
    let denied = list.split(',').filter_map(|pattern| pattern.strip_prefix('!')).any(|pattern| matches(pattern, text));
    let allowed = list.split(',').filter(|pattern| !pattern.starts_with('!')).any(|pattern| matches(pattern, text));
    allowed && !denied
}

/// Tells whether `wide` matches all that `narrow` matches. It may miss it, and never says so wrongly: a wildcard of
/// `narrow` counts as a character that only a wildcard of `wide` matches.
#[must_use]
pub fn includes(wide: &str, narrow: &str) -> bool {
    run(wide, narrow, |wanted, found| match found {
        b'*' => false,
        found => wanted == b'?' || wanted == found,
    })
}

/// Tells whether some text is matched by both patterns.
#[must_use]
pub fn overlaps(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // `shared[j]`: some text is matched by the taken part of `one` and by the first j bytes of `other`.
    let mut shared: Vec<bool> = (0..=other.len()).map(|j| other[..j].iter().all(|byte| *byte == b'*')).collect();
    for &a in one {
        let mut before = shared[0];
        shared[0] = before && a == b'*';
        for (j, &b) in other.iter().enumerate() {
            let without = shared[j + 1];
            shared[j + 1] = match (a, b) {
                // A `*` takes nothing, or whatever the other pattern's last byte took.
                (b'*', _) | (_, b'*') => without || shared[j],
                _ => before && (a == b || a == b'?' || b == b'?'),
            };
            before = without;
        }
    }
    shared[other.len()]
}

fn run(pattern: &str, text: &str, same: impl Fn(u8, u8) -> bool) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if same(*byte, text[t]) => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    t = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_take_any_run_and_question_marks_one_character() {
        for (pattern, text) in [("", ""), ("*", ""), ("*", "a/b.c"), ("a*c", "ac"), ("a*b*c", "abxbc"), ("a?c", "abc")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("?", ""), ("a*c", "acb"), ("a?c", "ac"), ("a", "aa"), ("A", "a")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(100), &"a".repeat(99)));
    }

    #[test]
    fn inclusion_and_overlap() {
        for (wide, narrow, includes_it, overlaps_it) in [
            ("a.*", "a.b.*", true, true),
            ("a.b.*", "a.*", false, true),
            ("a.*.c", "a.b.*", false, true),
            ("a.?", "a.b", true, true),
            ("a.?", "a.*", false, true),
            ("a.b", "a.c", false, false),
            ("a.b", "a.b.*", false, false),
            ("*", "?*", true, true),
            ("a*b", "b*a", false, false),
            ("", "*", false, true),
        ] {
            assert_eq!((includes(wide, narrow), overlaps(wide, narrow)), (includes_it, overlaps_it), "{wide} {narrow}");
            assert_eq!(overlaps(narrow, wide), overlaps_it, "{narrow} {wide}");
        }
    }
}
