//! The only place that runs git itself: for what gix cannot do (push), and for what must be the person's own git with
//! its hooks, credentials and editor (commit, fetch, add).
//!
//! Invariants:
//! - No shell; git gets exactly the environment it is given, without the variables that would point it to another
//!   repository ([`REPOSITORY_VARIABLES`]) and without the signing key: a git hook of the project can keep every value
//!   that it sees.
//! - What comes from outside (remotes, refspecs, paths) is never taken for an option.
//! - What git writes is bounded. Waiting is not: a person may be typing, and Ctrl-C reaches git too.
//! - Hooks run, `pre-push` as well: they are the person's guards, and a program that bypasses them opens an unexpected
//!   gap.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Read, Write},
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    thread,
};

use super::relay::{Relay, pass_on};
use super::stderr::{last_bytes, pieces};
use super::{BlobId, Error, Mode, Repository, push_report::PushedRef};
use crate::redact::Cleared;

/// Variables that tie git to one repository and its parts; a git hook has some of them. Settings for one run
/// (`GIT_CONFIG_PARAMETERS` and its like) stay: they are the person's, for this very repository.
pub(super) const REPOSITORY_VARIABLES: [&str; 12] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// What no program of the person's is given.
pub(super) const SECRET_VARIABLES: [&str; 3] = ["RYE_SIGNING_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/// How much of stdout is taken.
pub(super) const MAX_STDOUT: usize = 16 * 1024 * 1024;
/// How many lines of stderr an error quotes.
const LAST_LINES: usize = 6;

/// Whether git may talk to the person.
#[derive(Debug, Clone, Copy)]
pub enum Terminal {
    /// Git has this program's own stdin and terminal, so it can ask for credentials; what it says is passed on.
    Shared(Relay),
    /// Git asks nothing, and what it says on stderr comes back in the error.
    None,
}

/// The program git, told where to work.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    dir: PathBuf,
    environment: BTreeMap<String, String>,
    terminal: Terminal,
    pub(super) is_quiet: bool,
    guard: Option<Arc<File>>,
    pub(super) wait: Wait,
}

/// How the end of a child is waited for.
pub type Wait = fn(&mut Child) -> std::io::Result<ExitStatus>;

/// One entry to be put into the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEdit {
    /// From the top of the work tree.
    pub path: String,
    /// The kind of file, as the index holds it ([`Mode::Tree`] does not occur).
    pub mode: Mode,
    /// The content, already in the repository.
    pub blob_id: BlobId,
}

impl Git {
    /// Makes a runner for a repository. `program` is git's absolute path, found outside of the project;
    /// `environment` the person's whole environment.
    pub fn new(program: &Path, repository: &Repository, environment: &BTreeMap<String, String>) -> Self {
        let mut environment = environment.clone();
        for name in REPOSITORY_VARIABLES.iter().chain(&SECRET_VARIABLES) {
            environment.remove(*name);
        }
        let dir = repository.work_dir().unwrap_or_else(|| repository.git_dir()).to_owned();
        Self {
            program: program.to_owned(),
            dir,
            environment,
            terminal: Terminal::None,
            is_quiet: false,
            guard: None,
            wait: Child::wait,
        }
    }

    /// Says whether git may talk to the person; without this it may not.
    #[must_use]
    pub fn with_terminal(mut self, terminal: Terminal) -> Self {
        self.terminal = terminal;
        self
    }

    /// Has git fetch and push without a word about refs and progress, also on the person's terminal.
    #[must_use]
    pub fn quiet(mut self) -> Self {
        self.is_quiet = true;
        self
    }

    /// Says how git's end is waited for; without this, a signal to this program alone does not reach git.
    #[must_use]
    pub fn waited_for_by(mut self, wait: Wait) -> Self {
        self.wait = wait;
        self
    }

    /// Works on the index a git hook was told (`GIT_INDEX_FILE`, absolute): during `git commit -a` and
    /// `git commit PATH` it is not the work tree's own.
    #[must_use]
    pub fn with_index_file(mut self, index_file: &Path) -> Self {
        self.environment.insert("GIT_INDEX_FILE".into(), index_file.display().to_string());
        self
    }

    /// Has every command of git's that writes more than objects hold a file open until its end: a lock on that file outlives this
    /// program as long as what it started.
    #[must_use]
    pub fn with_guard(mut self, guard: File) -> Self {
        self.guard = Some(Arc::new(guard));
        self
    }

    /// Returns the stdin of a command that reads nothing.
    pub(super) fn no_stdin(&self) -> Stdio {
        self.guard.as_ref().and_then(|guard| guard.try_clone().ok()).map_or_else(Stdio::null, Stdio::from)
    }

