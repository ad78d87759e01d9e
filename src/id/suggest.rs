//! Picks the word someone probably meant.

/// Returns the candidate nearest to `word`, if one is near enough to be a likely slip of the hand.
///
/// Near enough is an edit distance of at most a third of the longer word, or the same last path segment.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| {
            *distance * 3 <= word.len().max(candidate.len()) || last_segment(word) == last_segment(candidate)
        })
        .min()
        .map(|(_, candidate)| candidate)
}

fn last_segment(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// Counts the insertions, deletions and replacements of bytes between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_mended_and_a_stranger_is_not() {
        let ids = ["rye/guides/first_thread", "deploy/staging"];
        assert_eq!(nearest("rye/guides/frist_thread", ids), Some("rye/guides/first_thread"));
        assert_eq!(nearest("first_thread", ids), Some("rye/guides/first_thread"));
        assert_eq!(nearest("release", ids), None);
    }
}
