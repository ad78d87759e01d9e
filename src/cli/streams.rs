//! The standard streams of a run: those of this process, or an empty one and two texts, for a run inside another program.
//!
//! A reader that does not read blocks neither a run nor a program that a signal asks to stop: see [`Outlet`].

use std::io::{self, IsTerminal as _, Write};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use crate::context::{Unreadable, bounded};
use crate::keys::Ask;
use crate::process::{self, Answer, Outlet, terminal_width};
use crate::trust::NoPassphrase;

static STDOUT: OnceLock<Outlet> = OnceLock::new();
static STDERR: OnceLock<Outlet> = OnceLock::new();

/// Where a run reads and writes; copies share it.
#[derive(Debug, Clone)]
pub(super) enum Streams {
    /// The streams and the terminal of this process.
    Process,
    /// Nothing to read, no terminal, and texts to write to.
    Kept(Arc<Mutex<Texts>>),
}

/// What a run wrote.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Streams {
    /// Makes streams that keep what is written.
    pub(super) fn kept() -> Self {
        Self::Kept(Arc::default())
    }

    /// Takes what was kept so far.
    pub(super) fn take(&self) -> Texts {
        match self {
            Self::Process => Texts::default(),
            Self::Kept(texts) => std::mem::take(&mut *lock(texts)),
        }
    }

    pub(super) fn is_stdin_terminal(&self) -> bool {
        matches!(self, Self::Process) && io::stdin().is_terminal()
    }

    pub(super) fn is_stdout_terminal(&self) -> bool {
        matches!(self, Self::Process) && io::stdout().is_terminal()
    }

    pub(super) fn is_stderr_terminal(&self) -> bool {
        matches!(self, Self::Process) && io::stderr().is_terminal()
    }

    /// Returns how many columns the terminal of stdin has.
    pub(super) fn stdin_width(&self) -> Option<usize> {
        matches!(self, Self::Process).then(|| terminal_width(io::stdin())).flatten()
    }

    /// Returns how many columns the terminal of stdout has.
    pub(super) fn stdout_width(&self) -> Option<usize> {
        matches!(self, Self::Process).then(|| terminal_width(io::stdout())).flatten()
    }

    /// Returns how many columns the terminal of stderr has.
    pub(super) fn stderr_width(&self) -> Option<usize> {
        matches!(self, Self::Process).then(|| terminal_width(io::stderr())).flatten()
    }

    /// Reads stdin, at most `most` bytes of it.
    pub(super) fn read(&self, most: u64) -> Result<Vec<u8>, Unreadable> {
        match self {
            Self::Process => bounded::read_stdin(most),
            Self::Kept(_) => Ok(Vec::new()),
        }
    }

    /// Writes to stdout.
    pub(super) fn write(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Process => {
                STDOUT.get_or_init(|| Outlet::new(|bytes| write_out(io::stdout().lock(), bytes))).write(bytes)
            }
            Self::Kept(texts) => {
                lock(texts).stdout.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// Writes to stderr. What cannot be written there is lost; the exit code says the same.
    pub(super) fn offer(&self, text: &str) {
        match self {
            Self::Process => {
                STDERR
                    .get_or_init(|| Outlet::new(|bytes| write_out(io::stderr().lock(), bytes)))
                    .offer(text.as_bytes());
            }
            Self::Kept(texts) => lock(texts).stderr.extend_from_slice(text.as_bytes()),
        }
    }

    /// Waits until stderr is written.
    pub(super) fn finish_stderr(&self) {
        if matches!(self, Self::Process) {
            // As for every status.
            drop(STDERR.get().map(Outlet::finish));
        }
    }

    /// Waits until stdout is written.
    pub(super) fn finish_stdout(&self) -> io::Result<()> {
        match self {
            Self::Process => STDOUT.get().map_or(Ok(()), Outlet::finish),
            Self::Kept(_) => Ok(()),
        }
    }

    /// Asks on the terminal itself, as [`process::ask`].
    pub(super) fn ask(&self, question: &str) -> Answer {
        match self {
            Self::Process => process::ask(question),
            Self::Kept(_) => Answer::NoTerminal,
        }
    }

    /// Asks on the terminal itself, as [`process::ask_line`].
    pub(super) fn ask_line(&self, question: &str, choices: &str) -> Option<String> {
        match self {
            Self::Process => process::ask_line(question, choices),
            Self::Kept(_) => None,
        }
    }

    /// Returns the way to ask for a passphrase.
    pub(super) fn ask_hidden(&self) -> Ask {
        match self {
            Self::Process => Box::new(process::ask_hidden),
            Self::Kept(_) => Box::new(|_| Err(NoPassphrase::Nobody)),
        }
    }
}

fn lock(texts: &Mutex<Texts>) -> MutexGuard<'_, Texts> {
    texts.lock().unwrap_or_else(PoisonError::into_inner)
}

fn write_out(mut stream: impl Write, bytes: &[u8]) -> io::Result<()> {
    stream.write_all(bytes).and_then(|()| stream.flush())
}
