//! `rye execute`

use clap::Args;

use super::{warn_of_findings, warn_of_passed_over, warn_of_project_config};
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::given::InputArgs;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::screen::{self, Waiting};
use crate::cli::seed_names;
use crate::cli::text;
use crate::context::Context;
use crate::id::ItemType;
use crate::ops::execute::{self, Bounds, Outcome, ToolOutcome, ToolStatus};
use crate::ops::executors::RefusedPath;
use crate::process::{self, CancelFlag, LastLine};
use crate::session::Session;

/// Print a directive's instructions, run a tool, or read knowledge
///
/// Refuses an item that is unsigned, changed, or signed by an untrusted key. Prints a directive as instructions with its inputs filled in;
/// `rye thread run` runs one as a thread. On a terminal, a tool that takes longer than a second shows how long it has run and the last line
/// of its stderr.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye execute knowledge rye/guides/threads
  rye execute directive demo/greet -i name=Ada -i times=2
  rye execute tool demo/echo --inputs '{\"text\": \"hello\"}'
  rye execute tool rye/file-system/read -i path=README.md --json")]
pub(in crate::cli) struct ExecuteArgs {
    /// The type of item
    #[arg(value_name = "TYPE", value_parser = args::item_type())]
    item_type: ItemType,

    /// The item's id, or the path of its file
    #[arg(value_name = "ID")]
    item_id: args::Named,

    #[command(flatten)]
    inputs: InputArgs,

    /// Check everything and show what would run, but do not run it
    #[arg(long)]
    dry_run: bool,
}

impl ExecuteArgs {
    /// Tells whether the command is about its process: it runs a program, or reads stdin.
    pub(in crate::cli) fn needs_process(&self) -> bool {
        self.item_type == ItemType::Tool || self.inputs.is_stdin()
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &ExecuteArgs) -> Result<Exit, Error> {
    let given = args.inputs.read(ctx)?;
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let item_id = args.item_id.id(session.project(), Some(args.item_type))?;
    let options =
        execute::Options { item_type: args.item_type, item_id: item_id.clone(), given, dry_run: args.dry_run };
    let said = LastLine::default();
    let terminal = output.terminal().filter(|_| screen::can_draw(ctx) && !args.dry_run);
    let waiting = terminal.map(|terminal| Waiting::begin(ctx, terminal, item_id.as_str(), said.clone()));
    let executed = execute::execute(&session, &options, &Bounds { said: Some(&said), ..Bounds::usual(&cancel) });
    // Drawn lines go first.
    drop(waiting);
    let executed = executed?;
    warn_of_project_config(output, session.project());
    warn_of_passed_over(output, &executed.passed_over);
    warn_of_findings(output, args.item_type, &item_id, &executed.findings);
    if let Outcome::Directive(directive) = &executed.outcome {
        directive.unmet.iter().for_each(|unmet| output.warn(&format!("{unmet}; {}", unmet.hint())));
    }
    let shown = seed_names::executed(&executed.outcome)?;
    output.outcome(&shown, |page| text::execute::write(page, &executed.outcome))?;
    match &executed.outcome {
        Outcome::Tool(tool) => {
            if let Some(missing) = &tool.no_sandbox {
                output.note(&format!("tool `{}` ran without a sandbox: {missing}", tool.item_id));
            }
            for asked in tool.asked.iter().filter(|asked| !asked.is_allowed).take(MOST_NOTES) {
                let host = &asked.host;
                output.note(&format!("it asked for `{host}`, which is not in `sandbox.network`"));
            }
            if let (ToolStatus::Ok, true, Some(said)) = (tool.status, output.is_verbose(), &tool.stderr) {
                output.on_stderr(|page| text::execute::write_said(page, said));
            }
            if tool.is_dropped {
                output.note("nothing that it wrote in the project was kept, as it did not end well");
            }
            let left_out: Vec<_> = tool.copied.iter().flat_map(|copied| &copied.left_out).collect();
            for left_out in left_out.iter().take(MOST_NOTES) {
                output.note(&format!("`{}` was left out: {}", left_out.path, left_out.reason));
            }
            if left_out.len() > MOST_NOTES {
                output.note(&format!("{} more were left out; `--json` names them all", left_out.len() - MOST_NOTES));
            }
            Ok(exit(ctx, output, tool))
        }
        Outcome::Directive(_) | Outcome::Knowledge(_) | Outcome::Skill(_) | Outcome::Planned(_) => Ok(Exit::Done),
    }
}

/// How many notes of one kind are told.
const MOST_NOTES: usize = 20;

fn exit(ctx: &Context, output: &mut Output, tool: &ToolOutcome) -> Exit {
    if tool.cancelled {
        output.on_stderr(|page| text::execute::write_cancelled(page, tool));
        return Exit::Stopped;
    }
    match tool.status {
        ToolStatus::Ok => Exit::Done,
        ToolStatus::Error => {
            output.on_stderr(|page| text::execute::write_failure(page, tool));
            if let Some(RefusedPath { server, path }) = &tool.refused {
                let hint = hints::LET_SERVER.fill(&[("name", server), ("path", path)]);
                output.on_stderr(|page| text::findings::hint(page, &hint));
            }
            if tool.was_refused {
                let file = ctx.config_dir().map_or_else(|_| "config.toml".into(), |folder| folder.join("config.toml"));
                output.on_stderr(|page| text::execute::write_refused(page, &file));
            }
            Exit::Failed
        }
    }
}
