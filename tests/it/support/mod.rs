//! What the tests of the program as a whole share.

pub(crate) mod beside;
pub(crate) mod http;
pub(crate) mod inside;
pub(crate) mod killing;
pub(crate) mod openings;
pub(crate) mod pty;
mod run;
mod sandbox;
pub(crate) mod strict;
pub(crate) mod surveyed;
pub(crate) mod template;
pub(crate) mod users;

use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) use run::Run;
pub(crate) use sandbox::{Person, Sandbox};
use snapbox::{Assert, IntoData};

/// The top of the repository.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The program with the clock of the tests.
pub(crate) const RYE: &str = env!("CARGO_BIN_EXE_rye-under-test");

/// Returns a folder for `PATH` in which the program has its own name.
pub(crate) fn programs() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    std::fs::create_dir_all(&folder).unwrap();
    let link = folder.join("rye");
    // A build folder may have been moved here, and other tests make the link at the same time.
    if std::fs::read_link(&link).ok().as_deref() != Some(Path::new(RYE)) {
        let made = tempfile::tempdir_in(&folder).unwrap();
        std::os::unix::fs::symlink(RYE, made.path().join("rye")).unwrap();
        std::fs::rename(made.path().join("rye"), &link).unwrap();
    }
    folder
}

/// Tells whether a program that is not part of a Rust toolchain is installed. A test without it is shorter, and says
/// so; in CI everything must be there.
#[expect(clippy::print_stderr, reason = "what is skipped must be seen")]
pub(crate) fn has(program: &str) -> bool {
    // An unknown option, to cause a usage error.
    let found = Command::new(program).arg("-?").stdin(Stdio::null()).output().is_ok();
    if !found {
        assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "`{program}` is needed in CI");
        eprintln!("skipped: there is no `{program}` on PATH");
    }
    found
}

/// Runs `ssh-keygen` in a folder, demands that it succeeds, and returns what it says.
pub(crate) fn ssh_keygen(dir: &Path, arguments: &[&str]) -> String {
    let output = Command::new("ssh-keygen").current_dir(dir).args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "ssh-keygen {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a program in the sandbox's project, on a terminal of its own, and types each answer when its question is there.
/// Returns all that was to be seen there, and the exit code.
pub(crate) fn on_terminal(sandbox: &Sandbox, dialogue: &[(&str, &str)], program: &[&str]) -> (String, i32) {
    let mut python = Command::new("python3");
    python.env_clear().envs(sandbox.variables()).current_dir(sandbox.project());
    python.args(["-I", "-c", include_str!("terminal.py"), &serde_json::to_string(dialogue).unwrap()]).args(program);
    let output = python.stdin(Stdio::null()).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    (format!("{}{errors}", String::from_utf8_lossy(&output.stdout)), output.status.code().unwrap())
}

/// Asserts that `seen` is what the snapshot says, backslashes included; `SNAPSHOTS=overwrite` refreshes it.
#[track_caller]
pub(crate) fn assert_seen(seen: String, snapshot: impl IntoData) {
    Assert::new().action_env("SNAPSHOTS").normalize_paths(false).eq(seen, snapshot);
}
