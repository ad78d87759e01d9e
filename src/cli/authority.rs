//! What each command does in its person's name.
//!
//! Every command is decided in [`Authority::of`]: a new one does not compile before somebody said whether it signs with the
//! person's key or widens trust. Where an agent client started the program, such a command asks, whatever flags are given.

use super::command::Command;
use super::commands::hook::HookCommand;
use super::commands::key::KeyCommand;
use super::commands::mcp::McpCommand;
use super::commands::plugin::PluginCommand;
use super::commands::provider::ProviderCommand;
use super::commands::registry::RegistryCommand;
use super::commands::thread::ThreadCommand;
use super::commands::trust::TrustCommand;
use super::consent::in_person;
use super::error::Error;
use super::output::Output;
use super::text::quoted;
use crate::context::Context;
use crate::ops::registries::Change;

#[cfg(test)]
mod tests;

/// What a command does in its person's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Authority {
    /// Nothing, or only what narrows trust.
    None,
    /// It signs with the person's key or widens trust, in these words.
    Uses(String),
    /// It does, or shares the person's data, and asks about more than its arguments: it calls `consent` itself.
    AsksItself,
}

impl Authority {
    /// Decides of each command.
    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Sign(args) if args.only_looks() => Self::None,
            Command::Sign(args) if args.is_detached() => Self::Uses(args.in_words()),
            Command::Sign(_) => Self::AsksItself,
            Command::Commit(_) => Self::AsksItself,
            Command::Hook(command) => match command {
                HookCommand::Run(_) => Self::AsksItself,
                // One of them keeps threads from being pushed.
                HookCommand::Remove => Self::Uses("remove the hooks of this repository".to_owned()),
                HookCommand::Install => Self::None,
            },
            Command::Key(command) => match command {
                // A value given as a file may be a key: it is not repeated.
                KeyCommand::Import(_) => Self::Uses("make another key yours".to_owned()),
                KeyCommand::Generate(_) | KeyCommand::List | KeyCommand::Export(_) => Self::None,
            },
            Command::Trust(command) => match command {
                TrustCommand::Add(args) => Self::Uses(format!("trust the keys in {}", quoted(&args.file()))),
                // An accepted proposal forbids, too: revoked keys, and how many must sign.
                TrustCommand::Accept(args) if args.only_withdraws() => {
                    Self::Uses("withdraw the accepted proposal of this project".to_owned())
                }
                TrustCommand::Accept(_) | TrustCommand::Propose(_) => Self::AsksItself,
                TrustCommand::List | TrustCommand::Retire(_) | TrustCommand::Revoke(_) | TrustCommand::Remove(_) => {
                    Self::None
                }
            },
            Command::Thread(command) => match command {
                // Reads and writes of a thread become public.
                ThreadCommand::Accept(_) | ThreadCommand::Push(_) => Self::AsksItself,
                // A limit that stopped a thread is raised, or a call is made again that asks a person.
                ThreadCommand::Resume(args) if args.widens() => Self::Uses(args.in_words()),
                // A record of what an agent did would be gone.
                ThreadCommand::Rm(_) => Self::AsksItself,
                // Tools of threads read more.
                ThreadCommand::Share(args) => Self::Uses(args.in_words()),
                // A fetch makes nothing count that did not. A thread signs with the agent's key.
                ThreadCommand::Fetch(_)
                | ThreadCommand::Run(_)
                | ThreadCommand::List(_)
                | ThreadCommand::Show(_)
                | ThreadCommand::Log(_)
                | ThreadCommand::Tail(_)
                | ThreadCommand::Export(_)
                | ThreadCommand::Diff(_)
                | ThreadCommand::Fork(_)
                | ThreadCommand::Resume(_)
                | ThreadCommand::Rerun(_)
                | ThreadCommand::Replay(_) => Self::None,
            },
            Command::Run(args) if args.widens() => Self::Uses(args.in_words()),
            // It shares what it reads with a model: no tool starts it.
            Command::Run(_) => Self::AsksItself,
            // Under its new id it gets the person's signature.
            Command::Mv(_) => Self::AsksItself,
            // Published items are public, and the signer of a pulled item is trusted.
            Command::Publish(_) | Command::Pull(_) | Command::Update(_) => Self::AsksItself,
            Command::Sync(args) if args.only_looks() => Self::None,
            // It writes files that clients follow, and records the former state in the lock.
            Command::Sync(_) => Self::AsksItself,
            Command::Registry(command) => match command {
                RegistryCommand::Init(args) => Self::Uses(format!("make a registry in {}", quoted(&args.dir()))),
                RegistryCommand::Add(args) => Self::Uses(format!("use the registry `{}`", args.name())),
                // The record of its state does not count any more.
                RegistryCommand::Remove(args) => Self::Uses(format!("forget the registry `{}`", args.name())),
                RegistryCommand::Renew(_) => Self::Uses(Change::Renew.in_words()),
                RegistryCommand::Yank(_)
                | RegistryCommand::Unyank(_)
                | RegistryCommand::Deprecate(_)
                | RegistryCommand::Owner(_) => Self::AsksItself,
                RegistryCommand::List
                | RegistryCommand::Info(_)
                | RegistryCommand::Verify(_)
                | RegistryCommand::Checkpoint(_) => Self::None,
            },
            Command::Plugin(command) => match command {
                PluginCommand::Sign(args) => {
                    Self::Uses(format!("sign the plugin in {} as yours", quoted(&args.folder())))
                }
                // Its code runs as the person, and what it declares is shown before.
                PluginCommand::Install(_) => Self::AsksItself,
                PluginCommand::List | PluginCommand::Info(_) | PluginCommand::Verify(_) | PluginCommand::Remove(_) => {
                    Self::None
                }
            },
            Command::Provider(command) => match command {
                // Limits on money are counted by it.
                ProviderCommand::Price(args) => Self::Uses(args.in_words()),
                ProviderCommand::List | ProviderCommand::Check(_) => Self::None,
            },
            // Notes are not signed; a connection over MCP signs with the agent's key.
            Command::Notes(_) => Self::None,
            Command::Mcp(args) => match args.command() {
                // It signs what a server says its tools are.
                Some(McpCommand::Import(_)) => Self::AsksItself,
                None => Self::None,
            },
            Command::Init(_)
            | Command::New(_)
            | Command::List(_)
            | Command::Search(_)
            | Command::Execute(_)
            | Command::Load(_)
            | Command::Show(_)
            | Command::Verify(_)
            | Command::Lint(_)
            | Command::Permissions(_)
            | Command::Outdated(_)
            | Command::Remove(_)
            | Command::Migrate(_)
            // Drafts are unsigned.
            | Command::Import(_)
            | Command::Status(_)
            | Command::Diff(_)
            | Command::Doctor(_)
            | Command::Completions(_)
            | Command::Man(_) => Self::None,
        }
    }
}

/// Asks about a command that an agent client started, before the command begins. A tool's process cannot ask: no such
/// command works there.
///
/// # Errors
///
/// Fails without agreement.
pub(super) fn check(ctx: &Context, output: &Output, command: &Command) -> Result<(), Error> {
    match Authority::of(command) {
        Authority::None => Ok(()),
        Authority::Uses(what) => in_person(ctx, output, &what),
        // It asks itself; a tool's process cannot.
        Authority::AsksItself if ctx.is_in_tool() => {
            Err(Error::InTool { what: "use the person's authority".to_owned() })
        }
        Authority::AsksItself => Ok(()),
    }
}
