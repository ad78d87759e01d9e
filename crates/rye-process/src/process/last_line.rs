//! The last line that a running child wrote to stderr, for whoever waits for it.

use std::sync::{Arc, Mutex, PoisonError};

/// How much of a line is kept, in bytes: more than a terminal shows.
const LONGEST: usize = 1024;

/// A line that is read while a child runs.
#[derive(Debug, Clone, Default)]
pub struct LastLine {
    lines: Arc<Mutex<Lines>>,
}

#[derive(Debug, Default)]
struct Lines {
    /// The last line that said something.
    last: Vec<u8>,
    /// What came behind it.
    open: Vec<u8>,
}

impl LastLine {
    /// Takes up what the child wrote.
    pub(super) fn take(&self, bytes: &[u8]) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        for &byte in bytes {
            match byte {
                // Progress is often written over with a carriage return.
                b'\n' | b'\r' => lines.close(),
                byte if lines.open.len() < LONGEST => lines.open.push(byte),
                _ => {}
            }
        }
    }

    /// Returns the last line that is not blank, the one under way included.
    #[must_use]
    pub fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let line = if lines.open.trim_ascii().is_empty() { &lines.last } else { &lines.open };
        String::from_utf8_lossy(line).trim().to_owned()
    }
}

impl Lines {
    fn close(&mut self) {
        if !self.open.trim_ascii().is_empty() {
            std::mem::swap(&mut self.last, &mut self.open);
        }
        self.open.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_says_something_is_kept() {
        let line = LastLine::default();
        assert_eq!(line.text(), "");
        for (bytes, text) in [("one\n", "one"), ("\n\n", "one"), ("tw", "tw"), ("o\r", "two"), ("  \r\nthree", "three")]
        {
            line.take(bytes.as_bytes());
            assert_eq!(line.text(), text);
        }
        line.take(&[b'x'; 5_000]);
        assert_eq!(line.text().len(), LONGEST);
    }
}
