//! What the benches share: a workspace of their own, timed processes, a table of medians.
//!
//! Times are of whole processes, from before the spawn until after the wait, with output discarded and the page cache
//! warm. Compare rows of one run, never runs of two machines.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The program of this build.
pub(crate) const RYE: &str = env!("CARGO_BIN_EXE_rye");

/// Both the program and the baselines find their interpreters here, and no version manager's wrapper before them.
pub(crate) const PATH: &str = "/usr/bin:/bin";

/// An empty home folder and a repository with one commit, gone afterwards.
pub(crate) struct Workspace {
    root: tempfile::TempDir,
}

impl Workspace {
    pub(crate) fn new() -> Self {
        let workspace = Self { root: tempfile::tempdir().unwrap() };
        fs::create_dir(workspace.root.path().join("home")).unwrap();
        fs::create_dir(workspace.project()).unwrap();
        workspace.write("README.md", "# A project\n");
        workspace.git(&["init", "--quiet", "--initial-branch", "main"]);
        workspace.git(&["config", "user.name", "Bench"]);
        workspace.git(&["config", "user.email", "bench@localhost"]);
        workspace.rye(&["init", "--quiet"]);
        workspace.git(&["add", "--all"]);
        workspace.git(&["commit", "--quiet", "--message", "first"]);
        workspace
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes a command that sees this workspace and nothing of its surroundings.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.project()).env_clear();
        command.env("PATH", PATH).env("HOME", self.home());
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    pub(crate) fn rye(&self, args: &[&str]) {
        self.run(RYE, args);
    }

    pub(crate) fn git(&self, args: &[&str]) {
        self.run("git", args);
    }

    /// Runs a command that must succeed.
    fn run(&self, program: &str, args: &[&str]) {
        let output = self.command(program, args).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {args:?}: {}\n{told}", output.status);
    }
}

/// Measures `command` `count` times after two runs that do not count; `prepare` comes before each, untimed.
pub(crate) fn measure(
    count: usize,
    mut prepare: impl FnMut(usize),
    mut command: impl FnMut(usize) -> Command,
) -> Vec<Duration> {
    let mut times = Vec::with_capacity(count);
    for round in 0..count + 2 {
        prepare(round);
        let mut command = command(round);
        let begun = Instant::now();
        let status = command.status().unwrap();
        let time = begun.elapsed();
        assert!(status.success(), "{command:?}: {status}");
        times.push(time);
    }
    times.split_off(2)
}

/// Prints the head of a table.
pub(crate) fn head(title: &str) {
    println!("\n{title}\n\n| what | n | median | p95 | least |\n|---|--:|--:|--:|--:|");
}

/// Prints a row and returns the median.
pub(crate) fn row(what: &str, mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let [median, slow, least] = [at(50), at(95), times[0]].map(milliseconds);
    println!("| {what} | {} | {median} | {slow} | {least} |", times.len());
    at(50)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}
