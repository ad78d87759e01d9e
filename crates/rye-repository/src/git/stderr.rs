//! The stderr of a git that runs, read piece by piece, until it is closed or until shortly after git has ended: a helper
//! that git leaves behind, such as the master of an SSH connection, may keep it open for ever.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// How long nothing comes before that counts as a pause.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// How many bytes a piece has at most.
const PIECE: usize = 4096;

/// How many pieces are taken after git has ended: more than a pipe has room for.
const LAST_PIECES: usize = 20;

/// How many bytes of stderr an error may have: the end.
const MAX_STDERR: usize = 16 * 1024;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Some bytes.
    Bytes(Vec<u8>),
    /// Nothing, for the time of a pause.
    Pause,
}

/// What the reader of the pipe and the waiter for git tell.
enum Event {
    Read(Vec<u8>),
    Closed,
    Ended,
}

/// The pieces of stderr, in order.
pub(super) struct Pieces {
    events: Receiver<Event>,
    /// How many more are taken, once git has ended.
    left: Option<usize>,
}

/// Tells the reader of stderr that git has ended.
pub(super) struct Ending(SyncSender<Event>);

impl Ending {
    pub(super) fn tell(self) {
        // Whoever has read all does not wait for it.
        drop(self.0.send(Event::Ended));
    }
}

/// Starts to read a pipe. The thread that reads may outlive this call: it waits as long as another program keeps the pipe.
pub(super) fn pieces(mut pipe: impl Read + Send + 'static) -> (Pieces, Ending) {
    let (events, received) = sync_channel(0);
    let ending = Ending(events.clone());
    thread::spawn(move || {
        let mut buffer = [0; PIECE];
        loop {
            let event = match pipe.read(&mut buffer) {
                Ok(0) => Event::Closed,
                Ok(length) => Event::Read(buffer[..length].to_vec()),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => Event::Closed,
            };
            let is_last = matches!(event, Event::Closed);
            if events.send(event).is_err() || is_last {
                return;
            }
        }
    });
    (Pieces { events: received, left: None }, ending)
}

impl Iterator for Pieces {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        loop {
            match self.events.recv_timeout(PAUSE) {
                Ok(Event::Read(bytes)) => {
                    if let Some(left) = &mut self.left {
                        *left = left.checked_sub(1)?;
                    }
                    return Some(Piece::Bytes(bytes));
                }
                Ok(Event::Ended) => self.left = Some(LAST_PIECES),
                Ok(Event::Closed) | Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.left.is_some() => return None,
                Err(RecvTimeoutError::Timeout) => return Some(Piece::Pause),
            }
        }
    }
}

/// Keeps the end of what was said.
pub(super) fn last_bytes(said: impl Iterator<Item = Piece>) -> Vec<u8> {
    let mut kept = Vec::new();
    for piece in said {
        if let Piece::Bytes(bytes) = piece {
            kept.extend(bytes);
            let surplus = kept.len().saturating_sub(MAX_STDERR);
            kept.drain(..surplus);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::io::Write as _;

    use super::*;

    #[test]
    fn all_that_git_said_is_read_and_a_helper_that_keeps_the_pipe_is_not_waited_for() {
        let (pipe, mut kept) = std::io::pipe().unwrap();
        kept.write_all(&[b'x'; 60_000]).unwrap();
        let (pieces, ending) = pieces(pipe);
        let read = thread::spawn(move || pieces.filter(|piece| *piece != Piece::Pause).map(length).sum::<usize>());
        ending.tell();
        assert_eq!(read.join().unwrap(), 60_000);
        // It is kept until here.
        drop(kept);
    }

    #[test]
    fn a_helper_that_goes_on_talking_is_not_listened_to() {
        let (pipe, mut kept) = std::io::pipe().unwrap();
        let (pieces, ending) = pieces(pipe);
        let talks = thread::spawn(move || while kept.write_all(b"more\n").is_ok() {});
        let read = thread::spawn(move || pieces.map(length).sum::<usize>());
        ending.tell();
        assert!(read.join().unwrap() > 0);
        talks.join().unwrap();
    }

    fn length(piece: Piece) -> usize {
        if let Piece::Bytes(bytes) = piece { bytes.len() } else { 0 }
    }
}
