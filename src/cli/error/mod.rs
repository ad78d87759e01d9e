//! Every error of every operation: which exit code, which stable word, where, and what to do about it.
//!
//! One exhaustive match per error type and no wildcard: a new error does not compile until it is told to people. The
//! words never change; scripts match them.

mod accept;
mod commits;
mod context;
mod denial;
mod executing;
mod fact;
mod git;
mod items;
mod keys;
mod leaks;
mod mcp;
mod moves;
mod plugin;
mod process;
mod pull;
mod refusal;
mod registry;
mod skills;
mod task;
mod thread;
mod trust;
mod workspace;

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::exit::Exit;
use super::given::GivenError;
use super::hints;
use super::text::quoted;
use crate::context::{AgentClient, ContextError};
use crate::id::ItemType;
use crate::keys::{AnswerError, KeysError};
use crate::ops::extends;
use crate::ops::locate::LocateError;
use crate::ops::permissions::CallerError;
use crate::ops::{
    self, commit, execute, hook, init, lint, load, migrate, mv, new, notes, publish, search, show, sign, verify,
};
use crate::project;
use crate::thread as threads;
pub(super) use fact::shell;

pub(super) use fact::{Facts, Invalid};
pub(super) use refusal::{Question, Refusal};
pub(super) use task::TaskError;

