//! What git says while it shares the terminal: each line goes through this program, so none passes for its own.

use std::fmt;
use std::io::{BufReader, Read};

/// The longest line that is passed on whole, in bytes.
const LONGEST: usize = 4096;

/// Shows a line that git or a server said.
#[derive(Clone, Copy)]
pub struct Relay(pub fn(&str));

impl fmt::Debug for Relay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Relay")
    }
}

/// Passes on the lines of a pipe, to its end. A progress that is written over ends a line, too.
pub(super) fn pass_on(pipe: impl Read, relay: Relay) {
    let (mut line, mut bytes) = (Vec::new(), BufReader::new(pipe).bytes());
    let told = |line: &mut Vec<u8>| {
        let text = String::from_utf8_lossy(line);
        if !text.trim().is_empty() {
            (relay.0)(text.trim_end());
        }
        line.clear();
    };
    while let Some(Ok(byte)) = bytes.next() {
        match byte {
            b'\n' | b'\r' => told(&mut line),
            byte => line.push(byte),
        }
        if line.len() >= LONGEST {
            told(&mut line);
        }
    }
    told(&mut line);
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

    #[test]
    fn every_line_is_passed_on_by_itself() {
        let relay = Relay(|line| TOLD.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line.to_owned()));
        pass_on("a\n\nhint: b\rc 1%\rc 2%\nend".as_bytes(), relay);
        let told = TOLD.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        assert_eq!(*told, ["a", "hint: b", "c 1%", "c 2%", "end"]);
    }
}
