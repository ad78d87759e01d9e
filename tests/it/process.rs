//! Child processes that flood, hang, leave relatives behind and refuse to read; interpreters in the wrong place.

#![expect(clippy::unwrap_used, reason = "tests")]

mod survivors;
mod variables;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rye::process::{
    CancelFlag, Cause, ChildOutput, ChildSpec, Error, Limits, PrivateScript, ResourceLimits, Tried, configured_program,
    confine_main, find_interpreter, find_program, install, run, search_path,
};

const PATH: &str = "/usr/bin:/bin";
const RYE: &str = crate::support::RYE;

fn spec(name: &str, args: &[&str]) -> ChildSpec {
    ChildSpec {
        program: find_program(name, PATH, &[]).unwrap(),
        args: args.iter().map(OsString::from).collect(),
        stdin: Vec::new(),
        env: BTreeMap::from([("PATH".to_owned(), PATH.to_owned())]),
        target_env: BTreeMap::new(),
        current_dir: PathBuf::from("/"),
        limits: Limits { resources: ResourceLimits::default(), ..Limits::default() },
        sandbox: None,
    }
}

fn shell(script: &str) -> ChildSpec {
    spec("sh", &["-c", script])
}

fn run_now(spec: &ChildSpec) -> ChildOutput {
    run(spec, None, &CancelFlag::new()).unwrap()
}

/// Runs a script and stops it once it has called `ready`, however long it takes to get there.
fn stop_when_ready(script: &str, confiner: Option<&Path>) -> ChildOutput {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("ready");
    let cancel = CancelFlag::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !mark.exists() {
                std::thread::sleep(Duration::from_millis(10));
            }
            cancel.cancel();
        });
        let script = format!("ready() {{ : >'{}'; }}\n{script}", mark.display());
        let output = run(&shell(&script), confiner, &cancel);
        // The one that waits ends, too, when the script never got there.
        fs::write(&mark, "").unwrap();
        output.unwrap()
    })
}

/// Waits for a process to be gone (or a zombie without a parent that waits) and tells whether it is.
pub(crate) fn is_gone(pid: &str) -> bool {
    let is_dead = || match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')),
        Err(_) => true,
    };
    (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_dead()
    })
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap().trim()
}

/// Hole 16 of the threat model: more than a pipe's buffer, both ways at once, used to deadlock.
#[test]
fn a_mebibyte_goes_through_a_child_both_ways() {
    let stdin: Vec<u8> = (0..1_048_576_u32).map(|number| (number % 251) as u8).collect();
    let output = run_now(&ChildSpec { stdin: stdin.clone(), ..spec("cat", &[]) });
    assert_eq!((output.exit_code, output.stdout_truncated), (Some(0), false));
    assert!(output.stdout == stdin, "the bytes came back changed");
}

#[test]
fn a_hundred_megabytes_go_through_a_confined_child_both_ways_at_once() {
    let stdin: Vec<u8> = b"0123456789abcde\n".repeat(100_000_000 / 16);
    let mut child = ChildSpec { stdin: stdin.clone(), ..spec("tee", &["/dev/stderr"]) };
    (child.limits.max_stdout, child.limits.max_stderr) = (stdin.len(), stdin.len());
    let output = run_confined(&child);
    assert_eq!((output.exit_code, output.flood, output.timed_out), (Some(0), None, false));
    assert!(output.stdout == stdin && output.stderr == stdin, "{} {}", output.stdout.len(), output.stderr.len());
}

/// Number 19: the flood was dropped, and the child ran on to its time limit.
#[test]
fn a_flood_stops_the_child_at_its_bound() {
    for (script, code) in [
        ("cat /dev/zero", None),
        ("cat /dev/zero >&2", None),
        // It ended before it could be stopped, and has written too much all the same.
        ("head -c 2000 /dev/zero; exit 3", Some(3)),
    ] {
        let mut child = shell(script);
        (child.limits.max_stdout, child.limits.max_stderr, child.limits.max_written) = (1000, 10, 1500);
        let output = run_now(&child);
        assert_eq!(output.flood, Some(1500), "{script}");
        assert!(output.stdout.len() <= 1000 && output.stderr.len() <= 10 && !output.timed_out, "{script}");
        assert!(output.stdout_truncated || output.stderr_truncated, "{script}");
        assert!(output.duration < Duration::from_secs(10), "{script}: {:?}", output.duration);
        assert!(output.exit_code == code || code.is_some(), "{script}: {output:?}");
    }
}

