//! Both ends of a child's pipes at once, each on a worker, so that neither side ever waits for the other.
//!
//! Output beyond the bound is read and dropped, and whoever supervises the child is told to stop it. A worker whose pipe is held
//! open by a process that left the child's group is abandoned after a short while, with what it has read so far; it
//! ends by itself when that process does.

#![expect(clippy::disallowed_methods, reason = "timeouts are measured here and recorded nowhere")]

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::last_line::LastLine;

/// The data read from one pipe.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) bytes: Vec<u8>,
    pub(super) truncated: bool,
    /// Whether a process that left the group still held the pipe open.
    pub(super) held_open: bool,
}

/// A worker that reads one pipe to its end.
pub(super) struct Collector {
    shared: Arc<Mutex<Collected>>,
    done: Receiver<()>,
}

impl Collector {
    /// Starts reading `pipe`, keeping at most `limit` bytes; `flood` is set when there are more. Read data goes to
    /// `said`, too.
    pub(super) fn start(
        pipe: impl Read + Send + 'static,
        limit: usize,
        flood: &Arc<AtomicBool>,
        said: Option<LastLine>,
    ) -> Self {
        let shared = Arc::new(Mutex::new(Collected::default()));
        let (sender, done) = channel();
        let (worker, flood) = (Arc::clone(&shared), Arc::clone(flood));
        thread::spawn(move || {
            drain(pipe, limit, &worker, &flood, said.as_ref());
            // The receiver is gone after the wait was given up.
            let _ = sender.send(());
        });
        Self { shared, done }
    }

    /// Waits for the end of the pipe, at most until `deadline`, and returns the read data. A pipe that was not read to
    /// its end counts as truncated.
    pub(super) fn finish(self, deadline: Instant) -> Collected {
        let left = deadline.saturating_duration_since(Instant::now());
        let abandoned = self.done.recv_timeout(left) == Err(RecvTimeoutError::Timeout);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let mut collected = std::mem::take(&mut *shared);
        collected.truncated |= abandoned;
        collected.held_open = abandoned;
        collected
    }
}

fn drain(mut pipe: impl Read, limit: usize, shared: &Mutex<Collected>, flood: &AtomicBool, said: Option<&LastLine>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                said.into_iter().for_each(|said| said.take(&buffer[..count]));
                let fits = keep(&mut shared.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..count], limit);
                if !fits {
                    flood.store(true, Ordering::SeqCst);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Keeps what there is room for, and tells whether that was all.
fn keep(collected: &mut Collected, bytes: &[u8], limit: usize) -> bool {
    let room = limit.saturating_sub(collected.bytes.len()).min(bytes.len());
    collected.bytes.extend_from_slice(&bytes[..room]);
    collected.truncated |= room < bytes.len();
    room == bytes.len()
}

/// Starts writing `bytes` to the child's stdin and closes it. A child that does not read them all is not harmed.
pub(super) fn feed(mut pipe: impl Write + Send + 'static, bytes: Vec<u8>) {
    thread::spawn(move || {
        // A broken pipe only says that the child had enough.
        let _ = pipe.write_all(&bytes);
    });
}