    /// Pushes exactly `refspecs`, all or none, whose contents were looked at, and says what became of each ref. Refused refs are not an error:
    /// [`PushStatus::Rejected`](super::PushStatus::Rejected) gives the reason.
    ///
    /// # Errors
    /// [`Error::Start`]; [`Error::Command`] if it did not come to judging refs (no such remote, no access, a
    /// `pre-push` hook said no); [`Error::CommandOutput`].
    pub fn push(&self, remote: &str, refspecs: &[&str], _cleared: &Cleared) -> Result<Vec<PushedRef>, Error> {
        let options = ["--porcelain", "--atomic", "--no-follow-tags", "--recurse-submodules=no"];
        let quiet: &[&str] = if self.is_quiet { &["--no-progress"] } else { self.progress() };
        let args = [&["push"], &options[..], quiet, &["--", remote], refspecs].concat();
        let command = format!("git push {remote}");
        let ended = self.run(&args, &[])?;
        let pushed = PushedRef::parse_all(&ended.stdout)
            .map_err(|reason| Error::CommandOutput { command: command.clone(), reason })?;
        if pushed.is_empty() || pushed.iter().all(PushedRef::is_fine) {
            self.finish(&ended, &command)?;
        }
        Ok(pushed)
    }

    /// Runs stock `git commit` with `args` on the person's own stdin, stdout and stderr: editor, hooks and passphrases
    /// work. What is committed was looked at. `config` are settings for this run (`gpg.format`, `ssh`). `--quiet` among `args` keeps stdout clean.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] if nothing was committed; git has said why.
    pub fn commit(&self, config: &[(&str, &str)], args: &[&str], _cleared: &Cleared) -> Result<(), Error> {
        let mut command = self.command();
        for (name, value) in config {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.arg("commit").args(args).stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(Stdio::inherit());
        let ended = command.spawn().and_then(|mut child| (self.wait)(&mut child));
        let status = ended.map_err(|source| self.not_started(source))?;
        self.finish(&Ended { status, stdout: Vec::new(), stderr: Vec::new() }, "git commit")
    }

    /// Counts the commits that some revisions lead to, as `git rev-list` takes them.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] or [`Error::CommandOutput`].
    pub fn count_commits(&self, revisions: &[&str]) -> Result<usize, Error> {
        let command = "git rev-list";
        let ended = self.run(&[&["rev-list", "--count"], revisions, &["--"]].concat(), &[])?;
        self.finish(&ended, command)?;
        let unclear = |_| Error::CommandOutput { command: command.to_owned(), reason: "it is not a number".to_owned() };
        String::from_utf8_lossy(&ended.stdout).trim_end().parse().map_err(unclear)
    }

    /// Sets a variable for git and the hooks it runs.
    #[must_use]
    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Tells whether `git commit` with these `args` would find anything to commit. No hook runs, and nothing changes.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] if git does not even come to that question.
    pub fn would_commit(&self, args: &[&str]) -> Result<bool, Error> {
        // Warnings about line ends are no answer.
        let asked = ["-c", "core.safecrlf=false", "commit", "--dry-run", "--porcelain"];
        let ended = self.run(&[&asked[..], args].concat(), &[])?;
        if ended.status.code() == Some(1) && ended.stderr.is_empty() {
            return Ok(false);
        }
        self.finish(&ended, "git commit").map(|()| true)
    }

    /// Returns the folder git runs hooks from: `core.hooksPath`, or `hooks` in the folder all work trees share.
    ///
    /// # Errors
    /// [`Error::Start`], [`Error::Command`] or [`Error::CommandOutput`].
    pub fn hooks_dir(&self) -> Result<PathBuf, Error> {
        let command = "git rev-parse --git-path hooks";
        let ended = self.run(&["rev-parse", "--git-path", "hooks"], &[])?;
        self.finish(&ended, command)?;
        let path = String::from_utf8(ended.stdout).ok();
        let path = path.as_deref().and_then(|path| path.strip_suffix('\n')).filter(|path| !path.is_empty());
        let unclear =
            || Error::CommandOutput { command: command.to_owned(), reason: "it is not a path in UTF-8".to_owned() };
        path.map(|path| self.dir.join(path)).ok_or_else(unclear)
    }

