//! One run of the program in a sandbox, and all that can be seen of it from outside.
//!
//! It happens in the process of the test, where that makes no difference: see [`inside`].

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::sandbox::{Person, Sandbox};
use super::{RYE, inside};

/// One run of the program, being put together.
pub(crate) struct Run<'a> {
    sandbox: &'a Sandbox,
    args: Vec<String>,
    /// Variables besides those of the sandbox, in the order of the test.
    variables: Vec<(String, String)>,
    stdin: Option<String>,
    timeout: Option<Duration>,
    is_process: bool,
}

/// How a run ended, and what it wrote; no exit code if it was killed.
struct Ended {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl<'a> Run<'a> {
    /// Prepares a run in the project.
    pub(super) fn new(sandbox: &'a Sandbox, args: &[&str]) -> Self {
        let args = args.iter().map(|&word| word.to_owned()).collect();
        Self { sandbox, args, variables: Vec::new(), stdin: None, timeout: None, is_process: false }
    }

    /// Sets a variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Runs it as another person.
    pub(crate) fn by(self, person: &Person) -> Self {
        let config = self.sandbox.path(&format!("config-{}", person.0)).display().to_string();
        self.env("RYE_SEED", person.0).env("XDG_CONFIG_HOME", &config)
    }

    /// Kills it after this many seconds; the exit code is `none` then.
    pub(crate) fn within(mut self, seconds: u64) -> Self {
        self.timeout = Some(Duration::from_secs(seconds));
        self
    }

    /// Gives it something to read.
    pub(crate) fn stdin(mut self, text: &str) -> Self {
        self.stdin = Some(text.to_owned());
        self
    }

    /// Has it be a process: what is tested is about that, or about what a process does once.
    pub(crate) fn own_process(mut self) -> Self {
        self.is_process = true;
        self
    }

    /// Runs it and demands that it succeeds.
    pub(crate) fn succeeds(self) {
        let transcript = self.transcript();
        assert!(transcript.ends_with("[exit 0]\n"), "{transcript}");
    }

    /// Starts it and does not wait.
    pub(crate) fn spawn(self) -> Child {
        self.into_command().stdin(Stdio::null()).spawn().unwrap()
    }

    /// Starts it with a pipe for stdin, and does not wait.
    pub(crate) fn spawn_piped(self) -> Child {
        self.into_command().stdin(Stdio::piped()).spawn().unwrap()
    }

    /// Returns it as a command of the standard library, with pipes for what it writes.
    pub(crate) fn into_command(self) -> Command {
        let mut command = Command::new(RYE);
        command.args(&self.args).env_clear().current_dir(self.sandbox.project());
        command.envs(self.sandbox.variables()).envs(self.variables.iter().cloned());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it and returns what it wrote to stdout.
    pub(crate) fn stdout(self) -> Vec<u8> {
        self.ended().stdout
    }

    /// Runs it and returns all that can be seen from outside: the command, stdout, stderr and the exit code.
    pub(crate) fn transcript(self) -> String {
        let Ended { code, stdout, stderr } = self.ended();
        let text = |bytes: &[u8]| self.sandbox.redacted(&String::from_utf8_lossy(bytes));
        let variables: String = self.variables.iter().map(|(name, value)| format!("{name}={value} ")).collect();
        let words: Vec<String> = self.args.iter().map(|word| quoted(word)).collect();
        let command = self.sandbox.redacted(&format!("{variables}rye {}", words.join(" ")));
        let mut transcript = format!("$ {command}\n{}", text(&stdout));
        if !transcript.ends_with('\n') {
            transcript.push_str("[no line feed]\n");
        }
        if !stderr.is_empty() {
            transcript.push_str(&format!("[stderr]\n{}", text(&stderr)));
        }
        let code = code.map_or_else(|| "none".to_owned(), |code| code.to_string());
        transcript + &format!("[exit {code}]\n")
    }

    fn environment(&self) -> BTreeMap<String, String> {
        self.sandbox.environment().into_iter().chain(self.variables.iter().cloned()).collect()
    }

    fn ended(&self) -> Ended {
        let is_process = self.is_process || self.sandbox.has_processes();
        if !is_process
            && self.stdin.is_none()
            && self.timeout.is_none()
            && let Some(ran) = inside::run(&self.sandbox.project(), &self.environment(), &self.args)
        {
            return Ended { code: Some(ran.code.into()), stdout: ran.stdout, stderr: ran.stderr };
        }
        let mut command = assert_cmd::Command::new(RYE);
        command.args(&self.args).env_clear().envs(self.environment()).current_dir(self.sandbox.project());
        if let Some(text) = &self.stdin {
            command.write_stdin(text.clone());
        }
        if let Some(timeout) = self.timeout {
            command.timeout(timeout);
        }
        let output = command.output().unwrap();
        Ended { code: output.status.code(), stdout: output.stdout, stderr: output.stderr }
    }
}

/// Shows a word as a shell would need it.
fn quoted(word: &str) -> String {
    let special = |character: char| character.is_whitespace() || "'\"*{}$".contains(character);
    if word.is_empty() || word.contains(special) { format!("'{word}'") } else { word.to_owned() }
}

#[test]
fn a_run_in_this_process_is_seen_as_one_of_a_process() {
    if std::env::var_os("NEXTEST_EXECUTION_MODE").is_none() {
        // As a runner starts it that gives each test a process.
        let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
        let name = "support::run::a_run_in_this_process_is_seen_as_one_of_a_process";
        let output = alone.args(["--exact", name]).env("NEXTEST_EXECUTION_MODE", "process-per-test").output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && told.contains("1 passed"), "{told}");
        return;
    }
    let (inside, outside) = (Sandbox::signed(), Sandbox::signed());
    let list = inside.rye(&["list"]);
    let ran = inside::run(&inside.project(), &list.environment(), &list.args);
    assert!(ran.is_some_and(|ran| ran.code == 0), "it runs as a process");
    for sandbox in [&inside, &outside] {
        sandbox.put(".ai/tools/demo/broken.sh", "# version: one\n");
        sandbox.put(".ai/tools/demo/echo.sh", "#!/bin/sh\n# version: 1.0.1\n# description: A tool\n# category: demo\n");
    }
    for words in [
        "",
        "--help",
        "no-such-verb",
        "list --format sarif",
        "list",
        "list --json",
        "-C /nowhere list",
        "-C .ai list --color always",
        "lint",
        "lint --format sarif",
        "verify",
        "verify --json",
        "search greet",
        "load tool demo/broken",
        "load tool demo/nothing --json",
        "sign tool demo/echo",
        "trust add -",
        "status",
        "key list --json",
        "thread list",
        "completions bash",
        "execute knowledge demo/notes",
    ] {
        let args: Vec<&str> = words.split_whitespace().collect();
        for (name, value) in [("NO_COLOR", "1"), ("RYE_PROJECT", ".ai"), ("HOME", "relative")] {
            let seen = inside.rye(&args).env(name, value).transcript();
            assert_eq!(seen, outside.rye(&args).env(name, value).own_process().transcript());
        }
    }
}
