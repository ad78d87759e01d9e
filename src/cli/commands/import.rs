//! `rye import`

use clap::{Args, Subcommand};

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::drafts::{self, State};
use crate::project::Project;

/// Draft items from files of other programs
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ImportCommand {
    Commands(CommandsArgs),
}

/// Draft a directive from each slash command of the project
///
/// Reads `.claude/commands`, `.gemini/commands`, `.codex/prompts` and `.opencode/command`, and writes unsigned drafts to
/// `.ai/directives/commands`. Arguments become inputs. `allowed-tools` become permissions where Rye can say the same; a comment names
/// the others. Never overwrites a directive. Exits with 1 if every command is left out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye import commands --dry-run
  rye import commands
  rye lint 'commands/*'
  rye sign directive 'commands/*'")]
pub(in crate::cli) struct CommandsArgs {
    /// Show what would be drafted, but write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &ImportCommand) -> Result<Exit, Error> {
    match command {
        ImportCommand::Commands(args) => commands(ctx, output, args),
    }
}

fn commands(ctx: &Context, output: &mut Output, args: &CommandsArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let outcome = drafts::draft_commands(&project, args.dry_run)?;
    output.outcome(&outcome, |page| text::drafts::write(page, &outcome))?;
    for drafted in &outcome.commands {
        let command = text::one_line(&drafted.command);
        for note in &drafted.notes {
            output.note(&format!("`{command}`: {}", text::one_line(note)));
        }
        if let Some(reason) = &drafted.reason {
            output.warn(&format!("`{command}` is left out: {}", text::one_line(reason)));
        }
    }
    if outcome.commands.is_empty() {
        output.note("the project has no slash commands");
    } else if !args.dry_run && outcome.commands.iter().any(|drafted| drafted.state == State::New) {
        output.note(&hints::COMMANDS_DRAFTED.fill(&[]));
    }
    let has = |state| outcome.commands.iter().any(|drafted| drafted.state == state);
    Ok(if has(State::Refused) && !has(State::New) && !has(State::Exists) { Exit::Failed } else { Exit::Done })
}
