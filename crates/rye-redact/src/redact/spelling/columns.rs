//! Base64 in lines that have something before or behind it: a mark of a quotation, of a comment or of a diff, a number, a path, quotation
//! marks.
//!
//! Lines of one block are of one length, but for the first and the last one; what is around them does not matter.

use super::stretch::stretch;
use super::view::{Draft, View};

/// The shortest line of a block but for the last one, in characters.
const SHORTEST: usize = 16;

/// A run of digits, and where its line begins and ends.
#[derive(Debug, Clone, Copy)]
struct Run {
    start: usize,
    end: usize,
    line: (usize, usize),
}

impl Run {
    const fn length(self) -> usize {
        self.end - self.start
    }

    /// Tells whether its line has nothing else but spaces.
    fn is_alone(self, bytes: &[u8]) -> bool {
        let rest = [&bytes[self.line.0..self.start], &bytes[self.end..self.line.1]];
        rest.iter().all(|rest| rest.iter().all(u8::is_ascii_whitespace))
    }
}

const fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// Views each block of lines as the digits in them.
pub(super) fn joined<'p>(view: &'p View<'p>, mut each: impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let (mut block, mut at): (Vec<Run>, usize) = (Vec::new(), 0);
    while let Some((start, end)) = stretch(bytes, at, SHORTEST, false, is_digit) {
        let run = longest(bytes, start, end);
        at = run.line.1;
        let last = block.last().copied().filter(|last| last.line.1 + 1 == run.line.0);
        let is_alike = last.is_some_and(|last| block.len() == 1 || run.length() == last.length());
        let is_end = last.is_some_and(|last| run.length() < last.length());
        if !is_alike && !is_end {
            give(view, &mut block, &mut each);
        }
        block.push(run);
        if is_end && !is_alike {
            give(view, &mut block, &mut each);
        }
    }
    give(view, &mut block, &mut each);
}

/// Takes the longest run of digits of the line with this one; the sign of a diff before it is none of them.
fn longest(bytes: &[u8], start: usize, end: usize) -> Run {
    let line_start = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |before| before + 1);
    let line_end = memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |behind| end + behind);
    let (mut start, mut end, mut at) = (start, end, end);
    while let Some((from, to)) = stretch(&bytes[..line_end], at, SHORTEST, false, is_digit) {
        at = to;
        if to - from > end - start {
            (start, end) = (from, to);
        }
    }
    let is_signed = start == line_start && bytes[start] == b'+';
    Run { start: start + usize::from(is_signed), end, line: (line_start, line_end) }
}

/// Hands on a block of several lines, with the short line behind it, and begins another one.
fn give<'p>(view: &'p View<'p>, block: &mut Vec<Run>, each: &mut impl FnMut(View<'p>)) {
    let bytes = &*view.bytes;
    let mut block = std::mem::take(block);
    let Some(last) = block.last().copied() else { return };
    block.extend(tail(bytes, last));
    if block.len() < 2 || block.iter().all(|run| run.is_alone(bytes)) {
        return;
    }
    let mut draft = Draft::default();
    let last = block.last().copied().unwrap_or(last);
    for run in block {
        draft.copy(bytes, run.start, run.end);
    }
    each(draft.part(view, last.line.1 == bytes.len()));
}

/// Finds the last digits of a block: a line of fewer of them that begins as the line before it.
fn tail(bytes: &[u8], last: Run) -> Option<Run> {
    let from = last.line.1 + 1;
    let before = last.start - last.line.0;
    let rest = bytes.get(from..)?;
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    // A number before it may have one more digit, and a sign is a digit itself.
    let start = [before, before + 1].into_iter().find(|start| {
        line.get(*start).is_some_and(|byte| is_digit(*byte))
            && start.checked_sub(1).is_none_or(|sign| !is_digit(line[sign]) || sign == 0 && line[sign] == b'+')
    })?;
    let length = line[start..].iter().take_while(|byte| is_digit(**byte)).count();
    (length < SHORTEST).then_some(Run {
        start: from + start,
        end: from + start + length,
        line: (from, from + line.len()),
    })
}
