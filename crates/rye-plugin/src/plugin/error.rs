//! What can be wrong with a plugin, its library or its answers.
//!
//! Every variant names the plugin or the path it is about; none repeats its source.

use std::io;
use std::path::PathBuf;

use super::installed::InstalledError;

/// What can be wrong with a plugin.
///
/// `plugin` is the plugin's name, or its crate's name as long as its table has not been accepted.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// No plugin of this kind has this name.
    #[error("unknown {kind} `{name}`")]
    UnknownPlugin {
        /// The kind that was asked for.
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        known: Vec<String>,
    },
    /// No tool kind takes files with this extension.
    #[error("no tool kind runs files with the extension `{extension}`{}", advice(extension))]
    UnknownExtension { extension: String, known: Vec<String> },
    /// The executable whose plugins are wanted cannot be looked at.
    #[error("the program `{}` cannot be looked at", path.display())]
    Program {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// A library is there but cannot be opened for reading.
    #[error("the plugin library `{}` cannot be read", path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Something else than a regular file is in a library's place.
    #[error("the plugin library `{}` is not a regular file", path.display())]
    NotAFile { path: PathBuf },
    /// A library has another owner than the program.
    #[error("the plugin library `{}` belongs to user {owner}, but the program to user {expected}", path.display())]
    WrongOwner {
        path: PathBuf,
        /// The user id of its owner.
        owner: u32,
        /// The user id of the program's owner.
        expected: u32,
    },
    /// A library can be written by people who cannot write the program.
    #[error("the plugin library `{}` can be written by others (mode {mode:04o})", path.display())]
    UnsafePermissions { path: PathBuf, mode: u32 },
    /// The system's loader refuses a library.
    #[error("the plugin library `{}` cannot be loaded", path.display())]
    Load {
        path: PathBuf,
        #[source]
        source: libloading::Error,
    },
    /// A library has no table for this contract version.
    #[error("`{}` has no symbol `{symbol}`, so it is not a plugin for contract version {expected}", path.display())]
    MissingSymbol {
        path: PathBuf,
        symbol: String,
        /// The contract version of this program.
        expected: u32,
        #[source]
        source: libloading::Error,
    },
    /// A plugin was made for another contract version.
    #[error("the plugin `{plugin}` was made for contract version {found}, this program for version {expected}")]
    WrongAbi {
        plugin: String,
        found: u32,
        /// The contract version of this program.
        expected: u32,
    },
    /// A plugin's table is not of this contract version's size.
    #[error("the table of the plugin `{plugin}` has {found} bytes instead of {expected}")]
    WrongSize {
        plugin: String,
        found: u32,
        /// The size of this version's table.
        expected: u32,
    },
    /// A plugin was refused before in this process; its library is not opened again.
    #[error("the plugin `{plugin}` was refused when it was opened: {reason}")]
    Refused { plugin: String, reason: String },
    /// An installed plugin cannot be used.
    #[error("the installed plugin `{plugin}` cannot be used")]
    Installed {
        plugin: String,
        #[source]
        source: InstalledError,
    },
    /// The folder of installed plugins cannot be read.
    #[error("the installed plugins cannot be read")]
    Store(#[source] InstalledError),
    /// A plugin says of itself another thing than its manifest.
    #[error("the plugin `{plugin}` has the {what} `{found}`, its manifest says `{declared}`")]
    OtherThanManifest {
        plugin: String,
        what: &'static str,
        /// What it says.
        found: String,
        /// What its manifest says.
        declared: String,
    },
    /// A plugin wants what its manifest does not declare.
    #[error("the plugin `{plugin}` wants {what}, which its manifest does not declare")]
    Undeclared {
        plugin: String,
        /// What it wants.
        what: String,
    },
    /// Several installed plugins run files with this extension.
    #[error("several plugins run files with the extension `{extension}`: {}", plugins.join(", "))]
    AmbiguousExtension { extension: String, plugins: Vec<String> },
    /// A plugin is of another kind than it should be.
    #[error("the plugin `{plugin}` is of kind {found}, not a {expected}")]
    WrongKind {
        plugin: String,
        found: u32,
        /// The kind it should be of.
        expected: &'static str,
    },
    /// A plugin has another name than it should have.
    #[error("the plugin `{plugin}` calls itself `{found}`")]
    WrongName { plugin: String, found: String },
    /// A plugin's table cannot be used.
    #[error("the table of the plugin `{plugin}` cannot be used: {problem}")]
    MalformedTable { plugin: String, problem: &'static str },
    /// A question cannot be written as JSON.
    #[error("the question to the plugin `{plugin}` cannot be written as JSON")]
    Request {
        plugin: String,
        #[source]
        source: serde_json::Error,
    },
    /// A plugin panicked; it caught that itself.
    #[error("the plugin `{plugin}` panicked: {message}")]
    Panicked {
        plugin: String,
        /// What the panic said.
        message: String,
    },
    /// A plugin says that it cannot answer.
    #[error("the plugin `{plugin}` reports `{code}`: {message}")]
    Reported { plugin: String, code: String, message: String },
    /// A call ended with a status the contract does not know.
    #[error("a call of the plugin `{plugin}` ended with the unknown status {status}")]
    UnknownStatus { plugin: String, status: u32 },
    /// An answer is too large to be read.
    #[error("the answer of the plugin `{plugin}` has {length} bytes, more than the limit of {limit}")]
    TooLarge {
        plugin: String,
        /// The answer's length in bytes.
        length: usize,
        /// The greatest length in bytes.
        limit: usize,
    },
    /// An answer is not JSON.
    #[error("the answer of the plugin `{plugin}` is not JSON")]
    NotJson {
        plugin: String,
        #[source]
        source: serde_json::Error,
    },
    /// An answer is JSON, but not of the shape the contract demands.
    #[error("the answer of the plugin `{plugin}` is not of the right shape")]
    WrongShape {
        plugin: String,
        #[source]
        source: serde_json::Error,
    },
    /// An answer is of a kind this version of the program does not know.
    #[error("the plugin `{plugin}` answers with the kind of {member} `{found}`, which this version does not know")]
    UnknownAnswer {
        plugin: String,
        /// What has a kind: `answer` or `plan`.
        member: &'static str,
        found: String,
    },
}

/// How a YAML file names what runs it.
fn advice(extension: &str) -> &'static str {
    if matches!(extension, "yaml" | "yml") { ": name a tool kind as `executor_id`, such as `command`" } else { "" }
}
