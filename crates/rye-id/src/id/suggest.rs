//! Picks the word someone probably meant.

/// Returns the candidate nearest to `word`, if one is near enough to be a likely slip of the hand.
///
/// Near enough is an edit distance of at most a third of the longer word, or the same last path segment.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let ends_alike = |candidate: &str| last_segment(word) == last_segment(candidate);
    let is_near = |distance: usize, candidate: &str| distance * 3 <= word.len().max(candidate.len());
    // A distance is at least the difference in length: most candidates need no more than that.
    let may_be = |candidate: &&str| is_near(word.len().abs_diff(candidate.len()), candidate) || ends_alike(candidate);
    let near = candidates.into_iter().filter(may_be).map(|candidate| (distance(word, candidate), candidate));
    let near = near.filter(|(distance, candidate)| is_near(*distance, candidate) || ends_alike(candidate));
    near.min().map(|(_, candidate)| candidate)
}

fn last_segment(text: &str) -> &str {
    text.rsplit('/').next().unwrap_or(text)
}

/// Counts the insertions, deletions and replacements of bytes, and the swaps of two neighbours, between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let (mut before, mut next) = (row.clone(), row.clone());
    for i in 0..a.len() {
        next[0] = i + 1;
        for j in 0..b.len() {
            let replaced = row[j] + usize::from(a[i] != b[j]);
            let swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            let least = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            next[j + 1] = if swapped { least.min(before[j - 1] + 1) } else { least };
        }
        std::mem::swap(&mut before, &mut row);
        std::mem::swap(&mut row, &mut next);
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
        assert_eq!(nearest("nmae", ["name", "count"]), Some("name"));
        assert_eq!(nearest("mane", ["name", "count"]), None);
    }
}