/// A program was killed at the bound of what is kept, and its end, which says what went wrong, was lost.
#[test]
fn a_long_output_loses_its_middle_and_the_child_runs_to_its_end() {
    for to in ["1", "2"] {
        let mut child = shell(&format!("echo begins >&{to}; seq 100000 >&{to}; echo ends >&{to}; exit 7"));
        (child.limits.max_stdout, child.limits.max_stderr) = (1000, 1000);
        let output = run_now(&child);
        assert_eq!((output.exit_code, output.flood, output.signal), (Some(7), None, None));
        let (kept, cut) = match to {
            "1" => (output.stdout, output.stdout_cut),
            _ => (output.stderr, output.stderr_cut),
        };
        let cut = cut.unwrap();
        let said = cut.text(&kept, str::to_owned);
        assert!(kept.len() == 1000 && said.starts_with("begins\n1\n") && said.ends_with("100000\nends\n"), "{said}");
        assert!(said.contains(&format!("[… {} bytes left out", cut.written - 1000)), "{said}");
    }
}

#[test]
fn output_of_exactly_the_bound_is_not_truncated() {
    let mut exact = shell("printf 12345");
    exact.limits.max_stdout = 5;
    let output = run_now(&exact);
    assert_eq!((output.stdout.as_slice(), output.stdout_truncated), (b"12345".as_slice(), false));
    assert_eq!((output.flood, output.exit_code), (None, Some(0)));
}

#[test]
fn the_environment_is_exactly_what_was_given() {
    let env = BTreeMap::from([("A".to_owned(), "1".to_owned()), ("B".to_owned(), String::new())]);
    let output = run_now(&ChildSpec { env, ..spec("env", &[]) });
    let mut lines: Vec<&str> = text(&output.stdout).lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["A=1", "B="]);
}

#[test]
fn a_child_that_reads_nothing_is_none_the_worse() {
    let output = run_now(&ChildSpec { stdin: vec![b'x'; 1 << 20], ..shell("exec <&-; echo done") });
    assert_eq!((output.exit_code, text(&output.stdout)), (Some(0), "done"));
}

#[test]
fn a_child_ends_by_its_code_or_by_a_signal() {
    let exited = run_now(&shell("exit 42"));
    assert_eq!((exited.exit_code, exited.signal, exited.timed_out, exited.cancelled), (Some(42), None, false, false));
    let killed = run_now(&shell("kill -9 $$"));
    assert_eq!((killed.exit_code, killed.signal, killed.timed_out), (None, Some(9), false));
}

#[test]
fn a_child_is_stopped_when_its_time_is_over() {
    let mut slow = shell("sleep 60");
    slow.limits.timeout = Duration::from_millis(300);
    let output = run_now(&slow);
    assert_eq!((output.timed_out, output.cancelled, output.signal), (true, false, Some(15)));
}

#[test]
fn a_stop_takes_the_grandchildren_too() {
    let output = stop_when_ready("sleep 60 & echo $!; ready; wait", None);
    assert_eq!((output.cancelled, output.signal), (true, Some(15)));
    assert!(is_gone(text(&output.stdout)), "the grandchild lives on");
}

#[test]
fn a_child_that_ignores_the_polite_signal_is_killed_after_the_grace() {
    let output = stop_when_ready("trap '' TERM; ready; while :; do sleep 1; done", None);
    assert_eq!((output.cancelled, output.signal), (true, Some(9)));
    assert!(output.duration >= Duration::from_secs(2), "the grace was cut short");
}

#[test]
fn a_cancelled_run_stops_its_child() {
    let flag = CancelFlag::new();
    let remote = flag.clone();
    let canceller = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        remote.cancel();
    });
    let output = run(&shell("sleep 60"), None, &flag).unwrap();
    canceller.join().unwrap();
    assert_eq!((output.cancelled, output.timed_out, flag.cause()), (true, false, Some(Cause::Requested)));
}

#[test]
fn a_relative_left_in_the_group_neither_hangs_the_run_nor_outlives_it() {
    let start = Instant::now();
    let output = run_now(&shell("sleep 60 & echo $!"));
    assert_eq!((output.exit_code, output.stdout_truncated), (Some(0), false));
    assert!(start.elapsed() < Duration::from_secs(10), "the open pipe held the run");
    assert!(is_gone(text(&output.stdout)), "the grandchild lives on");
}

#[test]
fn a_relative_that_left_the_group_cannot_hold_the_run() {
    let start = Instant::now();
    let output = run_now(&shell("setsid sleep 5 & sleep 0.2; echo said"));
    assert_eq!((text(&output.stdout), output.stdout_truncated), ("said", true));
    assert!(output.stdout_held_open && output.flood.is_none(), "it wrote no more than it may");
    assert!(start.elapsed() < Duration::from_secs(4), "the open pipe held the run");
}

