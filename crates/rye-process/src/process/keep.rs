//! The keeper: a process between this program and the target, which ends everything that the target started.
//!
//! Orphans become its children, those in sessions of their own too. When the target has ended, when it is told to end at once, and when
//! this program is gone, it kills its children until none are left, and then ends as the target did. In the sandbox the
//! target is in a name space of processes, where the system lets one be made: then the keeper has one child
//! (`init_process.rs`), with which all end.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, kill_process_group, set_child_subreaper,
    set_parent_process_death_signal, wait,
};
use signal_hook::consts::{SIGCHLD, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::descendants;
use super::error::Error;
use super::fork::{Fork, fork};
use super::init_process::{self, Ended, First};
use super::keeper_flags::{END, Kept};
use super::sandbox::{NameSpace, Sandbox};

/// Makes a copy of this process that is to become the target, keeps what that starts, and ends as it does. In a sandbox they are apart, in name
/// spaces of their own, where no more than `most` processes go on.
pub(super) fn keep(parent: i32, sandbox: Option<&Sandbox>, most: Option<usize>) -> Result<Kept, Error> {
    set_child_subreaper(Some(getpid())).map_err(failed)?;
    let no_network = |code: Errno| Error::NoNetwork { source: code.into() };
    let name_space =
        sandbox.map_or(Ok(NameSpace::Shared), |sandbox| NameSpace::make(sandbox.network)).map_err(no_network)?;
    // Last, as the kernel forgets it where privileges change.
    set_parent_process_death_signal(Some(END)).map_err(failed)?;
    if getppid().map(Pid::as_raw_pid) != Some(parent) {
        // It went before it could be watched.
        return Ok(Kept::Ended(1));
    }
    let (told, tell) = pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
    match fork().map_err(|source| Error::Confine { what: WHAT, source })? {
        Fork::Parent(child) => {
            drop(tell);
            let keeper = Keeper { child, is_first: name_space != NameSpace::Shared, told };
            keeper.wait().map(Kept::Ended)
        }
        Fork::Child if name_space == NameSpace::Shared => Ok(Kept::Target(name_space)),
        Fork::Child => {
            drop(told);
            Ok(match init_process::be(tell, most).map_err(|source| Error::Confine { what: WHAT, source })? {
                First::Ended => Kept::Ended(0),
                First::Target => Kept::Target(name_space),
            })
        }
    }
}

const WHAT: &str = "the life of what a tool starts";

fn failed(code: Errno) -> Error {
    Error::Confine { what: WHAT, source: code.into() }
}

struct Keeper {
    /// The target; or the first process of its name space, which started it.
    child: Pid,
    is_first: bool,
    /// Where the first process says how the target ended.
    told: OwnedFd,
}

impl Keeper {
    /// Waits for the end, passing signals on. Returns the exit code.
    fn wait(&self) -> Result<u8, Error> {
        let listen = |source| Error::Signal { signal: SIGCHLD, source };
        let mut signals = Signals::new([SIGCHLD, SIGTERM, SIGQUIT]).map_err(listen)?;
        // It may have ended before it was listened for.
        let mut status = self.reap();
        while status.is_none() {
            for signal in signals.wait() {
                match signal {
                    SIGCHLD => status = status.or(self.reap()),
                    SIGTERM => self.ask(),
                    _ => status = status.or_else(|| self.end_all()),
                }
            }
        }
        self.end_all();
        let ended = Some(&self.told).filter(|_| self.is_first).and_then(init_process::told);
        Ok(ended.or(status.and_then(Ended::of)).map_or(1, pass_on))
    }

    /// Asks the target to end.
    fn ask(&self) {
        let targets = if self.is_first { descendants::children(self.child) } else { vec![self.child] };
        for target in targets {
            let _ = kill_process_group(target, Signal::TERM).or_else(|_| kill_process(target, Signal::TERM));
        }
    }

    /// Takes in every child that has ended. Returns how the one that was made did, if it is among them.
    fn reap(&self) -> Option<WaitStatus> {
        let mut ended = None;
        while let Ok(Some((child, status))) = wait(WaitOptions::NOHANG) {
            if child == self.child {
                ended = Some(status);
            }
        }
        ended
    }

    /// Kills children until none are left: those of a killed one become children, too. A child that was not waited for
    /// keeps its number, so nothing else is killed.
    fn end_all(&self) -> Option<WaitStatus> {
        let mut ended = None;
        loop {
            ended = ended.or(self.reap());
            for child in descendants::children(getpid()) {
                let _ = kill_process(child, Signal::KILL);
            }
            match wait(WaitOptions::empty()) {
                Ok(Some((child, status))) if child == self.child => ended = Some(status),
                Err(Errno::CHILD) => return ended,
                Ok(_) | Err(_) => {}
            }
        }
    }
}

/// Ends this process by the signal that ended the target, or returns its exit code.
fn pass_on(ended: Ended) -> u8 {
    match ended {
        Ended::Code(code) => code,
        Ended::Signal(signal) => {
            let _ = emulate_default_handler(signal.into());
            1
        }
    }
}
