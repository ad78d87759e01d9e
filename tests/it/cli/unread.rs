//! Unread output: a full pipe, kept open. It holds up no run, and no end.

use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::Sandbox;

/// As much as a pipe takes before whoever writes more has to wait.
const FULL: usize = 65_536;

/// A program whose reader does not read, and the reader.
struct Unread {
    child: Child,
    _reader: std::io::PipeReader,
}

impl Unread {
    fn start(sandbox: &Sandbox, args: &[&str]) -> Self {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(&vec![b'x'; FULL]).unwrap();
        let mut command = sandbox.rye(args).into_command();
        command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
        Self { child: command.spawn().unwrap(), _reader: reader }
    }

    fn signal(&self, signal: &str) {
        let kill = Command::new("kill").args([&format!("-{signal}"), &self.child.id().to_string()]).status();
        assert!(kill.unwrap().success());
    }

    /// Waits for its end, and demands that it comes.
    fn ends(&mut self) -> ExitStatus {
        for _ in 0..3000 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end");
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        // A test that failed leaves no program behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A sandbox with a directive that `steps` can follow, and a thread of it.
fn with_thread() -> Sandbox {
    let sandbox = Sandbox::signed();
    sandbox.rye(&["thread", "run", "demo/greet", "-i", "name=ada", "-q"]).succeeds();
    sandbox
}

fn threads(sandbox: &Sandbox) -> Vec<Value> {
    let listed: Value = serde_json::from_slice(&sandbox.rye(&["thread", "list", "--json"]).stdout()).unwrap();
    listed["threads"].as_array().unwrap().clone()
}

#[test]
fn a_thread_ends_and_is_committed_whoever_reads_what_it_says() {
    for json in [&[][..], &["--json"]] {
        let sandbox = Sandbox::signed();
        let run = [&["thread", "run", "demo/greet", "-i", "name=ada"], json].concat();
        let mut unread = Unread::start(&sandbox, &run);
        let completed = |thread: &Value| thread["status"] == "completed";
        let is_over = || threads(&sandbox).iter().any(completed);
        assert!((0..600).any(|_| is_over() || (std::thread::sleep(Duration::from_millis(50)), false).1), "it goes on");
        // Only the telling is left.
        assert!(unread.child.try_wait().unwrap().is_none());
        unread.signal("TERM");
        assert_eq!(unread.ends().code(), Some(0));
    }
}

/// Tells whether these tests were started with a signal ignored, as `nohup` does: what they start ignores it, too.
fn is_ignored(signal: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & (1 << (signal - 1)) != 0
}

#[test]
fn a_signal_ends_a_program_that_nobody_reads() {
    let sandbox = with_thread();
    let verbs: [&[&str]; 5] = [
        &["execute", "tool", "demo/echo", "-i", "text=hello"],
        &["execute", "tool", "demo/fail", "--json"],
        &["thread", "tail", "@latest"],
        &["thread", "tail", "@latest", "--format", "jsonl"],
        &["verify"],
    ];
    for verb in verbs {
        for (signal, number) in [("TERM", 15), ("HUP", 1), ("INT", 2)] {
            if is_ignored(number) {
                continue;
            }
            let mut unread = Unread::start(&sandbox, verb);
            std::thread::sleep(Duration::from_millis(300));
            unread.signal(signal);
            unread.ends();
        }
    }
}

/// A pipe in the place of a file holds the program, whatever flag is set.
#[test]
fn a_second_sigterm_ends_a_program_that_does_not_stop() {
    let sandbox = Sandbox::signed();
    let script = sandbox.path("script");
    assert!(Command::new("mkfifo").arg(&script).status().unwrap().success());
    let script = script.to_str().unwrap();
    let run = ["thread", "run", "demo/greet", "-i", "name=ada", "--script", script];
    let mut unread = Unread::start(&sandbox, &[&run[..], &["--provider", "rye/agent/providers/scripted"]].concat());
    std::thread::sleep(Duration::from_millis(500));
    unread.signal("TERM");
    unread.signal("TERM");
    std::thread::sleep(Duration::from_millis(800));
    unread.signal("TERM");
    assert_eq!(unread.ends().signal(), Some(15));
}