#[test]
fn what_cannot_be_run_says_why() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain"), "").unwrap();
    let outcome = |program: PathBuf| run(&ChildSpec { program, ..shell("") }, None, &CancelFlag::new()).unwrap_err();
    let reason = |program: PathBuf| match outcome(program) {
        Error::NotExecutable { reason, .. } => reason,
        other => panic!("{other}"),
    };
    assert_eq!(reason("cat".into()), "its path is not absolute");
    assert_eq!(reason(folder.path().join("none")), "no such file");
    assert_eq!(reason(folder.path().join("plain")), "not executable");
    assert_eq!(reason(folder.path().into()), "no regular file");
    let nowhere = ChildSpec { current_dir: folder.path().join("none"), ..shell("") };
    assert!(matches!(run(&nowhere, None, &CancelFlag::new()), Err(Error::Start { .. })));
}

fn executable(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, "#!/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A project that brings its own `python3`, by any way PATH could lead there.
#[test]
fn an_interpreter_inside_the_project_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let (project, outside, good) =
        (folder.path().join("project"), folder.path().join("outside"), folder.path().join("good"));
    executable(&project.join("bin/python3"));
    executable(&good.join("python3"));
    fs::create_dir(&outside).unwrap();
    symlink(project.join("bin/python3"), outside.join("python3")).unwrap();
    symlink(project.join("bin"), folder.path().join("linked")).unwrap();

    let entries = [project.join("bin"), outside.clone(), folder.path().join("linked"), PathBuf::from("bin")];
    let bad = entries.iter().map(|entry| entry.to_str().unwrap()).collect::<Vec<_>>().join(":");
    let found = find_program("python3", &format!("{bad}:{}", good.display()), &[&project]).unwrap();
    assert_eq!(found, good.join("python3"));

    // A script's first line names one by its path.
    for path in [project.join("bin/python3"), outside.join("python3")] {
        let refused = find_interpreter(path.to_str().unwrap(), "", &[&project]).unwrap_err();
        assert!(matches!(refused, Error::NotExecutable { reason: "it lies inside the project", .. }), "{refused:?}");
    }

    let inside = |path: PathBuf| Tried { path, reason: "lies inside the project" };
    match find_program("python3", &bad, &[&project]) {
        Err(error @ Error::ProgramNotFound { .. }) => {
            let told = error.to_string();
            assert!(
                told.starts_with("program `python3` was not found (`") && told.contains("bin/python3`: lies"),
                "{told}"
            );
            let Error::ProgramNotFound { name, tried } = error else { unreachable!() };
            assert_eq!(name, "python3");
            assert_eq!(
                tried,
                vec![
                    inside(project.join("bin/python3")),
                    inside(outside.join("python3")),
                    inside(folder.path().join("linked/python3")),
                    Tried { path: "bin".into(), reason: "not an absolute folder" },
                ]
            );
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(find_program("python3", &bad, &[]).unwrap(), project.join("bin/python3"));

    let is_inside = |path: &Path| matches!(configured_program(path, &[&project]), Err(Error::NotExecutable { reason, .. }) if reason == "it lies inside the project");
    assert!(is_inside(&project.join("bin/python3")) && is_inside(&outside.join("python3")));
    assert_eq!(configured_program(&good.join("python3"), &[&project]).unwrap(), good.join("python3"));
}

/// A signed script that calls `helper` must not get the project's: neither from an entry of PATH that lies in it, nor
/// from `.` or an empty entry.
#[test]
fn a_script_looks_programs_up_outside_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let (project, good) = (folder.path().join("project"), folder.path().join("good"));
    executable(&project.join("bin/helper"));
    executable(&good.join("helper"));
    symlink(project.join("bin"), folder.path().join("linked")).unwrap();
    let (inside, linked, good) = (project.join("bin"), folder.path().join("linked"), good.to_str().unwrap().to_owned());
    let bad = format!("{}:{}:.::bin", inside.display(), linked.display());
    assert_eq!(search_path(&format!("{bad}:{good}:/nowhere"), &[&project]), good);
    assert_eq!(search_path(&bad, &[&project]), "/usr/bin:/bin");
}

#[test]
fn a_program_is_looked_up_by_name_only() {
    for name in ["", "/bin/sh", "../sh", "bin/sh"] {
        assert!(matches!(find_program(name, PATH, &[]), Err(Error::NotAName { .. })), "{name}");
    }
    let error = find_program("no-such-program", "", &[]).unwrap_err();
    assert_eq!(error.to_string(), "program `no-such-program` was not found (PATH is empty)");
}

#[test]
fn a_private_script_is_closed_to_others_and_gone_with_its_value() {
    let folder = tempfile::tempdir().unwrap();
    let script = PrivateScript::create(folder.path(), "main.py", b"print(1)\n").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(script.folder()), mode(script.path())), (0o700, 0o500));
    assert_eq!(fs::read(script.path()).unwrap(), b"print(1)\n");
    drop(script);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    for name in ["", "..", "a/b", "/etc/x"] {
        assert!(matches!(PrivateScript::create(folder.path(), name, b""), Err(Error::Script { .. })), "{name}");
    }
}

