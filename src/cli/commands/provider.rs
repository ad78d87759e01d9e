//! `rye provider`

use clap::{Args, Subcommand};

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{check_providers, providers};

/// Manage providers of models
///
/// A provider document configures how to reach models and what they cost. Rye includes documents for Anthropic, OpenAI and Ollama; you can
/// add your own as a file in your user space.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye provider list
  rye provider check
  rye provider check rye/agent/providers/ollama --model llama3")]
pub(in crate::cli) enum ProviderCommand {
    /// List provider documents, and what each still needs
    ///
    /// In a pipe, each line has id, space, status, host, secret and tiers, separated by tabs.
    #[command(after_help = "Examples:\n  rye provider list\n  rye provider list --json")]
    List,
    Check(CheckArgs),
}

/// Check that a model answers one small question
///
/// Without an id, asks every usable provider on the network. Sends the question as a thread would; it costs a few tokens. Exits with 6 when
/// a provider does not answer.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye provider check
  rye provider check rye/agent/providers/anthropic_messages
  rye provider check rye/agent/providers/ollama --model llama3")]
pub(in crate::cli) struct CheckArgs {
    /// The provider document: its id, or the path of its file
    #[arg(value_name = "ID")]
    id: Option<args::Named>,

    /// The model to ask [default: that of the tier `default`]
    #[arg(long, requires = "id")]
    model: Option<String>,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &ProviderCommand) -> Result<Exit, Error> {
    match command {
        ProviderCommand::List => list(ctx, output),
        ProviderCommand::Check(args) => check(ctx, output, args),
    }
}

fn list(ctx: &Context, output: &mut Output) -> Result<Exit, Error> {
    let listed = providers(&Session::open(ctx)?)?;
    output.outcome(&listed, |page| text::provider::write(page, &listed))?;
    let config = ctx.config_dir()?.join("config.toml");
    output.status(|page| text::provider::write_messages(page, &listed, &config));
    Ok(Exit::Done)
}

fn check(ctx: &Context, output: &mut Output, args: &CheckArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let mut again = |why: &str, wait: std::time::Duration| {
        output.note(&format!("{why}; retrying in {:.1} s", wait.as_secs_f32()));
    };
    let id = args.id.as_ref().map(|named| named.id(session.project(), Some(ItemType::Tool))).transpose()?;
    let checked = check_providers(&session, id.as_ref(), args.model.as_deref(), &cancel, &mut again)?;
    output.outcome(&checked, |page| text::provider::write_checks(page, &checked))?;
    output.status(|page| text::provider::write_failures(page, &checked));
    let has_answered = checked.checks.iter().all(|check| check.answered);
    Ok(match cancel.cause() {
        Some(_) => Exit::Stopped,
        None if has_answered => Exit::Done,
        None => Exit::Provider,
    })
}
