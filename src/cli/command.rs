//! The one definition of the command line: help, docs/reference/cli.md and the parser come from it.
//!
//! Arguments are typed by their command and acted on there. A verb is here only when it works.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{CommandFactory as _, Parser, Subcommand};

use super::args::{Format, Global};
use super::commands::pull::{self, outdated, remove, sync, update};
use super::commands::{
    commit, completions, diff, doctor, execute, hook, import, init, key, lint, list, load, man, mcp, migrate, mv, new,
    notes, permissions,
};
use super::commands::{plugin, provider, publish, registry, search, show, sign, status, thread, trust, verify};
use super::error::Error;
use super::exit::Exit;
use super::output::Output;
use crate::context::Context;

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default().bold())
    .invalid(AnsiColor::Yellow.on_default().bold());

/// Run agents under signed instructions, and record each run in git
///
/// Directives, tools and knowledge are files in `.ai/`, signed by people. Rye runs signed items under their declared permissions and
/// limits, and records each run on a branch that stock git reads and verifies.
#[derive(Debug, Parser)]
#[command(name = "rye", bin_name = "rye", version, styles = STYLES, max_term_width = 100)]
#[command(after_help = "\
Examples:
  rye run \"Explain what this does\"    do one task, which reads the project
  rye init                            turn this folder into a workspace
  rye list                            list items, and verify their signatures
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run team/fix             run a directive as a thread, on its own branch")]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,

    #[command(subcommand)]
    pub(super) command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Init(init::InitArgs),
    Run(thread::task::TaskArgs),
    New(new::NewArgs),
    List(list::ListArgs),
    Search(search::SearchArgs),
    Execute(execute::ExecuteArgs),
    Load(load::LoadArgs),
    Show(show::ShowArgs),
    Sign(sign::SignArgs),
    Commit(commit::CommitArgs),
    Verify(verify::VerifyArgs),
    Lint(lint::LintArgs),
    Permissions(permissions::PermissionsArgs),
    Migrate(migrate::MigrateArgs),
    #[command(subcommand)]
    Import(import::ImportCommand),
    Mv(mv::MvArgs),
    Publish(publish::PublishArgs),
    Pull(pull::PullArgs),
    Outdated(outdated::OutdatedArgs),
    Update(update::UpdateArgs),
    Remove(remove::RemoveArgs),
    Sync(sync::SyncArgs),
    #[command(subcommand)]
    Registry(registry::RegistryCommand),
    #[command(subcommand)]
    Thread(thread::ThreadCommand),
    #[command(subcommand)]
    Plugin(plugin::PluginCommand),
    #[command(subcommand)]
    Provider(provider::ProviderCommand),
    Mcp(mcp::McpArgs),
    #[command(subcommand)]
    Hook(hook::HookCommand),
    #[command(subcommand)]
    Notes(notes::NotesCommand),
    #[command(subcommand)]
    Key(key::KeyCommand),
    #[command(subcommand)]
    Trust(trust::TrustCommand),
    Status(status::StatusArgs),
    Diff(diff::DiffArgs),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

impl Command {
    /// Returns the forms of output this command has.
    pub(super) const fn formats(&self) -> &'static [Format] {
        match self {
            Self::Lint(_) => lint::FORMATS,
            Self::Verify(_) => verify::FORMATS,
            Self::Thread(command) => command.formats(),
            Self::Run(_) => thread::FORMATS,
            _ => &[Format::Human, Format::Json],
        }
    }

    /// Tells whether the command is about its process: it hands streams to another program, serves on them, looks at the process, opens
    /// libraries for good, or runs what is stopped by signals.
    pub(super) fn needs_process(&self) -> bool {
        match self {
            Self::Commit(_)
            | Self::Diff(_)
            | Self::Doctor(_)
            | Self::Mcp(_)
            | Self::Plugin(_)
            | Self::Provider(_)
            | Self::Run(_) => true,
            Self::Execute(args) => args.needs_process(),
            Self::Hook(command) => command.needs_process(),
            Self::Thread(command) => command.needs_process(),
            Self::Init(_)
            | Self::New(_)
            | Self::List(_)
            | Self::Search(_)
            | Self::Load(_)
            | Self::Show(_)
            | Self::Sign(_)
            | Self::Verify(_)
            | Self::Lint(_)
            | Self::Permissions(_)
            | Self::Migrate(_)
            | Self::Import(_)
            | Self::Mv(_)
            | Self::Publish(_)
            | Self::Pull(_)
            | Self::Outdated(_)
            | Self::Update(_)
            | Self::Remove(_)
            | Self::Sync(_)
            | Self::Registry(_)
            | Self::Notes(_)
            | Self::Key(_)
            | Self::Trust(_)
            | Self::Status(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

/// Performs a command.
///
/// # Errors
///
/// Whatever the command's operation fails with.
pub(super) fn perform(ctx: &Context, output: &mut Output, command: &Command) -> Result<Exit, Error> {
    match command {
        Command::Init(args) => init::run(ctx, output, args),
        Command::Run(args) => thread::task::run(ctx, output, args),
        Command::New(args) => new::run(ctx, output, args),
        Command::List(args) => list::run(ctx, output, args),
        Command::Search(args) => search::run(ctx, output, args),
        Command::Execute(args) => execute::run(ctx, output, args),
        Command::Load(args) => load::run(ctx, output, args),
        Command::Show(args) => show::run(ctx, output, args),
        Command::Sign(args) => sign::run(ctx, output, args),
        Command::Commit(args) => commit::run(ctx, output, args),
        Command::Verify(args) => verify::run(ctx, output, args).map_err(with_usage),
        Command::Lint(args) => lint::run(ctx, output, args),
        Command::Permissions(args) => permissions::run(ctx, output, args),
        Command::Migrate(args) => migrate::run(ctx, output, args),
        Command::Import(command) => import::run(ctx, output, command),
        Command::Mv(args) => mv::run(ctx, output, args),
        Command::Publish(args) => publish::run(ctx, output, args),
        Command::Pull(args) => pull::run(ctx, output, args),
        Command::Outdated(args) => outdated::run(ctx, output, args),
        Command::Update(args) => update::run(ctx, output, args),
        Command::Remove(args) => remove::run(ctx, output, args),
        Command::Sync(args) => sync::run(ctx, output, args),
        Command::Registry(command) => registry::run(ctx, output, command),
        Command::Thread(command) => thread::run(ctx, output, command),
        Command::Plugin(command) => plugin::run(ctx, output, command),
        Command::Provider(command) => provider::run(ctx, output, command),
        Command::Mcp(args) => mcp::run(ctx, output, args),
        Command::Hook(command) => hook::run(ctx, output, command),
        Command::Notes(command) => notes::run(ctx, output, command),
        Command::Key(command) => key::run(ctx, output, command),
        Command::Trust(command) => trust::run(ctx, output, command),
        Command::Status(args) => status::run(ctx, output, args),
        Command::Diff(args) => diff::run(ctx, output, args),
        Command::Doctor(args) => doctor::run(ctx, output, args),
        Command::Completions(args) => completions::run(output, args, Cli::command()),
        Command::Man(args) => man::run(ctx, output, args, Cli::command()),
    }
}

/// Adds the usage to what a command says of its arguments.
fn with_usage(error: Error) -> Error {
    match error {
        Error::Usage(usage) => Error::Usage(usage.format(&mut Cli::command())),
        error => error,
    }
}