fn run_confined(spec: &ChildSpec) -> ChildOutput {
    run(spec, Some(Path::new(RYE)), &CancelFlag::new()).unwrap()
}

#[test]
fn the_confiner_sets_the_limits_and_becomes_the_target() {
    let mut limited = shell("ulimit -c; ulimit -t; ulimit -v; ulimit -f; ulimit -n; exit 7");
    limited.limits.resources = ResourceLimits {
        cpu_seconds: Some(9),
        address_space_bytes: Some(1 << 32),
        file_size_bytes: Some(5120),
        open_files: Some(33),
    };
    let output = run_confined(&limited);
    let said: Vec<&str> = text(&output.stdout).lines().rev().take(5).collect();
    assert_eq!(said, ["33", "10", "4194304", "9", "0"]);
    assert_eq!(output.exit_code, Some(7));
}

#[test]
fn a_confined_child_cannot_exceed_its_file_size() {
    let folder = tempfile::tempdir().unwrap();
    let mut greedy = shell("head -c 100000 /dev/zero > big; echo status $?");
    greedy.current_dir = folder.path().to_owned();
    greedy.limits.resources.file_size_bytes = Some(4096);
    let output = run_confined(&greedy);
    assert_eq!(fs::metadata(folder.path().join("big")).unwrap().len(), 4096);
    assert!(!text(&output.stdout).ends_with("status 0"), "the write went through");
}

#[test]
fn the_hidden_verb_takes_only_what_this_program_writes() {
    let outcome = |args: &[&str]| {
        let args: Vec<_> = args.iter().map(OsString::from).collect();
        confine_main(&args).unwrap_err().to_string()
    };
    assert_eq!(outcome(&["/bin/true"]), "malformed confinement arguments: no `--` before the program");
    assert_eq!(outcome(&["--"]), "malformed confinement arguments: no program after `--`");
    assert_eq!(
        outcome(&["--x=1", "--", "/bin/true"]),
        "malformed confinement arguments: `--x=1` is neither a limit nor part of a sandbox"
    );
    assert_eq!(outcome(&["--keep=x", "--", "/bin/true"]), "malformed confinement arguments: `x` is not a process");
}

/// Sends signals to a process of its own, not to the test.
#[test]
fn signals_entry() {
    if std::env::var("RYE_TEST_SIGNALS").is_ok() {
        let flag = CancelFlag::new();
        install(&flag).unwrap();
        let send = |name: &str| {
            let me = std::process::id().to_string();
            assert!(std::process::Command::new("/bin/sh").args(["-c", &format!("kill -{name} {me}")]).status().is_ok());
            std::thread::sleep(Duration::from_millis(50));
        };
        assert_eq!(flag.cause(), None);
        send("XFSZ");
        assert_eq!(flag.cause(), None);
        send("HUP");
        assert_eq!(flag.cause(), Some(Cause::HungUp));
        send("TERM");
        assert_eq!(flag.cause(), Some(Cause::Terminated));
        send("QUIT");
        assert_eq!(flag.cause(), Some(Cause::Quit));
        // 16 is SIGSTKFLT, which some shells have no name for.
        for other in ["USR1", "USR2", "ALRM", "VTALRM", "PROF", "XCPU", "IO", "PWR", "16"] {
            send("HUP");
            send(other);
            assert_eq!(flag.cause(), Some(Cause::Terminated), "{other}");
        }
        send("INT");
        assert_eq!(flag.cause(), Some(Cause::Interrupted));
        send("INT");
        panic!("the second SIGINT did not end the program");
    }
}

#[test]
fn the_first_interrupt_asks_and_the_second_ends() {
    let mut child = spec("env", &["RYE_TEST_SIGNALS=1"]);
    child.args.push(std::env::current_exe().unwrap().into());
    child.args.extend(["--exact", "process::signals_entry", "--nocapture"].map(OsString::from));
    let output = run_now(&child);
    assert_eq!(output.signal, Some(2), "{}", String::from_utf8_lossy(&output.stderr));
}

/// What a variable has a program load when it starts is loaded by the target alone, not by what confines it.
#[test]
fn variables_of_the_target_reach_nothing_that_confines_it() {
    for value in ["plain", "a=b c\nd"] {
        let mut child = shell("printf %s \"$MINE\"");
        child.target_env = BTreeMap::from([("MINE".to_owned(), value.to_owned())]);
        assert_eq!(text(&run_confined(&child).stdout), value);
        assert_eq!(text(&run_now(&child).stdout), value);
    }
    let mut child = shell(":");
    child.target_env = BTreeMap::from([("LD_PRELOAD".to_owned(), "/nowhere.so".to_owned())]);
    let output = run_confined(&child);
    assert_eq!(text(&output.stderr).matches("/nowhere.so").count(), 1, "{}", text(&output.stderr));
}
