//! What goes where: pipes that close, quiet runs, colour.

use std::process::{Command, Stdio};

use snapbox::str;

use crate::support::{Sandbox, assert_seen};

/// Runs a line of shell with `rye` as a function and its path as `$RYE` and returns its exit code and stderr.
fn shell(sandbox: &Sandbox, line: &str) -> (Option<i32>, String) {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("rye() {{ \"$RYE\" \"$@\"; }}; {line}")]);
    shell
        .env_clear()
        .envs(sandbox.variables())
        .env("RYE", crate::support::RYE)
        .current_dir(sandbox.project())
        .stdin(Stdio::null());
    let output = shell.output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_reader_who_goes_away_is_no_error() {
    let sandbox = Sandbox::signed();
    let line = "set -o pipefail; (sleep 0.2; rye list; echo \"code $?\" >&2) | head -n 0";
    assert_eq!(shell(&sandbox, line), (Some(0), "code 0\n".to_owned()));
    let line = "(sleep 0.2; rye verify --json; echo \"code $?\" >&2) | head -n 0";
    assert_eq!(shell(&sandbox, line), (Some(0), "code 0\n".to_owned()));
}

#[test]
fn a_full_disk_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let sandbox = Sandbox::signed();
    let (code, stderr) = shell(&sandbox, "rye list > /dev/full");
    assert_eq!(code, Some(1));
    assert_seen(
        stderr,
        str![[r#"
error: cannot write to stdout
cause: No space left on device (os error 28)
hint: make room, then run the command again

"#]],
    );
}

#[test]
fn a_file_size_limit_is_an_error_and_no_signal() {
    let sandbox = Sandbox::with_items();
    let (code, stderr) = shell(&sandbox, "ulimit -f 0; rye list > list.txt");
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.starts_with("error: cannot write to stdout\n"), "{stderr}");
}

#[test]
fn quiet_leaves_data_and_errors() {
    let sandbox = Sandbox::with_items();
    sandbox.put(".ai/tools/demo/README", "no item");
    assert_seen(
        sandbox.rye(&["list", "tool", "--space", "project", "-q"]).transcript(),
        str![[r#"
$ rye list tool --space project -q
tool	demo/echo	1.0.0	project	unsigned	Returns what it was given
tool	demo/fail	1.0.0	project	unsigned	Fails
[exit 0]

"#]],
    );
    assert_seen(
        sandbox.rye(&["execute", "tool", "demo/nothing", "-q"]).transcript(),
        str![[r#"
$ rye execute tool demo/nothing -q
[stderr]
error: unknown tool `demo/nothing`
hint: run `rye list tool` to list them
[exit 1]

"#]],
    );
}

#[test]
fn colour_comes_when_asked_for_and_never_by_itself_in_a_pipe() {
    let sandbox = Sandbox::signed();
    let coloured = |args: &[&str]| String::from_utf8(sandbox.rye(args).stdout()).unwrap().contains('\u{1b}');
    assert!(coloured(&["verify", "--color", "always"]));
    assert!(!coloured(&["verify"]));
    assert!(!coloured(&["verify", "--color", "never"]));
    assert!(coloured(&["--help", "--color", "always"]));
}

#[test]
fn a_signal_stops_a_tool_with_a_code_of_its_own() {
    let sandbox = Sandbox::with_items().unconfined();
    let header = "# version: 1.0.0\n# description: slow\n# category: demo\n";
    sandbox.put(".ai/tools/demo/slow.sh", &format!("{header}touch started\nsleep 60\n"));
    sandbox.rye(&["sign", "--all", "-q"]).succeeds();
    let line = "\"$RYE\" execute tool demo/slow & until [ -e started ]; do sleep 0.05; done; kill -TERM $!; wait $!";
    let (code, stderr) = shell(&sandbox, line);
    assert_eq!(code, Some(5), "{stderr}");
    assert_eq!(stderr, "error: tool `demo/slow` was stopped\n");
}
