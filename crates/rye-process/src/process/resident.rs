//! A child that stays: it is told lines and says lines, until it is dropped.
//!
//! An OS thread of its own starts it and waits for its end, because the kernel ties the child's life to the thread that started
//! it. Output that is not read yet stays in its pipe. When it is dropped, its input ends; half a second later it is
//! stopped as any child is, and its keeper ends what it started.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write as _};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::child::{ChildSpec, attended};
use super::deadline::Deadline;
use super::error::Error;
use super::signals::CancelFlag;

/// How long it may take to end by itself once its input has.
const GRACE: Duration = Duration::from_millis(500);
/// How long its standard error may stay open once its output has ended.
const DRAIN: Duration = Duration::from_millis(500);
/// How many lines wait to be read here; the others wait in the pipe.
const MOST_WAITING: usize = 4;
/// How many bytes of its standard error are kept: the last.
const STDERR_KEPT: usize = 4 * 1024;

/// A child that stays.
#[derive(Debug)]
pub struct Resident {
    input: Option<Sender<Vec<u8>>>,
    said: Mutex<Receiver<Said>>,
    stderr: Arc<Mutex<VecDeque<u8>>>,
    /// Closed when its standard error is.
    all_read: Mutex<Receiver<()>>,
    cancel: CancelFlag,
    ended: Mutex<Receiver<()>>,
    worker: Option<JoinHandle<Option<ExitStatus>>>,
}

/// What a child said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A line, without its end.
    Line(Vec<u8>),
    /// A line that is longer than this many bytes.
    TooLong(usize),
    /// Nothing more: it closed its output, or ended.
    Closed,
    /// Nothing until the deadline.
    Nothing,
}

impl Resident {
    /// Starts a child. `confiner` is this very program; `serve` gets the socket of its way out, if it has one. A line of more than
    /// `longest` bytes is not kept.
    ///
    /// # Errors
    ///
    /// As [`run_with_way_out`](super::run_with_way_out), as far as that is known when it has started.
    pub fn start(
        spec: ChildSpec,
        confiner: PathBuf,
        longest: usize,
        serve: impl FnOnce(OwnedFd) + Send + 'static,
    ) -> Result<Self, Error> {
        let cancel = CancelFlag::new();
        let (program, stopped) = (spec.program.clone(), cancel.clone());
        let (tell, started) = channel();
        let (over, ended) = channel::<()>();
        let worker = thread::Builder::new().spawn(move || {
            // Dropped with this thread, which says that it is over.
            let _over = over;
            let for_pipes = tell.clone();
            let piped = |pipes| for_pipes.send(Ok(pipes)).map_err(drop);
            match attended(&spec, &confiner, &stopped, serve, piped) {
                Ok(status) => Some(status),
                Err(error) => {
                    // The caller has gone on if it had started.
                    let _ = tell.send(Err(error));
                    None
                }
            }
        });
        let failed = |source| Error::Start { program: program.clone(), source };
        let worker = worker.map_err(failed)?;
        let gone = || failed(std::io::ErrorKind::BrokenPipe.into());
        let pipes = started.recv().map_err(|_| gone())??;
        let (input, lines) = channel();
        let (say, said) = sync_channel(MOST_WAITING);
        let stderr = Arc::new(Mutex::new(VecDeque::new()));
        let (reading, all_read) = channel::<()>();
        if let Some(pipe) = pipes.stdin {
            thread::spawn(move || feed(pipe, &lines));
        }
        if let Some(pipe) = pipes.stdout {
            thread::spawn(move || listen(pipe, longest, &say));
        }
        if let Some(pipe) = pipes.stderr {
            let kept = Arc::clone(&stderr);
            thread::spawn(move || {
                keep_last(pipe, &kept);
                drop(reading);
            });
        }
        let (said, ended, all_read) = (Mutex::new(said), Mutex::new(ended), Mutex::new(all_read));
        Ok(Self { input: Some(input), said, stderr, all_read, cancel, ended, worker: Some(worker) })
    }

    /// Writes a line to its standard input, when it reads. One that has ended is not harmed.
    pub fn tell(&self, mut line: Vec<u8>) {
        line.push(b'\n');
        if let Some(input) = &self.input {
            // An unread request gets no answer, and that is noticed.
            let _ = input.send(line);
        }
    }

    /// Returns the next thing that it said, or that it said nothing until the deadline.
    #[must_use]
    pub fn hear(&self, deadline: Deadline) -> Said {
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match said.recv_timeout(deadline.left()) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => Said::Nothing,
            Err(RecvTimeoutError::Disconnected) => Said::Closed,
        }
    }

    /// Returns the end of what a child whose output has ended wrote to standard error: it waits a moment for the rest.
    #[must_use]
    pub fn last_complaint(&self) -> String {
        let _ = self.all_read.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(DRAIN);
        let bytes: Vec<u8> = self.stderr.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect();
        String::from_utf8_lossy(&bytes).trim().to_owned()
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        drop(self.input.take());
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
            self.cancel.cancel();
        }
        // Ends the worker that waits to hand over a line.
        let (_, closed) = channel();
        *self.said.get_mut().unwrap_or_else(PoisonError::into_inner) = closed;
        drop(self.worker.take().map(JoinHandle::join));
    }
}

fn feed(mut pipe: ChildStdin, lines: &Receiver<Vec<u8>>) {
    while let Ok(line) = lines.recv() {
        if pipe.write_all(&line).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

/// Reads lines until the output ends or the receiver is gone.
fn listen(pipe: ChildStdout, longest: usize, say: &SyncSender<Said>) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        let read = (&mut reader).take(longest as u64 + 1).read_until(b'\n', &mut line);
        let said = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.last() == Some(&b'\n') => {
                line.pop();
                Said::Line(line)
            }
            Ok(count) if count > longest => Said::TooLong(longest),
            Ok(_) => Said::Line(line),
        };
        let is_last = matches!(said, Said::TooLong(_));
        if say.send(said).is_err() || is_last {
            return;
        }
    }
}

fn keep_last(mut pipe: impl Read, kept: &Mutex<VecDeque<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count) = pipe.read(&mut buffer) {
        if count == 0 {
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend(&buffer[..count]);
        let beyond = kept.len().saturating_sub(STDERR_KEPT);
        kept.drain(..beyond);
    }
}
