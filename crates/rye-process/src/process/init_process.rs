//! The first process of a name space of processes: with it all others end. It starts the target, reaps orphaned
//! processes, says how the target ended, and ends.
//!
//! It stops all others once there are too many. Whoever started the tool counts them too, and ends them; but each session
//! gets a share of the processors of its own, so a bomb in many sessions leaves a program of low priority next to none.

use std::io;
use std::os::fd::OwnedFd;
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{read, write};
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process_group, set_parent_process_death_signal, setsid, wait,
};

use super::descendants;
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

/// How often the processes are counted.
const TICK: Duration = Duration::from_millis(50);

/// Is the first process, and ends after the target. How that ended is written to `tell`, which only the keeper reads. More
/// processes than `most` are stopped.
pub(super) fn be(tell: OwnedFd, most: Option<usize>) -> io::Result<First> {
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
    // Where it cannot be started, those that count from outside are left.
    let _ = most.map(|most| thread::Builder::new().spawn(move || stop_more_than(most)));
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

/// Stops all processes once there are more than `most`: as they are then, whoever started the tool finds and ends them.
fn stop_more_than(most: usize) {
    // The number that this process has where its list of processes is from.
    let Some(own) = std::fs::read_link("/proc/self").ok().and_then(|link| descendants::pid(link.to_str()?)) else {
        return;
    };
    // As a group, the first process means all others.
    let tell_all = |signal| _ = kill_process_group(Pid::INIT, signal);
    let mut are_stopped = false;
    loop {
        thread::sleep(TICK);
        let are_too_many = descendants::are_more_than(own, most);
        if are_too_many {
            tell_all(Signal::STOP);
        } else if are_stopped {
            // One of those that were counted had ended before.
            tell_all(Signal::CONT);
        }
        are_stopped = are_too_many;
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
