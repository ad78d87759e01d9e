//! Both ends of a child's pipes at once, each on a worker, so that neither side ever waits for the other.
//!
//! Of output beyond the bound the middle is dropped (`kept_output`). Far beyond it, whoever supervises the child is told to stop it. A
//! worker whose pipe is held open by a process that left the child's group is abandoned after a short while, with what it has read so far; it
//! ends by itself when that process does.

#![expect(clippy::disallowed_methods, reason = "timeouts are measured here and recorded nowhere")]

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use super::kept_output::{Cut, KeptOutput};
use super::last_line::LastLine;

/// The data read from one pipe.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) bytes: Vec<u8>,
    /// Where the middle is missing.
    pub(super) cut: Option<Cut>,
    pub(super) truncated: bool,
    /// Whether a process that left the group still held the pipe open.
    pub(super) held_open: bool,
}

/// A worker that reads one pipe to its end.
pub(super) struct Collector {
    shared: Arc<Mutex<KeptOutput>>,
    done: Receiver<()>,
    limit: usize,
}

/// The bounds of one stream, in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct StreamBounds {
    /// How many are kept.
    pub(super) kept: usize,
    /// How many may be written.
    pub(super) written: u64,
}

impl Collector {
    /// Starts reading `pipe`; `flood` is set when it writes more than it may. Read data goes to `said`, too.
    pub(super) fn start(
        pipe: impl Read + Send + 'static,
        bounds: StreamBounds,
        flood: &Arc<AtomicBool>,
        said: Option<LastLine>,
    ) -> Self {
        let shared = Arc::new(Mutex::new(KeptOutput::default()));
        let (sender, done) = channel();
        let (worker, flood) = (Arc::clone(&shared), Arc::clone(flood));
        thread::spawn(move || {
            drain(pipe, bounds, &worker, &flood, said.as_ref());
            // The receiver is gone after the wait was given up.
            let _ = sender.send(());
        });
        Self { shared, done, limit: bounds.kept }
    }

    /// Waits for the end of the pipe, at most until `deadline`, and returns the read data. A pipe that was not read to
    /// its end counts as truncated.
    pub(super) fn finish(self, deadline: Instant) -> Collected {
        let left = deadline.saturating_duration_since(Instant::now());
        let abandoned = self.done.recv_timeout(left) == Err(RecvTimeoutError::Timeout);
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, cut) = std::mem::take(&mut *shared).finish(self.limit);
        Collected { bytes, truncated: abandoned || cut.is_some(), cut, held_open: abandoned }
    }
}

fn drain(
    mut pipe: impl Read,
    bounds: StreamBounds,
    shared: &Mutex<KeptOutput>,
    flood: &AtomicBool,
    said: Option<&LastLine>,
) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        match pipe.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                said.into_iter().for_each(|said| said.take(&buffer[..count]));
                let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.take(&buffer[..count], bounds.kept) > bounds.written {
                    flood.store(true, Ordering::SeqCst);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// Starts writing `bytes` to the child's stdin and closes it. A child that does not read them all is not harmed.
pub(super) fn feed(mut pipe: impl Write + Send + 'static, bytes: Vec<u8>) {
    thread::spawn(move || {
        // A broken pipe only says that the child had enough.
        let _ = pipe.write_all(&bytes);
    });
}
