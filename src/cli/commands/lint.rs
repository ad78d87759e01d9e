//! `rye lint`

use clap::{Args, ValueEnum};

use super::tell_of_left_out;
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::sarif::Ended;
use crate::cli::text;
use crate::cli::{annotations, sarif};
use crate::context::Context;
use crate::format::{self, Finding, Position, rules};
use crate::item::Tool;
use crate::ops::executors;
use crate::ops::lint::{self, Found, Outcome, Status};
use crate::session::Session;
use crate::workspace::Candidate;

/// Check how items are written
///
/// Items need no signature. Exits with 2 when an item has an error; warnings and advice do not count. docs/reference/rules.md explains each rule with
/// examples.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye lint
  rye lint demo/greet .ai/tools
  rye lint --profile thread
  rye lint --format sarif
  rye lint --format github            annotate the lines of a pull request")]
pub(in crate::cli) struct LintArgs {
    /// Ids, files or folders (default: every item of the project)
    #[arg(value_name = "ID|PATH", value_parser = args::name())]
    only: Vec<String>,

    /// The use to check directives for
    #[arg(long, value_enum, default_value_t)]
    profile: Profile,

    /// Print text, one JSON object, SARIF 2.1.0, or annotations for GitHub
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

/// The formats of this command.
pub(in crate::cli) const FORMATS: &[Format] = &[Format::Human, Format::Json, Format::Sarif, Format::Github];

/// What a directive is to be fit for.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Profile {
    /// To be followed in place
    #[default]
    Reference,
    /// To run as a thread: a model, permissions and a budget are required
    Thread,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &LintArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let profile = match args.profile {
        Profile::Reference => format::Profile::Reference,
        Profile::Thread => format::Profile::Thread,
    };
    let options = lint::Options { only: args.only.clone(), profile };
    let runs =
        |candidate: &Candidate, tool: &Tool, bytes: &[u8]| executors::check_unsigned(&session, candidate, tool, bytes);
    let outcome = lint::lint(session.project(), &options, &runs)?;
    let noted = || outcome.findings.iter().map(|found| noted(&outcome, found)).collect::<Vec<_>>();
    match args.format {
        Format::Sarif if !output.is_json() => output.json(&sarif::log(rules::ALL, &noted(), Ended::Well))?,
        Format::Github if !output.is_json() => output.raw(annotations::lines(&noted()).as_bytes())?,
        _ => output.outcome(&outcome, |page| text::lint::write(page, &outcome))?,
    }
    if outcome.status == Status::Empty {
        output.note("nothing to check");
    }
    tell_of_left_out(output, session.project())?;
    Ok(if outcome.status == Status::Findings { Exit::Invalid } else { Exit::Done })
}

/// Tells a finding to code scanning.
fn noted<'o>(outcome: &'o Outcome, found: &'o Found) -> sarif::Noted<'o> {
    let Finding { rule, severity, span, line, column, message, hint } = &found.finding;
    let text = outcome.texts.get(&found.path).map_or("", String::as_str);
    let marked = span.filter(|span| !text.is_empty() && span.end > span.start);
    sarif::Noted {
        rule,
        severity: *severity,
        message,
        hint: hint.as_deref(),
        path: &found.path,
        start: Position { line: *line, column: *column },
        end: marked.map(|span| Position::of(text, span.end)),
    }
}
