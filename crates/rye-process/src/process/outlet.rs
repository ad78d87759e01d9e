//! A stream with a reader, written by an OS thread of its own, so that a reader that stops reading does not block a
//! run.
//!
//! The printing code waits until it is written. When that takes too long the reader counts as slow: output waits in a
//! buffer, up to a bound, and the printing code goes on. Once a signal asked the program to stop, it waits for the
//! reader only for a moment, and the rest is lost.

#![expect(clippy::disallowed_methods, reason = "a wait is measured here and recorded nowhere")]

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::signals::is_asked_to_stop;

/// How long a reader may take for the last output before it counts as slow.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 2 });

/// How long the reader may take for everything once the program is asked to stop.
const LAST_READ: Duration = Duration::from_secs(1);

/// How often it is looked whether the program is asked to stop.
const TICK: Duration = Duration::from_millis(20);

/// The most bytes that wait for a slow reader.
const MOST_KEPT: usize = 16 * 1024 * 1024;

/// A stream; nothing is written after the program's end.
#[derive(Debug)]
pub struct Outlet {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    queue: VecDeque<Vec<u8>>,
    /// The bytes that are not written yet, those included that are under way.
    waiting: usize,
    /// Whether the reader made the program wait for too long and has read nothing since.
    is_slow: bool,
    /// When a wait first noticed that the program is asked to stop.
    asked_at: Option<Instant>,
    /// Whether there is no writer.
    has_no_writer: bool,
    /// Why the last write failed.
    error: Option<io::Error>,
}

impl Outlet {
    /// Starts a writer that uses `write` for each piece.
    #[must_use]
    pub fn new(write: impl FnMut(&[u8]) -> io::Result<()> + Send + 'static) -> Self {
        let shared = Arc::new(Shared::default());
        let writer = Arc::clone(&shared);
        // Without one, as when there are too many processes, whoever prints is told.
        shared.lock().has_no_writer = thread::Builder::new().spawn(move || writer.work(write)).is_err();
        Self { shared }
    }

    /// Prints data: nothing is lost until the program has to stop, so it waits for a slow reader.
    ///
    /// # Errors
    ///
    /// Fails with what an earlier piece or this one could not be written for; with `TimedOut` when the program is asked to
    /// stop and the reader does not read.
    pub fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.shared.lock();
        state.push(bytes);
        self.shared.wait(state, MOST_KEPT)
    }

    /// Prints status, which a slow reader who left too much does not get.
    pub fn offer(&self, bytes: &[u8]) {
        let mut state = self.shared.lock();
        if state.waiting.saturating_add(bytes.len()) <= MOST_KEPT {
            state.push(bytes);
            // A status that cannot be written is lost.
            drop(self.shared.wait(state, MOST_KEPT));
        }
    }

    /// Waits until everything is written, or the program is asked to stop and the reader does not read.
    ///
    /// # Errors
    ///
    /// As [`Outlet::write`].
    pub fn finish(&self) -> io::Result<()> {
        self.shared.wait(self.shared.lock(), 0)
    }
}

impl State {
    fn push(&mut self, bytes: &[u8]) {
        self.waiting += bytes.len();
        self.queue.push_back(bytes.to_vec());
    }

    /// Tells whether the program is asked to stop and the reader had its moment.
    fn is_over(&mut self) -> bool {
        is_asked_to_stop() && self.asked_at.get_or_insert_with(Instant::now).elapsed() >= LAST_READ
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until everything is written; for a slow reader only until no more than `kept` bytes wait.
    fn wait(&self, mut state: MutexGuard<'_, State>, kept: usize) -> io::Result<()> {
        self.changed.notify_all();
        if state.has_no_writer {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let start = Instant::now();
        while state.waiting > 0 && state.error.is_none() {
            state.is_slow |= start.elapsed() >= PATIENCE;
            if state.is_slow && state.waiting <= kept {
                return Ok(());
            }
            if state.is_over() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            state = self.changed.wait_timeout(state, TICK).unwrap_or_else(PoisonError::into_inner).0;
        }
        state.error.take().map_or(Ok(()), Err)
    }

    fn work(&self, mut write: impl FnMut(&[u8]) -> io::Result<()>) {
        let mut state = self.lock();
        loop {
            let Some(piece) = state.queue.pop_front() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            let written = write(&piece);
            state = self.lock();
            state.waiting -= piece.len();
            state.is_slow = false;
            if let Err(error) = written {
                state.error = Some(error);
            }
            self.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

    /// A reader that takes a piece for each word it is given, and tells what it took.
    fn reader() -> (Outlet, Sender<()>, Receiver<Vec<u8>>) {
        let (go_on, words) = channel();
        let (taken, pieces) = channel();
        let outlet = Outlet::new(move |bytes| {
            words.recv().map_err(|_| io::ErrorKind::BrokenPipe)?;
            taken.send(bytes.to_vec()).map_err(|_| io::ErrorKind::BrokenPipe.into())
        });
        (outlet, go_on, pieces)
    }

    #[test]
    fn a_reader_that_does_not_read_holds_nobody_up_and_gets_everything_later() {
        let (outlet, go_on, pieces) = reader();
        outlet.write(b"one").unwrap();
        outlet.offer(b"two");
        outlet.write(b"three").unwrap();
        (0..3).for_each(|_| go_on.send(()).unwrap());
        outlet.finish().unwrap();
        assert_eq!(pieces.iter().take(3).collect::<Vec<_>>(), [b"one".to_vec(), b"two".to_vec(), b"three".to_vec()]);
    }

    #[test]
    fn status_beyond_the_bound_is_left_out() {
        let (outlet, go_on, pieces) = reader();
        outlet.offer(&vec![b'x'; MOST_KEPT]);
        outlet.offer(b"more");
        (0..2).for_each(|_| go_on.send(()).unwrap());
        outlet.finish().unwrap();
        assert_eq!(pieces.try_iter().map(|piece| piece.len()).collect::<Vec<_>>(), [MOST_KEPT]);
    }

    #[test]
    fn what_could_not_be_written_is_an_error_once() {
        let (outlet, go_on, pieces) = reader();
        drop((go_on, pieces));
        let error = outlet.write(b"one").and_then(|()| outlet.finish()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        outlet.finish().unwrap();
    }
}
