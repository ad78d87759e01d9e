//! The keeper: a process between this program and the target, which ends everything that the target started.
//!
//! Orphans become its children, those in sessions of their own too. When the target has ended, when it is told to end at once, and when
//! this program is gone, it kills its children until there are none, and then ends as the target did.

use std::ffi::OsString;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use signal_hook::consts::{SIGCHLD, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::descendants;
use super::error::Error;

/// The verb that the program must hand to `confine_main`.
pub const CONFINE_VERB: &str = "__confine";

/// The flag that has a process keep what it starts, with the number of the parent whose end is everything's.
pub(super) const KEEP: &str = "--keep=";

/// The flag that sets a variable for the target alone.
pub(super) const VARIABLE: &str = "--env=";

/// Tells the keeper to end everything at once. Any polite signal is passed on to the target.
pub(super) const END: Signal = Signal::QUIT;

/// This program, whatever its file is called by now.
const ITSELF: &str = "/proc/self/exe";

/// Runs the confiner with the rest of the command line as a child, and ends as it does. Returns the exit code.
pub(super) fn keep(parent: i32, args: &[OsString]) -> Result<u8, Error> {
    let failed = |code: Errno| Error::Confine { what: "the life of what a tool starts", source: code.into() };
    set_child_subreaper(Some(getpid())).map_err(failed)?;
    let listen = |source| Error::Signal { signal: SIGCHLD, source };
    let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGQUIT]).map_err(listen)?;
    set_parent_process_death_signal(Some(END)).map_err(failed)?;
    if getppid().map(Pid::as_raw_pid) != Some(parent) {
        // It went before it could be watched.
        return Ok(1);
    }
    let start = |source| Error::Start { program: ITSELF.into(), source };
    let child = Command::new(ITSELF).arg(CONFINE_VERB).args(args).spawn().map_err(start)?;
    let target = Pid::from_child(&child);
    let mut status = None;
    while status.is_none() {
        for signal in signals.wait() {
            match signal {
                SIGCHLD => status = status.or(reap(target)),
                SIGTERM => {
                    let _ = kill_process_group(target, Signal::TERM).or_else(|_| kill_process(target, Signal::TERM));
                }
                _ => status = status.or_else(|| end_all(target)),
            }
        }
    }
    end_all(target);
    Ok(status.map_or(1, pass_on))
}

/// Takes in every child that has ended. Returns how the target did, if it is among them.
fn reap(target: Pid) -> Option<WaitStatus> {
    let mut ended = None;
    while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
        if child == target {
            ended = Some(status);
        }
    }
    ended
}

/// Kills children until there are none: those of a killed one become children, too. A child that was not waited for keeps its
/// number, so nothing else is killed.
fn end_all(target: Pid) -> Option<WaitStatus> {
    let mut ended = None;
    loop {
        ended = ended.or(reap(target));
        for child in descendants::children(getpid()) {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child == target => ended = Some(status),
            Err(Errno::CHILD) => return ended,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Ends this process by the signal that ended the target, or returns its exit code.
fn pass_on(status: WaitStatus) -> u8 {
    if let Some(signal) = status.terminating_signal() {
        let _ = emulate_default_handler(signal);
    }
    status.exit_status().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
