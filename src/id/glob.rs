//! Patterns over names: `*` matches any run of characters, `/` and `.` included, `?` exactly one.
//!
//! fnmatch as the seed documents use it, without classes. Globs over paths, where `*` stops at `/`, are another thing.

/// Tells whether `pattern` matches all of `text`, in time at most the product of both lengths.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == b'?' || *byte == text[t] => {
                p += 1;
                t += 1;
            }
            // Back to the last star only: an earlier one could take no more than it already has.
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

/// Tells whether some text is matched by both patterns, in time at most the product of both lengths.
#[must_use]
pub fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    // `reached[j]`: some text is matched by what was read of `one` and by the first `j` bytes of `other`.
    let mut reached = vec![false; other.len() + 1];
    reached[0] = true;
    spread(&mut reached, other);
    for byte in one {
        let mut next: Vec<bool> = match byte {
            b'*' => reached.clone(),
            // A star of the other's takes the byte and stays.
            _ => (0..=other.len()).map(|j| reached[j] && other.get(j) == Some(&b'*')).collect(),
        };
        for j in 0..other.len() {
            let takes = match byte {
                b'*' => next[j],
                _ => reached[j] && (*byte == b'?' || other[j] == b'?' || other[j] == *byte),
            };
            next[j + 1] |= takes;
        }
        spread(&mut next, other);
        reached = next;
    }
    reached[other.len()]
}

/// A star may match nothing.
fn spread(reached: &mut [bool], pattern: &[u8]) {
    for j in 0..pattern.len() {
        reached[j + 1] |= reached[j] && pattern[j] == b'*';
    }
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
    fn patterns_overlap_when_one_text_fits_both() {
        for (one, other) in
            [("*run", "shell.*"), ("s*n", "shell.*"), ("*", ""), ("a?", "?b"), ("*a*", "b*"), ("x", "x")]
        {
            assert!(overlap(one, other) && overlap(other, one), "{one} {other}");
        }
        for (one, other) in [("demo.*", "shell.*"), ("a?", "a"), ("*a", "*b"), ("", "?"), ("ab*", "a"), ("x", "y")] {
            assert!(!overlap(one, other) && !overlap(other, one), "{one} {other}");
        }
    }
}
