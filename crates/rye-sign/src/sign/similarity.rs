//! Whether a file may be an item under another name, as git takes a file for another one's new name.

use std::collections::BTreeSet;

use super::one::Raw;

/// The least part of a file's lines, as one in so many, that an item has too. git asks for one in two, and can be told to ask
/// for fewer.
const PART: usize = 4;

/// The lines of an item and of its bases. Blank lines and blanks at the end of a line do not count.
#[derive(Debug)]
pub(super) struct Lines(BTreeSet<Vec<u8>>);

impl Lines {
    pub(super) fn of(text: &Raw, bases: &[Raw]) -> Self {
        let bodies = bases.iter().chain([text]).map(|raw| raw.split().body());
        Self(bodies.flat_map(|body| lines(&body).map(<[u8]>::to_owned).collect::<Vec<_>>()).collect())
    }

    /// Tells whether a file has enough of these lines, by its own length or by theirs.
    pub(super) fn are_akin_to(&self, file: &Raw) -> bool {
        let body = file.split().body();
        let (all, known) =
            lines(&body).fold((0, 0), |(all, known), line| (all + 1, known + usize::from(self.0.contains(line))));
        known > 0 && known * PART >= all.min(self.0.len())
    }
}

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

    #[test]
    fn a_file_with_a_quarter_of_the_lines_is_akin() {
        let lines = Lines::of(&raw("a\nb\nc\nd\n\n"), &[raw("a\nb\ne\n")]);
        for (file, is_akin) in
            [("a  \r\nx\ny\nz\n", true), ("a\n", true), ("x\ny\n", false), ("", false), ("a\nv\nw\nx\ny\nz\n", false)]
        {
            assert_eq!(lines.are_akin_to(&raw(file)), is_akin, "{file:?}");
        }
    }
}
