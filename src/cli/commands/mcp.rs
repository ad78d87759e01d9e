//! `rye mcp`

use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::mcp_import::{self, ImportArgs};
use super::warn_of_caller;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::report::Report;
use crate::context::Context;
use crate::mcp::{self, Ended, Failure};
use crate::ops::permissions::Caller;

/// Serve Rye's tools (execute, search, load, sign) to an AI client over MCP
///
/// Offers the tools `rye_execute`, `rye_search`, `rye_load` and `rye_sign`, directives as prompts, and knowledge as resources. Without
/// --permissions a client may search, load and execute; the agent key signs for it. Works in the folder of `-C`, else in the roots of the
/// client, else in the current folder. Ends when stdin closes, or with 5 on a signal.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye mcp -C work/project
  rye mcp --permissions readonly.yaml

  # Claude Code, Codex CLI, Gemini CLI, VS Code
  claude mcp add rye -- rye mcp
  codex mcp add rye -- rye mcp
  gemini mcp add rye rye mcp
  code --add-mcp '{\"name\": \"rye\", \"command\": \"rye\", \"args\": [\"mcp\"]}'

  # Cursor: ~/.cursor/mcp.json; Claude Desktop: claude_desktop_config.json
  {\"mcpServers\": {\"rye\": {\"command\": \"rye\", \"args\": [\"mcp\", \"-C\", \"/home/ada/project\"]}}}

  # Zed: settings.json
  {\"context_servers\": {\"rye\": {\"command\": \"rye\", \"args\": [\"mcp\"]}}}")]
#[command(args_conflicts_with_subcommands = true)]
pub(in crate::cli) struct McpArgs {
    #[command(subcommand)]
    command: Option<McpCommand>,

    /// Restrict the client's calls to this capability document
    #[arg(long, value_name = "FILE")]
    permissions: Option<PathBuf>,
}

/// What is done with MCP besides serving it.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum McpCommand {
    Import(ImportArgs),
}

impl McpArgs {
    /// Returns what is done besides serving.
    pub(in crate::cli) const fn command(&self) -> Option<&McpCommand> {
        self.command.as_ref()
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &McpArgs) -> Result<Exit, Error> {
    match &args.command {
        Some(McpCommand::Import(args)) => return mcp_import::run(ctx, output, args),
        None => {}
    }
    let permissions = args.permissions.as_deref().map(|path| Caller::read(ctx, path)).transpose()?;
    warn_of_caller(output, permissions.as_ref());
    if output.is_stdin_terminal() {
        output.note("waiting for a client on stdin; `rye mcp --help` shows how to set one up");
    }
    match mcp::serve(ctx, mcp::Options { permissions, report })? {
        Ended::Closed => Ok(Exit::Done),
        Ended::Stopped => Ok(Exit::Stopped),
    }
}

/// Reports a failure as `--json` does, with hints for a model.
fn report(failure: Failure) -> Value {
    let report = Report::for_model(&Error::Call(failure));
    serde_json::to_value(report).unwrap_or_else(|error| json!({"error": {"message": error.to_string()}}))
}
