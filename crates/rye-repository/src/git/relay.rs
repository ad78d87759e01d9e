//! What git says while it shares the terminal: each line goes through this program, so none passes for its own.

use std::fmt;

use super::stderr::Piece;

/// The longest line that is passed on whole, in bytes.
const LONGEST: usize = 4096;

/// After how many pauses without a word the person is told: five seconds.
const LONG_SILENCE: usize = 25;

/// Shows what git or a server said.
#[derive(Clone, Copy)]
pub struct Relay {
    /// Shows it.
    pub show: fn(Words<'_>),
    /// Whether a person sees it on a terminal, where progress is written over.
    pub is_terminal: bool,
}

/// What git or a server said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words<'w> {
    /// A line, or the beginning of one that waits for its rest, such as a question.
    Line(&'w str),
    /// A line that the next one is written over.
    Progress(&'w str),
    /// Nothing yet, for some seconds: OpenSSH asks to touch a security key only where stderr is a terminal.
    Silence,
}

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Relay")
    }
}

/// Passes on what git says, to its end. A part of a line is passed on after a pause: whoever asked waits for an answer.
pub(super) fn pass_on(pieces: impl Iterator<Item = Piece>, relay: Relay) {
    let mut line = Line { bytes: Vec::new(), progress: None, relay };
    let mut silence = Some(0);
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => {
                silence = None;
                bytes.into_iter().for_each(|byte| line.take(byte));
            }
            Piece::Pause => {
                line.pause();
                silence = silence.map(|pauses: usize| pauses + 1);
                if silence == Some(LONG_SILENCE) {
                    (relay.show)(Words::Silence);
                }
            }
        }
    }
    line.end();
}

/// A line under way.
struct Line {
    bytes: Vec<u8>,
    /// What was shown last, to be written over.
    progress: Option<String>,
    relay: Relay,
}

impl Line {
    fn take(&mut self, byte: u8) {
        match byte {
            b'\n' => self.end(),
            b'\r' => {
                if let Some(text) = self.text() {
                    (self.relay.show)(Words::Progress(&text));
                    self.progress = Some(text);
                }
            }
            byte => self.bytes.push(byte),
        }
        if self.bytes.len() >= LONGEST {
            self.pause();
        }
    }

    /// Shows the part that is there.
    fn pause(&mut self) {
        if let Some(text) = self.text() {
            (self.relay.show)(Words::Line(&text));
            self.progress = None;
        }
    }

    /// Ends the line; a progress that nothing was written over stays.
    fn end(&mut self) {
        self.pause();
        if let Some(text) = self.progress.take() {
            (self.relay.show)(Words::Line(&text));
        }
    }

    /// Takes the text that is not shown yet; none if it is blank.
    fn text(&mut self) -> Option<String> {
        let bytes = std::mem::take(&mut self.bytes);
        let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
        (!text.trim().is_empty()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Mutex, PoisonError};

    use super::*;

    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

    fn told(pieces: Vec<Piece>) -> Vec<String> {
        let show = |words: Words<'_>| TOLD.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{words:?}"));
        pass_on(pieces.into_iter(), Relay { show, is_terminal: true });
        std::mem::take(&mut *TOLD.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[test]
    fn every_line_is_passed_on_by_itself_and_a_question_without_a_line_feed_after_a_pause() {
        let bytes = |text: &str| Piece::Bytes(text.as_bytes().to_vec());
        let expected =
            [r#"Line("a")"#, r#"Progress("hint: b")"#, r#"Progress("c 1%")"#, r#"Line("c 2%")"#, r#"Line("end")"#];
        assert_eq!(told(vec![bytes("a\n\nhint: b\rc 1%\rc "), bytes("2%\nend")]), expected);
        let asked = vec![bytes("Touch"), bytes(" it: "), Piece::Pause, Piece::Pause, bytes("hint: x\n")];
        assert_eq!(told(asked), [r#"Line("Touch it:")"#, r#"Line("hint: x")"#]);
        assert_eq!(told(vec![bytes("1%\r\n"), bytes("2%\r")]).len(), 4);
        let silence = || (0..LONG_SILENCE * 2).map(|_| Piece::Pause);
        assert_eq!(told(silence().collect()), ["Silence"]);
        assert_eq!(told(std::iter::once(bytes("x\n")).chain(silence()).collect()), [r#"Line("x")"#]);
    }
}
