//! What git may have mixed into an item from another history.
//!
//! A pick, a squashed merge, the stash or a patch can leave a text in the work tree that no commit has: the person's own,
//! with a change of somebody else in it. git merges whole lines, so of such a change the text has a line, or two lines in a
//! row, that the other commit's version has too and the person's last version has not.

use std::collections::BTreeSet;

use super::one::Raw;

/// The least part of a file's lines, as one in so many, that an item has too if the file is the item under another name.
const AKIN: usize = 4;

/// What is new in a text: lines, and pairs of lines in a row. Blank lines and blanks at the end of a line do not count.
#[derive(Debug)]
pub(super) struct News {
    marks: BTreeSet<(Vec<u8>, Vec<u8>)>,
    /// The lines of the text and of its bases.
    lines: BTreeSet<Vec<u8>>,
}

impl News {
    /// Finds what is in `text` and in none of `bases`.
    pub(super) fn of(text: &Raw, bases: &[Raw]) -> Self {
        let (new, old) = (text.split().body(), bases.iter().map(|base| base.split().body()).collect::<Vec<_>>());
        let known: BTreeSet<_> = old.iter().flat_map(|body| marks(body)).collect();
        let marks = marks(&new).filter(|mark| !known.contains(mark)).map(|(a, b)| (a.to_owned(), b.to_owned()));
        let lines = old.iter().chain([&new]).flat_map(|body| lines(body)).map(<[u8]>::to_owned);
        Self { marks: marks.collect(), lines: lines.collect() }
    }

    /// Tells whether another version has any of it.
    pub(super) fn is_shared_by(&self, version: &Raw) -> bool {
        let body = version.split().body();
        marks(&body).any(|(a, b)| self.marks.contains(&(a.to_owned(), b.to_owned())))
    }

    /// Tells whether a file may be the item under another name, as git takes it for renaming.
    pub(super) fn is_akin_to(&self, file: &Raw) -> bool {
        let body = file.split().body();
        let (all, known) =
            lines(&body).fold((0, 0), |(all, known), line| (all + 1, known + usize::from(self.lines.contains(line))));
        known > 0 && known * AKIN >= all.min(self.lines.len())
    }
}

/// Lists each line, beside nothing, and each pair of lines in a row; the beginning and the end count as empty lines.
fn marks(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let nothing: &[u8] = b"";
    let pairs = std::iter::once(nothing).chain(lines(text)).zip(lines(text).chain([nothing]));
    lines(text).map(move |line| (line, SINGLE)).chain(pairs)
}

/// The partner of a line that counts by itself: no line holds a line break.
const SINGLE: &[u8] = b"\n";

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::super::super::locate::subject_at;
    use super::*;

    fn raw(text: &str) -> Raw {
        Raw::new(subject_at(".ai/knowledge/a.md").unwrap(), text.into())
    }

    fn is_mixed(base: &str, new: &str, other: &str) -> bool {
        News::of(&raw(new), &[raw(base)]).is_shared_by(&raw(other))
    }

    #[test]
    fn a_line_that_is_added_removed_or_moved_as_elsewhere_is_found() {
        let base = "a\nb\nc\nd\ne\nf\n";
        for (new, other) in [
            ("a\nb\nc\nd\nX\ne\nf\nmine\n", "a\nb\nc\nd\nX\ne\nf\n"),
            ("a\nc\nd\ne\nf\nmine\n", "a\nc\nd\ne\nf\n"),
            ("b\nc\nd\ne\nf\nmine\n", "b\nc\nd\ne\nf\n"),
            ("a\nb\nc\nd\ne\n", "a\nb\nc\nY\ne\n"),
            ("b\na\nc\nd\ne\nmine\nf\n", "b\na\nc\nd\ne\nf\n"),
            ("a\nb\nc\nd\nX  \r\ne\nf\nmine\n", "a\nb\nX\nc\n"),
        ] {
            assert!(is_mixed(base, new, other), "{new:?} {other:?}");
        }
        for (new, other) in [
            ("a\nb\nc\nd\nmine\ne\nf\n", "a\nb\nX\nc\nd\ne\nf\n"),
            ("a\nb\nc\nd\ne\nf\n\n", "a\nb\nX\nc\nd\ne\nf\n"),
            ("a\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nf\ng\n"),
            ("a\nb\nc\nd\ne\nf\nmine\n", base),
        ] {
            assert!(!is_mixed(base, new, other), "{new:?} {other:?}");
        }
    }
}
