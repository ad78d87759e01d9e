//! A person at the terminal, and the line they answer with.
//!
//! A blocked read goes on after the signal that asks the run to stop, so a worker reads while the flag is looked at.
//! When the wait is given up, the worker is abandoned and ends with the program: nothing is asked of a run that stops.

use std::io::BufRead;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::signals::is_asked_to_stop;

/// How long one look for an answer takes.
const LOOK: Duration = Duration::from_millis(50);

/// Waits for the line that a person types; none when they type none (Ctrl-D), the terminal goes away, or the run is
/// asked to stop (Ctrl-C). Only `terminal.rs` calls it, which first drops input from before the question.
pub(super) fn line_of(mut reader: impl BufRead + Send + 'static) -> Option<String> {
    let (sender, typed) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = reader.read_line(&mut line);
        // The receiver is gone after the wait was given up.
        let _ = sender.send(read.is_ok_and(|bytes| bytes > 0).then_some(line));
    });
    while !is_asked_to_stop() {
        match typed.recv_timeout(LOOK) {
            Ok(line) => return line,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return None,
        }
    }
    None
}
