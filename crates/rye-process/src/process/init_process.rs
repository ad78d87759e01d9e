//! The first process of a name space of processes: with it all others end. It starts the target, reaps orphaned
//! processes, says how the target ended, and ends.

use std::io;
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{read, write};
use rustix::process::{Signal, WaitOptions, WaitStatus, set_parent_process_death_signal, setsid, wait};

use super::fork::{Fork, fork};

/// How a target ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Code(u8),
    Signal(u8),
}

impl Ended {
    pub(super) fn of(status: WaitStatus) -> Option<Self> {
        let byte = |number: i32| u8::try_from(number).ok();
        let by_signal = status.terminating_signal().and_then(byte).map(Self::Signal);
        by_signal.or_else(|| status.exit_status().and_then(byte).map(Self::Code))
    }

    fn to_bytes(self) -> [u8; 2] {
        match self {
            Self::Code(code) => [0, code],
            Self::Signal(signal) => [1, signal],
        }
    }
}

/// Which process this is when the first one has done its work.
pub(super) enum First {
    /// The first: the target has ended.
    Ended,
    /// The one that is to become the target.
    Target,
}

/// Is the first process, and ends after the target. How that ended is written to `tell`, which only the keeper reads.
pub(super) fn be(tell: OwnedFd) -> io::Result<First> {
    // By this process no group of others is named.
    let _ = setsid();
    set_parent_process_death_signal(Some(Signal::KILL))?;
    if is_alone(&tell)? {
        return Ok(First::Ended);
    }
    let target = match fork()? {
        Fork::Child => return Ok(First::Target),
        Fork::Parent(target) => target,
    };
    loop {
        if let Some((child, status)) = wait(WaitOptions::empty())?
            && child == target
            && let Some(ended) = Ended::of(status)
        {
            write(&tell, &ended.to_bytes())?;
            return Ok(First::Ended);
        }
    }
}

/// Whether the keeper went before its end could be this one's.
fn is_alone(tell: &OwnedFd) -> io::Result<bool> {
    let mut ends = [PollFd::new(tell, PollFlags::empty())];
    poll(&mut ends, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }))?;
    Ok(ends[0].revents().contains(PollFlags::ERR))
}

/// Returns what the first process said of the target; it said nothing if it was killed.
pub(super) fn told(told: &OwnedFd) -> Option<Ended> {
    let mut said = [0; 2];
    match (read(told, &mut said), said) {
        (Ok(2), [0, code]) => Some(Ended::Code(code)),
        (Ok(2), [1, signal]) => Some(Ended::Signal(signal)),
        (Ok(_) | Err(_), _) => None,
    }
}
