//! A content of any size, read as text in windows that overlap, so that memory is bounded.
//!
//! A window owns the places between its edges: every place belongs to one window, which also shows some text on both sides of it.
//! Bytes that are not UTF-8 are replaced.

use std::io::{self, ErrorKind, Read};

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// The longest character, in bytes.
const LONGEST: usize = 4;

/// How much text a window owns and how much it shows on both sides, in bytes.
#[derive(Debug, Clone, Copy)]
pub struct Pane {
    /// The part that is looked at in this window.
    pub own: usize,
    /// The part on each side that the window shows as well: the longest that something may be to be found at any place.
    pub around: usize,
}

/// The windows of a content.
#[derive(Debug)]
pub struct Windows<R> {
    content: R,
    pane: Pane,
    /// Bytes that are read and not yet text: the beginning of a character.
    undecoded: Vec<u8>,
    text: String,
    /// Where the part begins that the next window owns.
    next: usize,
    /// How much is removed before the next window.
    passed: usize,
    /// The place of the text in the content.
    line: usize,
    column: usize,
    read: u64,
    is_read: bool,
    is_last: bool,
}

/// A part of a content.
#[derive(Debug)]
pub struct Window<'w> {
    /// The text.
    pub text: &'w str,
    /// Where the part begins and ends that is looked at in this window and in no other.
    pub own: std::ops::Range<usize>,
    /// The line that the text begins in, from 1.
    line: usize,
    /// The column that it begins in, in characters, from 1.
    column: usize,
}

impl Window<'_> {
    /// Returns the line and the column of a place in the text, both from 1; a column is counted in characters.
    #[must_use]
    pub fn place(&self, at: usize) -> (usize, usize) {
        place(&self.text[..at], self.line, self.column)
    }
}

impl<R: Read> Windows<R> {
    /// Begins to read a content.
    pub const fn of(content: R, pane: Pane) -> Self {
        Self {
            content,
            pane,
            undecoded: Vec::new(),
            text: String::new(),
            next: 0,
            passed: 0,
            line: 1,
            column: 1,
            read: 0,
            is_read: false,
            is_last: false,
        }
    }

    /// Returns how many bytes were read.
    #[must_use]
    pub const fn read(&self) -> u64 {
        self.read
    }

    /// Returns the next window; none behind the last one.
    ///
    /// # Errors
    ///
    /// Fails when the content cannot be read.
    pub fn next_window(&mut self) -> io::Result<Option<Window<'_>>> {
        if self.is_last {
            return Ok(None);
        }
        let (line, column) = place(&self.text[..self.passed], self.line, self.column);
        (self.line, self.column) = (line, column);
        drop(self.text.drain(..self.passed));
        self.next -= self.passed;
        // A part is at least as long as a character, so that there is always a next place.
        let own = self.pane.own.max(LONGEST);
        while !self.is_read && self.text.len() < self.next + own + self.pane.around {
            self.take_chunk()?;
        }
        self.is_last = self.is_read;
        let end = if self.is_last { self.text.len() } else { self.behind(self.text.len() - self.pane.around) };
        let own = std::mem::replace(&mut self.next, end)..end;
        self.passed = self.behind(end.saturating_sub(self.pane.around));
        Ok(Some(Window { text: &self.text, own, line: self.line, column: self.column }))
    }

    fn behind(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }

    fn take_chunk(&mut self) -> io::Result<()> {
        let length = self.undecoded.len();
        self.undecoded.resize(length + CHUNK, 0);
        let taken = match self.content.read(&mut self.undecoded[length..]) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {
                self.undecoded.truncate(length);
                return Ok(());
            }
            taken => taken?,
        };
        self.undecoded.truncate(length + taken);
        self.read += taken as u64;
        self.is_read = taken == 0;
        let kept = decode(&self.undecoded, self.is_read, &mut self.text);
        self.undecoded.drain(..self.undecoded.len() - kept);
        Ok(())
    }
}

/// Adds bytes to a text. Returns how many at the end are kept, as the character that they begin may go on.
fn decode(bytes: &[u8], is_all: bool, text: &mut String) -> usize {
    let mut left = bytes.len();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        left -= chunk.valid().len() + chunk.invalid().len();
        if chunk.invalid().is_empty() {
            continue;
        }
        if left == 0 && !is_all {
            return chunk.invalid().len();
        }
        text.push(char::REPLACEMENT_CHARACTER);
    }
    0
}

/// Returns the place behind a text that begins at another one.
fn place(text: &str, line: usize, column: usize) -> (usize, usize) {
    match text.rfind('\n') {
        Some(last) => (line + text.bytes().filter(|byte| *byte == b'\n').count(), text[last + 1..].chars().count() + 1),
        None => (line, column + text.chars().count()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    /// Reads a few bytes at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(buffer.len()).min(3);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    #[test]
    fn the_windows_of_a_content_own_each_place_once_and_know_its_line() {
        let text: String = (0..400).map(|number| format!("ä {number}\n€\u{1F600} x\n\n")).collect();
        let mut bytes = text.clone().into_bytes();
        bytes.extend([0xF0, 0x9F, b'a', 0xFF]);
        let whole = String::from_utf8_lossy(&bytes).into_owned();
        for (own, around) in [(1, 1), (7, 3), (50, 20), (5000, 10), (50_000, 10)] {
            let (mut windows, mut seen, mut longest) =
                (Windows::of(Slow(&bytes), Pane { own, around }), String::new(), 0);
            while let Some(window) = windows.next_window().unwrap() {
                let (line, column) = place(&whole[..seen.len()], 1, 1);
                assert_eq!(window.place(window.own.start), (line, column));
                let shown = window.own.start.min(seen.len());
                assert!(whole[seen.len() - shown..].starts_with(window.text), "{own} {around}");
                assert!(shown + 4 >= around.min(seen.len()));
                longest = longest.max(window.text.len());
                seen.push_str(&window.text[window.own]);
            }
            assert_eq!((seen.as_str(), windows.read()), (whole.as_str(), bytes.len() as u64));
            assert!(longest <= own + 2 * around + 16);
        }
    }
}