    /// Adds a value to the repository's own configuration.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn add_config(&self, name: &str, value: &str) -> Result<(), Error> {
        self.finish(&self.run(&["config", "--local", "--add", name, value], &[])?, "git config")
    }

    /// Stages files as they are in the work tree, deletions too; paths are from the top of the work tree and are not
    /// patterns.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn add(&self, paths: &[&str]) -> Result<(), Error> {
        let args = ["--literal-pathspecs", "add", "--pathspec-from-file=-", "--pathspec-file-nul"];
        self.finish(&self.run(&args, paths.join("\0").as_bytes())?, "git add")
    }

    /// Puts entries into the index, whatever the work tree has there: how the staged version of a file is replaced while
    /// the person's unstaged changes stay what they are.
    ///
    /// # Errors
    /// [`Error::Start`], or [`Error::Command`] with what git says.
    pub fn update_index(&self, edits: &[IndexEdit]) -> Result<(), Error> {
        let entry = |edit: &IndexEdit| format!("{} {}\t{}\0", edit.mode.octal(), edit.blob_id, edit.path);
        let entries: String = edits.iter().map(entry).collect();
        self.finish(&self.run(&["update-index", "-z", "--index-info"], entries.as_bytes())?, "git update-index")
    }

    /// Tells whether git is given a variable.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.environment.contains_key(name)
    }

    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env_clear().envs(&self.environment).current_dir(&self.dir);
        command
    }

    /// Returns the option for progress: git shows none by itself where stderr is a pipe.
    pub(super) fn progress(&self) -> &'static [&'static str] {
        match self.terminal {
            Terminal::Shared(relay) if relay.is_terminal => &["--progress"],
            Terminal::Shared(_) | Terminal::None => &[],
        }
    }

    /// Runs git to its end; `stdin` is what it reads, unless that is empty and the terminal is shared.
    pub(super) fn run(&self, args: &[&str], stdin: &[u8]) -> Result<Ended, Error> {
        self.run_to(Stdio::piped(), args, stdin)
    }

    /// As [`run`](Self::run), for a command that reads and writes nothing on stdout: there it has the guard.
    pub(super) fn run_silent(&self, args: &[&str], stdin: &[u8]) -> Result<Ended, Error> {
        self.run_to(self.no_stdin(), args, stdin)
    }

    pub(super) fn run_to(&self, stdout: Stdio, args: &[&str], stdin: &[u8]) -> Result<Ended, Error> {
        let mut command = self.command();
        command.args(args).stdout(stdout).env("LC_ALL", "C");
        // The words of a server come this way (fetch, push, ls-remote), so stderr is a pipe and each line is passed on.
        // `commit` and `hook` run the person's own hooks, keys and editor only: they inherit the terminal.
        match self.terminal {
            Terminal::Shared(_) => command.stdin(Stdio::inherit()).stderr(Stdio::piped()),
            Terminal::None => command.stdin(self.no_stdin()).stderr(Stdio::piped()).env("GIT_TERMINAL_PROMPT", "0"),
        };
        if !stdin.is_empty() {
            command.stdin(Stdio::piped());
        }
        let mut child = command.spawn().map_err(|source| self.not_started(source))?;
        let terminal = self.terminal;
        let (fed, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (said, ending) = stderr.map(pieces).unzip();
        let (status, stdout, stderr) = thread::scope(|scope| {
            // A child that ends without reading says itself why.
            scope.spawn(move || fed.map(|mut pipe| pipe.write_all(stdin)));
            let said = said.into_iter().flatten();
            let stderr = scope.spawn(move || match terminal {
                Terminal::Shared(relay) => {
                    pass_on(said, relay);
                    Vec::new()
                }
                Terminal::None => last_bytes(said),
            });
            let stdout = scope.spawn(move || stdout.map(first_bytes).unwrap_or_default());
            let status = (self.wait)(&mut child);
            if let Some(ending) = ending {
                ending.tell();
            }
            (status, stdout.join().unwrap_or_default(), stderr.join().unwrap_or_default())
        });
        let status = status.map_err(|source| self.not_started(source))?;
        Ok(Ended { status, stdout, stderr })
    }

    pub(super) fn finish(&self, ended: &Ended, command: &str) -> Result<(), Error> {
        if ended.status.success() {
            return Ok(());
        }
        if let Some(path) = locked_index(&ended.stderr) {
            return Err(Error::IndexLocked { path });
        }
        let ending = match (ended.status.code(), ended.status.signal()) {
            (Some(code), _) => format!("ended with {code}"),
            (None, signal) => format!("was ended by signal {}", signal.unwrap_or_default()),
        };
        Err(Error::Command { command: command.to_owned(), ending, stderr: last_lines(&ended.stderr) })
    }

    pub(super) fn not_started(&self, source: std::io::Error) -> Error {
        Error::Start { program: self.program.clone(), source }
    }
}

/// How a command ended and what it wrote.
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

/// Reads a pipe to its end and keeps the beginning.
fn first_bytes(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let taken = pipe.by_ref().take(MAX_STDOUT as u64).read_to_end(&mut kept);
    // Output beyond it is read all the same: a child that cannot write does not end.
    let _ = taken.and_then(|_| std::io::copy(&mut pipe, &mut std::io::sink()));
    kept
}

/// Returns the lock of the index that git says it could not take: another git program has it, or died with it.
fn locked_index(stderr: &[u8]) -> Option<PathBuf> {
    let text = String::from_utf8_lossy(stderr);
    let (_, from_path) = text.split_once("Unable to create '")?;
    let (path, _) = from_path.split_once("': File exists")?;
    path.ends_with("/index.lock").then(|| PathBuf::from(path))
}

/// Returns the last lines of a text in one line, without what could steer a terminal.
fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("; ");
    last.chars().filter(|letter| !letter.is_control()).collect()
}