/// Anything that ends a command.
#[derive(Debug, Error)]
pub(super) enum Error {
    /// The command line is not understood.
    #[error("invalid command line")]
    Usage(#[source] clap::Error),
    /// A line of a registry is wanted of a person who has no key.
    #[error("you have no key yet, so you own no namespace")]
    OwnsNothing,
    /// No item lies at a path.
    #[error("no item at `{path}`")]
    NoItemAt {
        /// As it was given.
        path: String,
    },
    /// An item of another type lies at a path.
    #[error("the item at `{path}` is of type {found}, not {wanted}")]
    OtherType {
        /// As it was given.
        path: String,
        /// Its type.
        found: ItemType,
        /// The type that was asked for.
        wanted: ItemType,
    },
    /// stdout cannot be written.
    #[error("cannot write to stdout")]
    Output(#[from] io::Error),
    /// A file that was named for output cannot be written.
    #[error(transparent)]
    File(crate::workspace::Error),
    /// A folder that was named for output cannot be made.
    #[error("cannot make the folder `{}`", path.display())]
    Folder {
        /// As it was named.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A file that was named for output lies in a git folder.
    #[error("`{}` is in a git folder: it is not written", path.display())]
    InGitFolder {
        /// As it was named.
        path: PathBuf,
    },
    /// A path that was named for output lies in a place of the program's own.
    #[error("`{}` is in a place that Rye keeps for itself: it is not written", path.display())]
    InOwnPlace {
        /// As it was named.
        path: PathBuf,
    },
    /// A command was named that there is not.
    #[error("unknown command `{command}`")]
    NoSuchCommand {
        /// As it was named, with `rye` before it.
        command: String,
    },
    /// A page and an outcome in JSON were both asked for on standard output.
    #[error("standard output cannot take both a page and JSON")]
    OneStdout,
    /// The inputs cannot be read.
    #[error(transparent)]
    Given(#[from] GivenError),
    /// The surroundings are wrong.
    #[error(transparent)]
    Context(#[from] ContextError),
    /// An agent client started the program, and its person did not agree.
    #[error("`{}` is set, so {} may have started this: refused to {what} without the person's yes on the terminal", client.variable, client.name)]
    AgentClient {
        /// The client.
        client: AgentClient,
        /// The planned work.
        what: String,
    },
    /// A tool started the program, and no person can be asked there.
    #[error("refused to {what}: a tool started this")]
    InTool {
        /// The planned work.
        what: String,
    },
    /// The person did not agree.
    #[error(transparent)]
    Refusal(#[from] Refusal),
    /// A child or a signal.
    #[error(transparent)]
    Process(#[from] crate::process::Error),
    /// An item cannot be found or used.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// A chain of directives cannot be followed.
    #[error(transparent)]
    Extends(#[from] extends::Error),
    /// `init`
    #[error(transparent)]
    Init(#[from] init::Error),
    /// `execute`
    #[error(transparent)]
    Execute(#[from] execute::Error),
    /// `search`
    #[error(transparent)]
    Search(#[from] search::Error),
    /// `load`
    #[error(transparent)]
    Load(#[from] load::Error),
    /// `sign`
    #[error(transparent)]
    Sign(#[from] sign::Error),
    /// `commit`
    #[error(transparent)]
    Commit(#[from] commit::Error),
    /// `hook`
    #[error(transparent)]
    Hook(#[from] hook::Error),
    /// `notes`
    #[error(transparent)]
    Notes(#[from] notes::Error),
    /// `publish`
    #[error(transparent)]
    Publish(#[from] publish::Error),
    /// What is pulled cannot be put into its place or removed.
    #[error(transparent)]
    Pull(#[from] ops::pull::Error),
    /// Items of registries.
    #[error(transparent)]
    PullItems(#[from] ops::pull::registry::Error),
    /// Skills from git repositories.
    #[error(transparent)]
    Skills(#[from] ops::pull::upstream::Error),
    /// `plugin`
    #[error(transparent)]
    Plugin(#[from] ops::plugins::Error),
    /// `show`
    #[error(transparent)]
    Show(#[from] show::Error),
    /// `diff`
    #[error(transparent)]
    Diff(#[from] ops::diff::Error),
    /// `registry`
    #[error(transparent)]
    Registry(#[from] ops::registries::Error),
    /// Git's call for a commit's signature.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// `migrate`
    #[error(transparent)]
    Migrate(#[from] migrate::Error),
    /// `mv`
    #[error(transparent)]
    Mv(#[from] mv::Error),
    /// `verify`
    #[error(transparent)]
    Verify(#[from] verify::Error),
    /// `mcp`
    #[error(transparent)]
    Mcp(#[from] crate::mcp::Error),
    /// `mcp import`
    #[error(transparent)]
    Import(#[from] ops::import::Error),
    /// A call over MCP.
    #[error(transparent)]
    Call(#[from] crate::mcp::Failure),
    /// `new`
    #[error(transparent)]
    New(#[from] new::Error),
    /// `import commands`
    #[error(transparent)]
    Drafts(#[from] ops::drafts::Error),
    /// The permissions a caller gives.
    #[error(transparent)]
    Caller(#[from] CallerError),
    /// `lint`
    #[error(transparent)]
    Lint(#[from] lint::Error),
    /// Keys.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// `trust`
    #[error(transparent)]
    Trust(#[from] ops::decisions::Error),
    /// Threads.
    #[error(transparent)]
    Thread(#[from] threads::Error),
    /// `run`
    #[error(transparent)]
    Task(#[from] TaskError),
    /// `thread accept`
    #[error(transparent)]
    Accept(#[from] threads::AcceptError),
}

impl From<project::Error> for Error {
    fn from(error: project::Error) -> Self {
        LocateError::from(error).into()
    }
}

/// Returns the exit code of an error.
pub(super) fn exit(error: &Error) -> Exit {
    facts(error).exit
}

/// Returns what to do about an item that cannot be found or used.
pub(super) fn hints_of(error: &LocateError) -> Vec<String> {
    items::locate(error).hints.into_iter().map(|hint| hint.person).collect()
}

/// Returns what to do about an item that cannot be signed.
pub(super) fn hints_of_sign(error: &ops::sign::Error) -> Vec<String> {
    items::sign(error).hints.into_iter().map(|hint| hint.person).collect()
}

/// Returns the message of an error.
pub(super) fn facts(error: &Error) -> Facts {
    match error {
        Error::Usage(_) => Facts::invalid("usage").without_causes(),
        Error::OwnsNothing => Facts::failed("no-key").hint(hints::KEY_OF_OWNER),
        Error::NoItemAt { .. } => Facts::failed("no-item-at").hint(hints::LIST_ALL),
        Error::OtherType { .. } => Facts::invalid("other-type").hint(hints::LIST_ALL),
        Error::Output(_) => Facts::failed("output").hint(hints::DISK),
        Error::File(error @ crate::workspace::Error::AlreadyExists { .. }) => {
            workspace::facts(error).hint(hints::OVERWRITE)
        }
        Error::File(crate::workspace::Error::Symlink { .. } | crate::workspace::Error::NotRegular { .. }) => {
            Facts::failed("not-regular").hint(hints::OUTPUT_FILE)
        }
        Error::File(error) => workspace::facts(error),
        Error::Folder { .. } => Facts::failed("io"),
        Error::InGitFolder { .. } => Facts::new(Exit::Refused, "in-git-folder").hint(hints::OUTPUT_ELSEWHERE),
        Error::InOwnPlace { .. } => Facts::new(Exit::Refused, "own-place").hint(hints::OUTPUT_NOT_OWN),
        Error::NoSuchCommand { .. } => Facts::invalid("usage").hint(hints::COMMANDS),
        Error::OneStdout => Facts::invalid("usage").hint(hints::PAGE_FILE),
        Error::Given(given) => self::given(given),
        Error::Context(error) => context::facts(error),
        Error::InTool { .. } => Facts::new(Exit::Refused, "in-tool").hint(hints::ASK_PERSON),
        Error::AgentClient { .. } => Facts::new(Exit::Refused, "agent-client").hint(hints::ASK_PERSON),
        Error::Refusal(refusal) => refusal.facts(),
        Error::Process(error) => process::facts(error),
        Error::Locate(error) => items::locate(error),
        Error::Extends(error) => executing::extends(error),
        Error::Init(error) => items::init(error),
        Error::Execute(error) => executing::execute(error),
        Error::Search(error) => registry::search(error),
        Error::Load(error) => items::load(error),
        Error::Sign(error) => items::sign(error),
        Error::Commit(error) => commits::commit(error),
        Error::Hook(error) => commits::hook(error),
        Error::Notes(error) => commits::notes(error),
        Error::Publish(error) => registry::publish(error),
        Error::Pull(error) => pull::facts(error),
        Error::PullItems(error) => registry::pull(error),
        Error::Skills(error) => skills::facts(error),
        Error::Plugin(error) => plugin::facts(error),
        Error::Show(error) => registry::show(error),
        Error::Diff(error) => items::diff(error),
        Error::Registry(error) => registry::registry(error),
        Error::Answer(error) => commits::answer(error),
        Error::Verify(error) => items::verify(error),
        Error::Mcp(error) => mcp::serve(error),
        Error::Import(error) => mcp::import(error),
        Error::Call(failure) => mcp::call(failure),
        Error::New(error) => items::new(error),
        Error::Drafts(error) => items::drafts(error),
        Error::Caller(error) => executing::caller(error),
        Error::Lint(error) => items::lint(error),
        Error::Migrate(error) => items::migrate(error),
        Error::Mv(error) => moves::facts(error),
        Error::Keys(error) => keys::facts(error),
        Error::Trust(error) => trust::facts(error),
        Error::Thread(error) => thread::facts(error),
        Error::Task(error) => task::facts(error),
        Error::Accept(error) => accept::facts(error),
    }
}

fn given(error: &GivenError) -> Facts {
    match error {
        GivenError::Read(_) => Facts::invalid("inputs-unreadable"),
        GivenError::NoJson { .. } | GivenError::NoObject { .. } => {
            Facts::invalid("inputs-not-json").hint(hints::MEND_JSON)
        }
    }
}
