//! `rye thread export`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use super::log::tell_of_faults;
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::output_path::output_path;
use crate::context::Context;
use crate::id::ThreadId;
use crate::session::Session;
use crate::thread::{self, History, Verb};

/// Write a thread's events or its transcript
///
/// From the thread's branch: every event in order, one line of JSON each, as it was recorded; or `transcript.md`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread export @latest -o events.jsonl
  rye thread export @latest --format md -o transcript.md")]
pub(in crate::cli) struct ExportArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Every event as a line of JSON, or the transcript in Markdown
    #[arg(long, value_parser = args::formats(OWN), default_value = "jsonl")]
    format: Format,

    /// Write to this file instead of standard output, which is `-`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

/// The formats of this command.
const OWN: &[Format] = &[Format::Jsonl, Format::Md];

/// The formats that may be asked for before its name, too.
pub(in crate::cli) const FORMATS: &[Format] = &[Format::Human, Format::Json, Format::Jsonl, Format::Md];

/// The written file.
#[derive(Debug, Serialize)]
struct ExportOutcome {
    thread_id: ThreadId,
    path: PathBuf,
    lines: usize,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ExportArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let history = History::read(&session, &thread::find_for(&session, &args.thread, Verb::Export)?)?;
    tell_of_faults(output, &history.standing(&session), &history.warnings);
    let exported = match args.format {
        Format::Md => history.recorded_transcript(&session.project().require_repository()?)?,
        Format::Human | Format::Json | Format::Jsonl | Format::Sarif | Format::Github | Format::Sshsig => {
            history.lines().flat_map(|line| [line.text.as_str(), "\n"]).collect()
        }
    };
    let Some(file) = args.output.as_ref().filter(|file| file.as_os_str() != "-") else {
        output.raw(exported.as_bytes())?;
        return Ok(Exit::Done);
    };
    let to = output_path(ctx, file)?;
    to.write(exported.as_bytes(), args.force).map_err(Error::File)?;
    let path = to.path().to_path_buf();
    let outcome = ExportOutcome { thread_id: history.outcome.thread_id, path, lines: exported.lines().count() };
    if output.is_json() {
        output.json(&outcome)?;
    }
    output.note(&format!("wrote `{}`", file.display()));
    Ok(Exit::Done)
}
