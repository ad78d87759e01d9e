//! `rye mcp import`

use clap::Args;

use super::{drafted, keep, warn_of_key};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::ops::import::{self, Outcome, Plan, State};
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::trust::Signer as _;

/// Import the tools of an MCP server into this project
///
/// Connects to the server that `[mcp_servers.SERVER]` of your configuration declares, lists its tools, and shows their descriptions and
/// what the server can reach. Asks, then writes a wrapper for each new or changed tool to `.ai/tools/mcp/SERVER`, signed by you. A wrapper
/// contains the digest of its tool's definition: when the server changes it, Rye refuses the tool until you import it again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye mcp import time
  rye mcp import github create_issue list_issues
  rye mcp import time --dry-run
  rye execute tool mcp/time/get_current_time -p timezone=Europe/Berlin")]
pub(in crate::cli) struct ImportArgs {
    /// The server, by its name in your configuration
    #[arg(value_name = "SERVER", value_parser = args::name())]
    server: String,

    /// Only these tools, by their names at the server
    #[arg(value_name = "TOOL", value_parser = args::name())]
    tools: Vec<String>,

    /// Show the wrappers, but write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &ImportArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let options = import::Options { server: args.server.clone(), tools: args.tools.clone() };
    let plan = import::plan(&session, &options, &cancel)?;
    let shown = plan.outcome(false);
    if args.dry_run || plan.signatures() == 0 {
        output.outcome(&shown, |page| text::mcp::write(page, &shown))?;
        return Ok(exit(output, &shown));
    }
    let key = drafted(ctx, output, None)?;
    warn_of_key(output, session.project(), &key.public());
    ask(ctx, output, &plan, &shown)?;
    let key = keep(ctx, output, key)?;
    let outcome = import::import(session.project(), &plan, &key)?;
    output.outcome(&outcome, |page| text::mcp::write_written(page, &outcome))?;
    let exit = exit(output, &outcome);
    output.note(&hints::COMMIT_IMPORTED.fill(&[]));
    Ok(exit)
}

/// Shows the tools, and asks.
fn ask(ctx: &Context, output: &mut Output, plan: &Plan, shown: &Outcome) -> Result<(), Error> {
    let what = format!("sign {} as yours", text::count(plan.signatures(), "tool"));
    let answer = match ctx.agent_client() {
        Some(client) => agreed(output, Some(client), |page| text::mcp::write(page, shown), &what)?,
        None => {
            output.before_question(|page| text::mcp::write(page, shown));
            output.agrees(&format!("{what}?"))
        }
    };
    Ok(Refusal::unless(answer, || Question::Import)?)
}

/// Tells of the tools that got no wrapper, and of the wrappers that have no tool.
fn exit(output: &mut Output, outcome: &Outcome) -> Exit {
    for tool in &outcome.tools {
        match (tool.state, &tool.item_id, &tool.reason) {
            (State::Refused, _, Some(reason)) => output.warn(&format!("`{}` is left out: {reason}", tool.tool)),
            (State::Gone, Some(id), _) => {
                output.note(&format!("the server no longer lists `{}`: remove `.ai/tools/{id}.yaml`", tool.tool));
            }
            (State::New | State::Changed | State::Unchanged | State::Refused | State::Gone, _, _) => {}
        }
    }
    Exit::Done
}
