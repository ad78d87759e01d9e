//! Everything that can go wrong before, around and after a child process; its own failure is not an error here.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why a child could not be run, found or prepared.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// No program of this name may be used.
    #[error("program `{name}` was not found{}", passed_over(tried))]
    ProgramNotFound {
        name: String,
        /// Every place looked at that was refused, in order.
        tried: Vec<Tried>,
    },
    /// A name of a program that holds a slash or is empty.
    #[error("`{name}` is not a program name: it is looked up on PATH and must not contain `/`")]
    NotAName { name: String },
    /// A program given by a path that is not absolute, or that is not an executable file.
    #[error("`{}` cannot be run: {reason}", path.display())]
    NotExecutable { path: PathBuf, reason: &'static str },
    /// A tool may reach some hosts, and this system does not let the network of its own be made that this needs.
    #[error("no network for some hosts only: this system makes no name space of networks for you")]
    NoNetwork {
        #[source]
        source: io::Error,
    },
    /// The child could not be started.
    #[error("cannot start `{}`", program.display())]
    Start {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The child could not be waited for.
    #[error("lost track of the child process `{}`", program.display())]
    Wait {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
    /// The private copy of a script could not be made.
    #[error("cannot make a private copy of `{file_name}` in `{}`", folder.display())]
    Script {
        file_name: String,
        folder: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A signal could not be listened for.
    #[error("cannot listen for signal {signal}")]
    Signal {
        signal: i32,
        #[source]
        source: io::Error,
    },
    /// The hidden verb was given a command line that this program does not write.
    #[error("malformed confinement arguments: {reason}")]
    ConfineArguments { reason: String },
    /// This system cannot hold a child in a sandbox.
    #[error("this system has no sandbox: {reason}")]
    NoSandbox {
        /// What it lacks.
        reason: String,
    },
    /// A script was granted what no script may write.
    #[error("cannot give a tool `{}`: {reason}", path.display())]
    Grant { path: PathBuf, reason: &'static str },
    /// A resource limit could not be set, or a privilege given up.
    #[error("cannot limit {what}")]
    Confine {
        what: &'static str,
        #[source]
        source: io::Error,
    },
}

/// Why a place without the file is passed over.
pub(super) const NO_SUCH_FILE: &str = "no such file";

/// A place where a program was looked for and why it was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The entry of PATH, or the file.
    pub path: PathBuf,
    /// Why it was passed over.
    pub reason: &'static str,
}

/// Names the places that have something of the name, or are no folders to look in.
fn passed_over(tried: &[Tried]) -> String {
    if tried.is_empty() {
        return " (PATH is empty)".to_owned();
    }
    let is_told = |place: &&Tried| place.reason != NO_SUCH_FILE;
    let place = |place: &Tried| format!("`{}`: {}", place.path.display(), place.reason);
    let places: Vec<String> = tried.iter().filter(is_told).map(place).collect();
    if places.is_empty() { String::new() } else { format!(" ({})", places.join("; ")) }
}
