//! The signals that ask a run to stop, turned into a flag that the run looks at.
//!
//! SIGINT, SIGTERM, SIGHUP, SIGQUIT and the other signals that end a program by default set the flag and name the cause; a
//! second SIGINT ends the program at once, and so does a second SIGTERM, if it is not the first one said twice. SIGXFSZ
//! only sets an unused flag, so that a file-size limit is an error of the write instead of the program's death.
//! SIGPIPE, real-time signals and those of a crash are left as they are.

#![expect(clippy::disallowed_methods, reason = "the time between two signals is measured here and recorded nowhere")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, test_kill_process};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::error::Error;

/// A flag that asks a run to stop; clones share it.
#[derive(Debug, Clone, Default)]
pub struct CancelFlag {
    cause: Arc<AtomicUsize>,
    /// The flag that this one is set with.
    above: Option<Arc<Self>>,
}

/// Why a run is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// The program itself asked.
    Requested,
    /// SIGINT: Ctrl-C.
    Interrupted,
    /// SIGTERM, or another signal that ends a program by default.
    Terminated,
    /// SIGHUP: the terminal is gone.
    HungUp,
    /// SIGQUIT: Ctrl-\.
    Quit,
}

/// The signals that ask a run to stop. Without a handler each ends the program, and a tool's group is left running.
const STOPPING: &[(Signal, Cause)] = &[
    (Signal::INT, Cause::Interrupted),
    (Signal::TERM, Cause::Terminated),
    (Signal::HUP, Cause::HungUp),
    (Signal::QUIT, Cause::Quit),
    (Signal::USR1, Cause::Terminated),
    (Signal::USR2, Cause::Terminated),
    (Signal::ALARM, Cause::Terminated),
    (Signal::VTALARM, Cause::Terminated),
    (Signal::PROF, Cause::Terminated),
    (Signal::XCPU, Cause::Terminated),
    (Signal::IO, Cause::Terminated),
    #[cfg(target_os = "linux")]
    (Signal::POWER, Cause::Terminated),
    #[cfg(target_os = "linux")]
    (Signal::STKFLT, Cause::Terminated),
];

/// Whether any signal that was listened for asked the program to stop.
static ASKED: LazyLock<CancelFlag> = LazyLock::new(CancelFlag::new);

/// How long after a SIGTERM another one is meant: `timeout` signals a program and its group, in one go.
const MEANT_AGAIN: Duration = Duration::from_millis(500);

impl CancelFlag {
    /// Makes a flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes a flag that is set with this one, or by itself.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { cause: Arc::default(), above: Some(Arc::new(self.clone())) }
    }

    /// Sets the flag from inside the program, unless it has a cause already.
    pub fn cancel(&self) {
        let requested = Cause::Requested.code();
        // The first cause counts.
        let _ = self.cause.compare_exchange(0, requested, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Tells whether the run is to stop.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.cause.load(Ordering::SeqCst) != 0 || self.above.as_ref().is_some_and(|above| above.is_set())
    }

    /// Returns why the run is to stop: the last cause, if signals followed one another.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        let code = self.cause.load(Ordering::SeqCst);
        let own = Cause::ALL.into_iter().find(|cause| cause.code() == code);
        own.or_else(|| self.above.as_ref()?.cause())
    }
}

impl Cause {
    const ALL: [Self; 5] = [Self::Requested, Self::Interrupted, Self::Terminated, Self::HungUp, Self::Quit];

    /// Returns this cause's number in the flag; 0 is no cause.
    const fn code(self) -> usize {
        self as usize + 1
    }
}

/// Listens for the signals that stop a run, for the rest of the program's life.
///
/// # Errors
///
/// Fails when the operating system does not let a signal be caught.
pub fn install(cancel: &CancelFlag) -> Result<(), Error> {
    let interrupted_before = Arc::new(AtomicBool::new(false));
    // In this order: the first SIGINT finds the flag unset and sets it, the second finds it set.
    listen(Signal::INT, |signal| flag::register_conditional_default(signal, Arc::clone(&interrupted_before)))?;
    listen(Signal::INT, |signal| flag::register(signal, Arc::clone(&interrupted_before)))?;
    for &(signal, cause) in STOPPING {
        for flag in [cancel, &*ASKED] {
            listen(signal, |signal| flag::register_usize(signal, Arc::clone(&flag.cause), cause.code()))?;
        }
    }
    end_at_a_second(Signal::TERM)?;
    survive_file_size_limit()
}

/// Tells whether a signal that was listened for asked the program to stop.
pub(super) fn is_asked_to_stop() -> bool {
    ASKED.is_set()
}

/// Returns why the program is asked to stop: the last cause, if signals followed one another.
pub(super) fn why_asked_to_stop() -> Option<Cause> {
    ASKED.cause()
}

/// Ends the program when a signal comes again.
fn end_at_a_second(signal: Signal) -> Result<(), Error> {
    let signal = signal.as_raw();
    let mut signals = Signals::new([signal]).map_err(|source| Error::Signal { signal, source })?;
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            if first.get_or_insert_with(Instant::now).elapsed() >= MEANT_AGAIN {
                // It ends the program, or no program can be ended.
                let _ = emulate_default_handler(signal);
            }
        }
    });
    Ok(())
}

/// Calls `told` on an OS thread of its own when the first signal asks the program to stop: for who waits for something
/// else than the flag.
///
/// # Errors
///
/// Fails when the operating system does not let a signal be caught.
pub fn on_stop(told: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let asked = STOPPING.iter().map(|(signal, _)| signal.as_raw());
    let mut signals = Signals::new(asked).map_err(|source| Error::Signal { signal: Signal::INT.as_raw(), source })?;
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            told();
        }
    });
    Ok(())
}

/// Makes a write beyond the file-size limit an error of that write instead of the program's death.
///
/// # Errors
///
/// Fails when the operating system does not let the signal be caught.
pub fn survive_file_size_limit() -> Result<(), Error> {
    listen(Signal::XFSZ, |signal| flag::register(signal, Arc::new(AtomicBool::new(false))))
}

fn listen<T>(signal: Signal, register: impl FnOnce(i32) -> std::io::Result<T>) -> Result<(), Error> {
    let signal = signal.as_raw();
    register(signal).map(drop).map_err(|source| Error::Signal { signal, source })
}

/// Tells whether there is no process with this number.
#[must_use]
pub fn is_gone(process: u32) -> bool {
    let process = i32::try_from(process).ok().and_then(Pid::from_raw);
    process.is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH))
}
