//! Processes of their own: in the sandbox the tool and all that it starts are in a name space of processes, where the system lets
//! one be made.
//!
//! The kernel ends such a name space as a whole: with its first process all others are gone, and none is born meanwhile. So a program that
//! only copies itself is not faster than its end. In it no process outside has a number.

use std::fs;
use std::path::Path;

use rustix::io::{Errno, Result};
use rustix::process::{Resource, Rlimit, WaitOptions, getrlimit, setrlimit, waitpid};
use rustix::system::uname;
use rustix::thread::UnshareFlags;

use super::super::fork::{Fork, fork};
use super::mounts::unshare;

/// How many threads a process may have on average before the kernel makes no more. It counts threads where the keeper counts processes;
/// this bound only has to hold long enough for that.
const THREADS: u64 = 16;

/// What the next child of this process is the first of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum NameSpace {
    /// Nothing: the system makes none.
    Shared,
    /// A name space of processes.
    Own,
    /// One of users, too, that has no other user than this one.
    OwnWithUser,
}

impl NameSpace {
    /// Makes the widest that this system allows, with a network of its own for this process and its children where `has_network` asks for it.
    pub(in super::super) fn make(has_network: bool) -> Result<Self> {
        let spaces = if has_network { UnshareFlags::NEWPID | UnshareFlags::NEWNET } else { UnshareFlags::NEWPID };
        if unshare(spaces).is_ok() {
            return Ok(Self::Own);
        }
        if !is_possible(UnshareFlags::NEWUSER | spaces) {
            return if has_network { Err(Errno::PERM) } else { Ok(Self::Shared) };
        }
        with_user(UnshareFlags::NEWUSER | spaces).map(|()| Self::OwnWithUser)
    }

    /// Has the kernel make no more than so many processes here: a count of them may come late. Called in the name
    /// space.
    pub(in super::super) fn limit(self, most_processes: u64) {
        let most = most_processes.saturating_mul(THREADS);
        match self {
            // There this user's other processes count, too: as many as there are may stay.
            Self::Shared => tasks().into_iter().for_each(|tasks| limit_own(tasks.saturating_add(most))),
            Self::Own => limit_numbers(most),
            Self::OwnWithUser => {
                limit_numbers(most);
                limit_own(most);
            }
        }
    }
}

/// Tries it in a copy of this process. Where a system lets a name space be made and not be used, whoever made one is left in it without a name of
/// their own.
#[expect(clippy::exit, reason = "the copy has nothing to return to")]
fn is_possible(spaces: UnshareFlags) -> bool {
    match fork() {
        Ok(Fork::Child) => std::process::exit(i32::from(with_user(spaces).is_err())),
        Ok(Fork::Parent(child)) => {
            let ended = waitpid(Some(child), WaitOptions::empty());
            matches!(ended, Ok(Some((_, status))) if status.exit_status() == Some(0))
        }
        Err(_) => false,
    }
}

/// Makes name spaces, one of users among them, which has no other user than this one.
fn with_user(spaces: UnshareFlags) -> Result<()> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    unshare(spaces)?;
    for (file, text) in [
        ("setgroups", "deny".to_owned()),
        ("uid_map", format!("{user} {user} 1")),
        ("gid_map", format!("{group} {group} 1")),
    ] {
        fs::write(Path::new("/proc/self").join(file), text).map_err(|_| Errno::PERM)?;
    }
    Ok(())
}

/// The numbers are limited for every user, the superuser too.
fn limit_numbers(most: u64) {
    if has_numbers_of_its_own() {
        let _ = fs::write("/proc/sys/kernel/pid_max", (RESERVED + most).to_string());
    }
}

/// How many processes and threads there are in the whole system.
fn tasks() -> Option<u64> {
    let load = fs::read_to_string("/proc/loadavg").ok()?;
    load.split_whitespace().nth(3)?.split_once('/')?.1.parse().ok()
}

/// In a name space of users, the processes of this user are counted there. The superuser outside has no such limit.
fn limit_own(most: u64) {
    let had = getrlimit(Resource::Nproc);
    let within = |bound: Option<u64>| Some(bound.map_or(most, |bound| bound.min(most)));
    let limit = Rlimit { current: within(had.current), maximum: within(had.maximum) };
    let _ = setrlimit(Resource::Nproc, limit);
}

/// The kernel's numbers that are not given twice.
const RESERVED: u64 = 300;

/// Whether the greatest number of a process is each name space's own: before Linux 6.14 it was the whole system's.
fn has_numbers_of_its_own() -> bool {
    let release = uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(|character: char| !character.is_ascii_digit()).map(str::parse);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else { return false };
    (major, minor) >= (6u32, 14u32)
}
