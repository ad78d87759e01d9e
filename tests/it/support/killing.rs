//! How tests kill a program: at points spread over the whole of its run, alone or with all that it started.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::Sandbox;

/// How long what a killed program started may go on.
const PATIENCE: Duration = Duration::from_secs(30);

/// At how many points: few, or as many as `KILL_POINTS` says (`.ci/slow` takes 100).
pub(crate) fn points() -> u32 {
    std::env::var("KILL_POINTS").ok().and_then(|points| points.parse().ok()).unwrap_or(12)
}

/// The part of a run after which it is killed for the `point`th time, from 0 to 1. Golden-ratio steps: spread over the whole,
/// in no order.
pub(crate) fn part(point: u32) -> f64 {
    (f64::from(point) * 0.618_033_988_75).fract()
}

/// That part of what a whole run takes.
pub(crate) fn moment(whole: Duration, point: u32) -> Duration {
    whole.mul_f64(part(point))
}

/// Prepares a silent run in a group of its own.
pub(crate) fn rye(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut rye = Command::new(crate::support::RYE);
    rye.env_clear().envs(sandbox.variables()).current_dir(sandbox.project()).args(args);
    rye.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    rye
}

/// The group of processes that a run started, itself first.
fn group(child: &Child) -> Pid {
    Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

/// Starts a run and kills it at some point of `whole`: alone at every other point, else with all that it started. Returns when
/// nothing of it is left.
pub(crate) fn killed(sandbox: &Sandbox, args: &[&str], whole: Duration, point: u32) {
    let mut child = rye(sandbox, args).spawn().unwrap();
    sleep(moment(whole.mul_f64(1.2), point));
    // A run that has ended already has no group any more.
    let group = group(&child);
    if point.is_multiple_of(2) {
        let _ended = kill_process_group(group, Signal::KILL);
    } else {
        child.kill().unwrap();
    }
    child.wait().unwrap();
    let died = Instant::now();
    while test_kill_process_group(group).is_ok() {
        assert!(died.elapsed() < PATIENCE, "what was started does not end");
        sleep(Duration::from_millis(2));
    }
}

/// Removes the locks that git left behind, as every message about one says; and nothing else.
pub(crate) fn unlock(folder: &Path) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() && !entry.ends_with("objects") {
            unlock(&entry);
        } else if entry.extension().is_some_and(|extension| extension == "lock") {
            fs::remove_file(entry).unwrap();
        }
    }
}
