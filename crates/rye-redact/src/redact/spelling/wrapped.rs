//! Text in lines of one width that have something before them: a mark of a quotation, of a comment or of a diff, or a number.
//!
//! The first and the last line of a block may be shorter or longer. What all lines have before them is dropped.

use super::view::{Draft, View};

/// The shortest line of a block but for the first and the last one, and the longest, in characters.
const SHORTEST: usize = 6;
const LONGEST: usize = 120;

/// The longest mark before a line, in characters.
const LONGEST_MARK: usize = 16;

/// A line: where it begins and ends, and where its text begins behind a number.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    end: usize,
    text: usize,
}

impl Line {
    const fn length(self) -> usize {
        self.end - self.text
    }
}

/// A block of lines that is being read.
#[derive(Debug, Default)]
struct Block {
    lines: Vec<Line>,
    /// What all lines have before them, behind a number.
    mark: usize,
    /// How many lines have the width of the block.
    wide: usize,
}

/// Views each block of lines without what is before each of them.
pub(super) fn joined<'p>(view: &'p View<'p>, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let (mut block, mut start) = (Block::default(), 0);
    while start < bytes.len() {
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |end| start + end);
        let line = line(bytes, start, end);
        start = end + 1;
        if !block.take(bytes, line) {
            let last = block.lines.last().copied();
            block.give(view, &mut each);
            // The last line of a block may be the first one of the next.
            block = Block::of(bytes, last);
            if !block.take(bytes, line) {
                block = Block::of(bytes, Some(line));
            }
        }
    }
    block.give(view, &mut each);
}

impl Block {
    fn of(bytes: &[u8], line: Option<Line>) -> Self {
        let mark = line.map_or(0, |line| marks(bytes, line));
        Self { lines: line.into_iter().collect(), mark, wide: 0 }
    }

    /// Takes one more line, unless it belongs to no block with those before.
    fn take(&mut self, bytes: &[u8], line: Line) -> bool {
        let Some(last) = self.lines.last().copied() else {
            *self = Self::of(bytes, Some(line));
            return true;
        };
        let mark = common(bytes, last, line).min(self.mark);
        let has_mark =
            mark > 0 && bytes[line.text..line.text + mark].iter().any(|byte| *byte != b' ' && *byte != b'\t');
        let is_numbered = last.text > last.start && line.text > line.start;
        let is_wide = self.wide == 0 && (mark + SHORTEST..=mark + LONGEST).contains(&line.length());
        let is_alike = line.length() == last.length() && self.wide > 0;
        let is_end = line.length() < last.length() && self.wide > 0 && line.length() > mark;
        // Behind a shorter line the block has ended.
        let has_ended = self.wide > 0 && self.lines.len() > self.wide + 1;
        if !(has_mark || is_numbered) || has_ended || !(is_wide || is_alike || is_end) {
            return false;
        }
        self.mark = mark;
        self.wide += usize::from(is_wide || is_alike);
        self.lines.push(line);
        true
    }

    /// Hands on a block of several lines.
    fn give<'p>(&self, view: &'p View<'p>, each: &mut impl FnMut(View<'p>)) {
        let (Some(last), true) = (self.lines.last(), self.lines.len() > 1) else { return };
        let mut draft = Draft::default();
        for line in &self.lines {
            draft.copy(&view.bytes, line.text + self.mark.min(line.length()), line.end);
        }
        each(draft.part(view, last.end == view.bytes.len()));
    }
}

/// Reads a line: its end without blanks, and the number at its beginning, with what ends it.
fn line(bytes: &[u8], start: usize, end: usize) -> Line {
    let end = start + bytes[start..end].trim_ascii_end().len();
    let blanks = bytes[start..end].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let at = start + blanks;
    let digits = bytes[at..end].iter().take(8).take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = digits > 0 && bytes[at + digits..end].first().is_some_and(|byte| b":-|.)\t ".contains(byte));
    Line { start, end, text: if is_number { at + digits + 1 } else { start } }
}

/// Counts the characters of marks before a line.
fn marks(bytes: &[u8], line: Line) -> usize {
    let is_mark = |byte: &&u8| **byte == b'\t' || (**byte).is_ascii_punctuation() || **byte == b' ';
    bytes[line.text..line.end].iter().take(LONGEST_MARK).take_while(is_mark).count()
}

/// Counts the characters that two lines have in common before them.
fn common(bytes: &[u8], one: Line, other: Line) -> usize {
    let (one, other) = (&bytes[one.text..one.end], &bytes[other.text..other.end]);
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
