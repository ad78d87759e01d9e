//! Waiting for a program that the person's terminal knows nothing of: a signal to this program alone reaches it, too.

use std::io;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::signals::{Cause, why_asked_to_stop};

/// How often it is looked whether the child ended or the program is asked to stop.
const TICK: Duration = Duration::from_millis(10);

/// How often it is looked for the end of a child that was told to end: for a second.
const TICKS: u32 = 100;

/// How often it is looked for the end of a child that asks another machine: for a minute, in which a person may have to answer.
const TICKS_OF_AN_ANSWER: u32 = 6_000;

/// Waits for a child that shares this program's process group. Once a signal that was listened for asks this program to
/// stop, the child is asked the same, one time. Ctrl-C is not passed on: it reaches both, and an editor may take it for
/// itself.
///
/// # Errors
///
/// Fails when the operating system loses the child.
pub fn wait_passing_on(child: &mut Child) -> io::Result<ExitStatus> {
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if !is_told && why_asked_to_stop().is_some_and(|cause| cause != Cause::Interrupted) {
            is_told = true;
            // It is not reaped yet, so it is this child that is told.
            let _ = kill_process(Pid::from_child(child), Signal::TERM);
        }
        std::thread::sleep(TICK);
    }
}

/// Waits for a child whose work is undone when the program is asked to stop. Any signal that asks for it is passed on; a child
/// that goes on for a second is killed.
///
/// # Errors
///
/// Fails when the operating system loses the child.
pub fn wait_ending(child: &mut Child) -> io::Result<ExitStatus> {
    let mut told_before = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        // It is not reaped yet, so it is this child that is told.
        let _ = match told_before {
            None if why_asked_to_stop().is_some() => {
                told_before = Some(0);
                kill_process(Pid::from_child(child), Signal::TERM)
            }
            Some(TICKS) => kill_process(Pid::from_child(child), Signal::KILL),
            None | Some(_) => Ok(()),
        };
        told_before = told_before.map(|ticks| TICKS.min(ticks + 1));
        std::thread::sleep(TICK);
    }
}

/// Waits for a child that asks another machine something. One that has no answer after a minute is killed, and so is one that goes on
/// when the program is asked to stop.
///
/// # Errors
///
/// Fails when the operating system loses the child.
pub fn wait_for_an_answer(child: &mut Child) -> io::Result<ExitStatus> {
    for _ in 0..TICKS_OF_AN_ANSWER {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if why_asked_to_stop().is_some() {
            break;
        }
        std::thread::sleep(TICK);
    }
    child.kill()?;
    child.wait()
}
