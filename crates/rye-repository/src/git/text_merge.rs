//! The text merge of a file that both sides changed.
//!
//! Invariant: only built-in rules merge. No attribute, no configuration and no driver of a repository takes part.

use gix::diff::blob::{Algorithm, InternedInput};
use gix::merge::blob::Resolution;
use gix::merge::blob::builtin_driver::text::{Conflict, Labels, Merge};

/// How git finds the changes of each side: `git merge` by histogram, other programs by Myers.
const ALGORITHMS: [Algorithm; 2] = [Algorithm::Histogram, Algorithm::Myers];

/// Git takes a file for binary by a NUL in so many bytes of its beginning, and merges none.
const BINARY_BEFORE: usize = 8000;

/// Tells whether `result` is the merge of `ours` and `theirs` from `base`, without a conflict.
pub(super) fn is_clean_merge(base: &[u8], ours: &[u8], theirs: &[u8], result: &[u8]) -> bool {
    let is_binary = |text: &[u8]| text[..text.len().min(BINARY_BEFORE)].contains(&0);
    if [base, ours, theirs].into_iter().any(is_binary) {
        return false;
    }
    ALGORITHMS.into_iter().any(|algorithm| {
        let (mut merged, mut input) = (Vec::new(), InternedInput::default());
        let merge = Merge::new(&mut input, ours, base, theirs, algorithm);
        let resolution = merge.run(&mut merged, Labels::default(), Conflict::default());
        resolution == Resolution::Complete && merged == result
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &[u8] = b"1\n2\n3\n4\n5\n6\n7\n";

    #[test]
    fn changes_apart_are_merged() {
        let (ours, theirs) = (b"one\n2\n3\n4\n5\n6\n7\n", b"1\n2\n3\n4\n5\n6\nseven\n");
        assert!(is_clean_merge(BASE, ours, theirs, b"one\n2\n3\n4\n5\n6\nseven\n"));
        // Nothing else is their merge: one side, the base, or a line more.
        for result in [&ours[..], &theirs[..], BASE, b"one\n2\n3\nevil\n4\n5\n6\nseven\n"] {
            assert!(!is_clean_merge(BASE, ours, theirs, result));
        }
    }

    #[test]
    fn a_conflict_is_never_a_merge() {
        let (ours, theirs) = (b"1\n2\n3\nours\n5\n6\n7\n", b"1\n2\n3\ntheirs\n5\n6\n7\n");
        let marked = b"1\n2\n3\n<<<<<<<\nours\n=======\ntheirs\n>>>>>>>\n5\n6\n7\n";
        for result in [&ours[..], &theirs[..], BASE, marked, b"1\n2\n3\nours\ntheirs\n5\n6\n7\n"] {
            assert!(!is_clean_merge(BASE, ours, theirs, result));
        }
    }

    #[test]
    fn binary_files_are_not_merged() {
        let (ours, theirs) = (b"one\n2\n\x003\n4\n", b"1\n2\n\x003\nfour\n");
        assert!(!is_clean_merge(b"1\n2\n\x003\n4\n", ours, theirs, b"one\n2\n\x003\nfour\n"));
    }
}
