//! Why a thread cannot be run, listed or shown. Errors inside a running thread are events, not one of these.

mod resume;

pub use resume::ResumeError;

use std::path::PathBuf;

use thiserror::Error;

use crate::capability::{ProjectPath, TokenError};
use crate::context::{ContextError, Unreadable};
use crate::execute;
use crate::extends;
use crate::git::{self, CommitId};
use crate::id::{ItemId, ThreadId, ThreadName};
use crate::item::CurrencyMismatch;
use crate::keys::KeysError;
use crate::locate::LocateError;
use crate::net::EndpointError;
use crate::plugin;
use crate::process;
use crate::project;
use crate::redact::Leaks;
use crate::trust::CommitFault;
use crate::workspace;

/// Why a thread cannot be run, listed or shown.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The directive cannot be found or used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Its inputs or its text are wrong.
    #[error(transparent)]
    Execute(#[from] execute::Error),
    /// What it extends or names cannot be used.
    #[error(transparent)]
    Extends(#[from] extends::Error),
    /// Flags give permissions to the built-in task alone.
    #[error("`{directive}` is not the built-in directive, so flags cannot give it permissions")]
    NotTheTask { directive: ItemId },
    /// The flags of a task are another person's.
    #[error(
        "the permissions of `{thread}` were given by flags, and another agent than yours ran it: give them yourself"
    )]
    GrantedByAnother { thread: ThreadName },
    /// No provider document serves the model.
    #[error("no provider serves the {what}")]
    NoProvider {
        /// The model or tier asked for.
        what: String,
        /// The model that was asked for by name.
        model: Option<String>,
        /// What there is in its place: the tiers, or the models of providers that are set up.
        known: Vec<String>,
        /// The only provider that is set up.
        provider: Option<ItemId>,
    },
    /// No provider document has the name.
    #[error("unknown provider `{name}`")]
    UnknownProvider { name: ItemId, known: Vec<ItemId> },
    /// A provider document that was named has no model for what is asked for.
    #[error("`{provider}` has no {model}")]
    NoModel {
        provider: ItemId,
        /// The model that it lacks.
        model: String,
    },
    /// Several provider documents serve the model.
    #[error("several providers serve the {what}: {}", join(providers))]
    AmbiguousProvider {
        /// The model or tier asked for.
        what: String,
        providers: Vec<ItemId>,
    },
    /// The item is no provider document.
    #[error("`{provider}` is not a provider document{}", because(reason.as_deref()))]
    NotAProvider {
        provider: ItemId,
        /// What is wrong, where it is meant to be one.
        reason: Option<String>,
    },
    /// The model's price is not known, so no limit on spending can hold.
    #[error("the price of model `{model}` is not in `{provider}`, so its spending cannot be limited")]
    NoPrice {
        model: String,
        provider: ItemId,
        /// The models that have a price there.
        known: Vec<String>,
    },
    /// Nothing says which provider document a price is for.
    #[error("name the provider that serves the model `{model}`")]
    PriceOfWhom {
        model: String,
        /// The provider documents that ask a server.
        providers: Vec<ItemId>,
    },
    /// The price cannot be written down.
    #[error("cannot write the price of `{model}` to `{}`: {reason}", path.display())]
    PriceNotWritten {
        model: String,
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The person did not agree to the command that the project has run in the trees of its threads.
    #[error("the set-up of the project's trees is not agreed to: {what}")]
    SetUpNotAgreed {
        /// The command, and what it may do.
        what: String,
    },
    /// The command did not make what the tree needs.
    #[error("the set-up of the tree failed: `{command}`: {reason}")]
    SetUpFailed {
        command: String,
        /// How it ended, and what it said.
        reason: String,
    },
    /// A thread goes on that began with another set-up.
    #[error("the thread began with another set-up of its tree than the project has now")]
    SetUpChanged { thread_id: ThreadId },
    /// A folder to share is missing.
    #[error("the project has no folder `{path}` to share with threads")]
    ShareMissing { path: ProjectPath },
    /// The folders that threads share cannot be written down.
    #[error("cannot write `threads.share` to `{}`: {reason}", path.display())]
    ShareNotWritten {
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Limits and prices are in different currencies.
    #[error("a limit or a price is in {}, another in {}", source.one.currency(), source.other.currency())]
    Currency {
        #[source]
        source: CurrencyMismatch,
        /// The file of the configuration, which may have a rate between them.
        config: Option<PathBuf>,
    },
    /// The provider's plugin cannot be used.
    #[error("the provider `{provider}` cannot be used")]
    Plugin {
        provider: ItemId,
        #[source]
        source: plugin::Error,
    },
    /// The scripted answers cannot be read.
    #[error(transparent)]
    Script(#[from] Unreadable),
    /// Scripted answers are given to a provider that reads none.
    #[error("provider `{provider}` does not answer from a script")]
    ScriptUnused { provider: ItemId },
    /// The token that was minted does not hold.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The log of record cannot be written.
    #[error("the thread's log `{}` cannot be written", path.display())]
    Log {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The log of record cannot be read.
    #[error("cannot read the thread's log `{}`", path.display())]
    LogUnreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The thread's own tree cannot be written.
    #[error("cannot write `{}` in the thread's tree", path.display())]
    Tree {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The duration limit was reached before the thread began.
    #[error("the thread did not begin: its duration limit was reached while its tree was made")]
    Late,
    /// The branch cannot be written or read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The project's files cannot be read.
    #[error(transparent)]
    Workspace(#[from] workspace::Error),
    /// A thread's `thread.json` cannot be read.
    #[error("`thread.json` of `{thread_id}` cannot be read")]
    Record {
        thread_id: ThreadId,
        #[source]
        source: serde_json::Error,
    },
    /// The thread was recorded by a version that did not record its set-up.
    #[error("thread `{thread_id}` has no `setup.json`: it was recorded by an older version of Rye")]
    NoSetup { thread_id: ThreadId },
    /// The thread was recorded by a newer version.
    #[error(
        "`setup.json` of `{thread_id}` has format {found}; this program knows format {}",
        crate::machine::SETUP_FORMAT
    )]
    SetupFormat {
        thread_id: ThreadId,
        /// The format found.
        found: String,
    },
    /// A file of the thread's first commit cannot be read.
    #[error("`{file}` of `{thread_id}` cannot be read")]
    Setup {
        thread_id: ThreadId,
        file: &'static str,
        #[source]
        source: serde_json::Error,
    },
    /// The thread has no such turn to go on from.
    #[error("thread `{thread_id}` has no turn {turn} to continue from (expected {first} to {last})")]
    NoTurn {
        thread_id: ThreadId,
        turn: u32,
        /// Its first turn.
        first: u32,
        /// Its last turn.
        last: u32,
    },
    /// All steps of the directive are done, and no model answers.
    #[error("thread `{thread_id}` has no step left after turn {turn}: a fork would do nothing")]
    NoStepLeft { thread_id: ThreadId, turn: u32 },
    /// The thread was stopped before its start was recorded.
    #[error("thread `{thread_id}` has no turn to continue from")]
    NoTurns { thread_id: ThreadId },
    /// A commit of the thread is not the agent's.
    #[error("commit `{commit_id}` of thread `{thread}` cannot be trusted: {}", source)]
    Commit { thread: ThreadName, commit_id: CommitId, source: CommitFault },
    /// Only the agent that ran a thread writes its next turn.
    #[error("cannot continue thread `{thread}` with your own agent's key: commit `{commit_id}`: {fault}")]
    NotOwn { thread: ThreadName, commit_id: CommitId, fault: CommitFault },
    /// The thread is not here, and a fetch brought one of its id.
    #[error("thread `{}` is not here; `{thread}` was fetched", thread.thread_id)]
    OnlyFetched {
        thread: ThreadName,
        /// The branch that would make it one of this person's, if their own agent ran it.
        branch: Option<[String; 2]>,
    },
    /// The verb works on the threads of this repository, and a fetch brought this one.
    #[error(
        "thread `{}` is not here; `{thread}` was fetched, and this command works only on threads of this repository",
        thread.thread_id
    )]
    NotHere { thread: ThreadName },
    /// No fetch brought such a thread.
    #[error("no thread `{name}` was fetched from `{remote}`")]
    NotFetched { name: String, remote: String },
    /// A remote has no such thread.
    #[error("`{remote}` has no thread `{name}`")]
    NotAtRemote { name: String, remote: String },
    /// The record of the thread differs from the derived one.
    #[error("the record of thread `{thread_id}` is damaged: {message}")]
    Derived {
        thread_id: ThreadId,
        /// The first difference.
        message: String,
    },
    /// The directive is not the one that the thread ran.
    #[error("directive `{directive}` was changed since thread `{thread_id}` ran it")]
    DirectiveChanged { directive: ItemId, thread_id: ThreadId },
    /// The address of a provider is not allowed.
    #[error("{} is not an address for requests", variable.as_ref().map_or_else(|| format!("`url` of `{provider}`"), |name| format!("`{name}`")))]
    Endpoint {
        provider: ItemId,
        /// The variable that has the address, if it is not the document's own.
        variable: Option<String>,
        #[source]
        source: EndpointError,
    },
    /// A secret is missing.
    #[error("`{provider}` needs the secret `{secret}`")]
    NoSecret {
        secret: String,
        provider: ItemId,
        /// The file that could hold it.
        path: PathBuf,
    },
    /// No provider that would serve is set up.
    #[error("no provider is set up for {what} (none of these secrets is set: {})", secrets.join(", "))]
    NotSetUp {
        /// The model or tier, in words.
        what: String,
        /// The secrets, any of which would do.
        secrets: Vec<String>,
    },
    /// No provider is set up that could be checked.
    #[error("no provider is set up (none of these secrets is set: {})", secrets.join(", "))]
    NothingToCheck {
        /// The secrets, any of which would do.
        secrets: Vec<String>,
    },
    /// A secret may not go where a document would send it.
    #[error("the secret `{secret}` may not go to `{host}` for `{provider}`")]
    Unbound {
        secret: String,
        provider: ItemId,
        host: String,
        /// The file of the configuration, which could allow it.
        config: PathBuf,
    },
    /// Something of the thread cannot be written as JSON.
    #[error("the thread's record cannot be encoded")]
    Encode(#[source] serde_json::Error),
    /// The thread is unknown.
    #[error("unknown thread `{name}`")]
    Unknown {
        /// The name as it was given.
        name: String,
        /// The thread that was probably meant.
        suggestion: Option<ThreadId>,
    },
    /// The thread is unknown here, and there is a remote that may have it.
    #[error("unknown thread `{name}`")]
    UnknownHere {
        /// The name as it was given.
        name: String,
        /// The thread that was probably meant.
        suggestion: Option<ThreadId>,
        /// The remote that a fetch would ask.
        remote: String,
    },
    /// `@latest` of a repository without threads.
    #[error("this repository has no threads yet")]
    NoThreads,
    /// A thread's branch is gone, or was never made.
    #[error("thread `{thread_id}` has no branch: only its log is left")]
    OnlyLog { thread_id: ThreadId },
    /// A name matches several threads.
    #[error("`{name}` is ambiguous: {}", threads.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// The name as it was given.
        name: String,
        threads: Vec<ThreadId>,
    },
    /// A thread's runner is at work.
    #[error("thread `{thread_id}` is running")]
    Running { thread_id: ThreadId },
    /// An accept of the thread was cut short: the work tree holds what it had written by then.
    #[error("taking over thread `{thread_id}` was cut short, and what it wrote into the work tree is not settled")]
    AcceptCutShort { thread_id: ThreadId },
    /// Another process runs the thread.
    #[error("thread `{thread_id}` is running{}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    Held { thread_id: ThreadId, pid: Option<u32> },
    /// The thread cannot be taken up again.
    #[error(transparent)]
    Resume(#[from] ResumeError),
    /// Another thread works in the person's tree.
    #[error("`{thread}` works in this work tree{}", pid.map(|pid| format!(" (process {pid})")).unwrap_or_default())]
    InPlace { thread: String, pid: Option<u32> },
    /// The commit to compare with is missing.
    #[error("the current branch has no commit yet")]
    Unborn,
    /// A program cannot be found.
    #[error(transparent)]
    Process(#[from] process::Error),
    /// The remote is unknown.
    #[error("unknown remote `{name}`")]
    NoRemote { name: String },
    /// A remote takes no threads.
    #[error("`{remote}` refused the push: {reason}")]
    PushRefused { remote: String, reason: String },
    /// Secrets would be pushed.
    #[error(transparent)]
    Leaks(#[from] Leaks),
    /// The keys cannot be read or made.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
}

impl Error {
    /// Says why a commit of a thread is not what a verb needs.
    pub(in crate::thread) fn of_commit(thread: &ThreadName, commit_id: CommitId, fault: CommitFault) -> Self {
        match fault {
            CommitFault::NotOwnAgent { .. } => Self::NotOwn { thread: thread.clone(), commit_id, fault },
            source => Self::Commit { thread: thread.clone(), commit_id, source },
        }
    }
}

fn join(ids: &[ItemId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

fn because(reason: Option<&str>) -> String {
    reason.map(|reason| format!(": {reason}")).unwrap_or_default()
}

impl From<CurrencyMismatch> for Error {
    fn from(source: CurrencyMismatch) -> Self {
        Self::Currency { source, config: None }
    }
}

impl From<project::Error> for Error {
    fn from(error: project::Error) -> Self {
        LocateError::from(error).into()
    }
}
