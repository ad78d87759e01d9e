//! The processes that a process started, and the memory that they use together.

use std::fs;

use rustix::process::Pid;

/// What the descendants of a process come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Descendants {
    pub(super) processes: usize,
    /// Memory of their own and shared between them, in bytes. Files that the kernel can read again do not count.
    pub(super) memory: u64,
}

/// Counts the descendants of a process, and stops at `most`: of a fork bomb the rest need not be known.
pub(super) fn of(root: Pid, most: usize, most_memory: u64) -> Descendants {
    let found = found(root, most);
    let sum = |memory: fn(Pid) -> Option<u64>| found.iter().filter_map(|process| memory(*process)).sum::<u64>();
    let resident = sum(resident);
    // Shared memory counts once only in the shares, which the kernel computes slowly.
    let memory = if resident > most_memory {
        sum(|process| share(process).or_else(|| self::resident(process)))
    } else {
        resident
    };
    Descendants { processes: found.len(), memory }
}

/// Tells whether a process has more than `most` descendants.
pub(super) fn are_more_than(root: Pid, most: usize) -> bool {
    found(root, most).len() > most
}

/// Returns the descendants of a process, or one more than `most` of them.
fn found(root: Pid, most: usize) -> Vec<Pid> {
    let mut found = Vec::new();
    let mut next = children(root);
    while let Some(process) = next.pop() {
        found.push(process);
        if found.len() > most {
            break;
        }
        next.extend(children(process));
    }
    found
}

/// Returns the children of a process.
pub(super) fn children(process: Pid) -> Vec<Pid> {
    let process = process.as_raw_pid();
    let Ok(threads) = fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let lists = threads.flatten().map(|thread| fs::read_to_string(thread.path().join("children")));
    match lists.collect::<Result<Vec<_>, _>>() {
        Ok(lists) => lists.iter().flat_map(|list| list.split_whitespace()).filter_map(pid).collect(),
        // A thread that ended meanwhile, or a kernel that keeps no such lists.
        Err(_) => children_by_parent(process),
    }
}

fn children_by_parent(parent: i32) -> Vec<Pid> {
    let names =
        fs::read_dir("/proc").into_iter().flatten().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    names.filter_map(|name| pid(&name)).filter(|process| parent_of(*process) == Some(parent)).collect()
}

/// The fourth field, counted from the end of the second, which may hold anything.
fn parent_of(process: Pid) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_pid())).ok()?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn resident(process: Pid) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", process.as_raw_pid())).ok()?;
    Some(kibibytes(&status, "RssAnon:")? + kibibytes(&status, "RssShmem:")?)
}

fn share(process: Pid) -> Option<u64> {
    let shares = fs::read_to_string(format!("/proc/{}/smaps_rollup", process.as_raw_pid())).ok()?;
    Some(kibibytes(&shares, "Pss_Anon:")? + kibibytes(&shares, "Pss_Shmem:")?)
}

/// A line such as `RssAnon:  12 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

/// Parses the number of a process.
pub(super) fn pid(number: &str) -> Option<Pid> {
    Pid::from_raw(number.parse().ok()?)
}
