//! What a child leaves behind: nothing, wherever it went, and however the program that waits for it ended.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rye::process::{Excess, Limits};

use super::{RYE, is_gone, run_confined, shell, spec, stop_when_ready, text};

/// Starts programs in the background in four ways, waits until all run, however slow the machine, and prints their numbers.
const LEAVE: &str = "
    d=$(mktemp -d); export d
    sleep 600 & echo $! >$d/1
    setsid sh -c 'echo $$ >$d/2; exec sleep 600' </dev/null 2>/dev/null &
    (setsid sh -c '(trap \"\" TERM; sh -c \"echo \\$PPID\" >$d/3; sleep 600; sleep 600) & exit' &)
    nohup sh -c 'echo $$ >$d/4; exec sleep 600' 2>/dev/null &
    until [ $(cat $d/* | wc -l) = 4 ]; do sleep 0.02; done
    cat $d/*; rm -r $d";

fn assert_gone(output: &[u8], count: usize) {
    let left: Vec<&str> = text(output).lines().collect();
    assert_eq!(left.len(), count, "{left:?}");
    for pid in left {
        assert!(is_gone(pid), "{pid} of {output:?} lives on");
    }
}

#[test]
fn nothing_that_a_tool_started_outlives_it() {
    let output = run_confined(&shell(LEAVE));
    assert_eq!(output.exit_code, Some(0));
    assert!(!output.stdout_held_open && !output.stdout_truncated);
    assert_gone(&output.stdout, 4);
}

#[test]
fn nothing_outlives_a_tool_that_was_stopped() {
    let output = stop_when_ready(&format!("trap '' TERM; {LEAVE}; ready; sleep 600"), Some(Path::new(RYE)));
    assert_eq!((output.cancelled, output.signal), (true, Some(9)));
    assert_gone(&output.stdout, 4);
}

#[test]
fn a_child_ends_by_the_same_signal_or_code_with_a_keeper() {
    for (script, ended) in [
        ("exit 42", (Some(42), None)),
        ("kill -9 $$", (None, Some(9))),
        ("kill -15 $$", (None, Some(15))),
        ("kill -11 $$", (None, Some(11))),
        ("kill -6 $$", (None, Some(6))),
    ] {
        let output = run_confined(&shell(script));
        assert_eq!((output.exit_code, output.signal), ended, "{script}");
    }
}

#[test]
fn a_polite_signal_reaches_the_target() {
    let script = "trap 'echo asked; exit 3' TERM; sleep 600 & ready; wait";
    let output = stop_when_ready(script, Some(Path::new(RYE)));
    assert_eq!((output.cancelled, output.exit_code, text(&output.stdout)), (true, Some(3), "asked"));
}

/// Runs the program that waits, to be killed: this very test in a process of its own.
#[test]
fn waiting_entry() {
    if let Ok(path) = std::env::var("RYE_TEST_LEAVE") {
        run_confined(&shell(&format!("exec >{path}; trap '' TERM; {LEAVE}; echo all; sleep 600")));
    }
}

#[test]
fn nothing_outlives_the_program_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("left");
    let mut program = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "process::survivors::waiting_entry", "--nocapture"])
        .env("RYE_TEST_LEAVE", &path)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let read = || std::fs::read_to_string(&path).unwrap_or_default();
    for _ in 0..1000 {
        if read().contains("all") {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    program.kill().unwrap();
    program.wait().unwrap();
    assert_gone(read().trim_end().trim_end_matches("all").as_bytes(), 4);
}

/// What a bomb may use in these tests.
fn bomb(script: &str) -> rye::process::ChildSpec {
    let limits = Limits { max_processes: 40, max_memory: 200 << 20, ..shell("").limits };
    rye::process::ChildSpec { limits, ..spec("bash", &["-c", script]) }
}

#[test]
fn a_fork_bomb_is_stopped_at_the_limit_of_processes() {
    for script in [
        "for i in $(seq 60); do sleep 600 & done; wait",
        // Each starts another in a session of its own, and goes.
        "f() { setsid bash -c \"$1\" _ \"$1\" & sleep 600; }; export -f f; setsid bash -c 'for i in $(seq 60); do (setsid sleep 600 &); done; sleep 600' & sleep 600",
    ] {
        let output = run_confined(&bomb(script));
        assert_eq!(output.excess, Some(Excess::Processes(40)), "{script}");
        assert_eq!(output.excess.unwrap().to_string(), "more than 40 processes at once");
    }
    assert_eq!(run_confined(&bomb("for i in $(seq 30); do sleep 0.2 & done; wait")).excess, None);
}

#[test]
fn the_memory_of_all_processes_together_has_a_limit() {
    let Ok(python) = rye::process::find_program("python3", super::PATH, &[]) else { return };
    let each = |mebibytes: u32, processes: u32| {
        let mut child = bomb("");
        child.program = python.clone();
        let script = format!(
            "import os, time\nfor _ in range({processes}):\n  if os.fork() == 0:\n    b = b'x' * ({mebibytes} << 20)\n    time.sleep(1)\n    os._exit(0)\nfor _ in range({processes}): os.wait()"
        );
        child.args = vec!["-c".into(), script.into()];
        run_confined(&child)
    };
    assert_eq!(each(60, 5).excess, Some(Excess::Memory(200 << 20)));
    assert_eq!(each(20, 5).excess, None);
    // Memory that a process shares with those it forked counts once.
    let mut shared = bomb("");
    shared.program = python;
    let script = "import os, time\nb = b'x' * (90 << 20)\nfor _ in range(4):\n  if os.fork() == 0:\n    time.sleep(1)\n    os._exit(0)\nfor _ in range(4): os.wait()";
    shared.args = vec!["-c".into(), script.into()];
    let output = run_confined(&shared);
    assert_eq!((output.excess, output.exit_code), (None, Some(0)));
}
