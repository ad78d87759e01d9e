//! `rye thread tail`

use clap::Args;

use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text::{self, calls::OpenCalls};
use crate::context::Context;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{self, Content, Next, RecordedLine, Tail, Verb};

/// Follow a thread while it runs
///
/// Prints all events, or the last ones, and follows until the thread ends or its process dies. Prints an ended thread at once.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread tail @latest
  rye thread tail @latest -n 10
  rye thread tail @latest --format jsonl")]
pub(in crate::cli) struct TailArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Begin with the last N events
    #[arg(short = 'n', long = "last", value_name = "N", value_parser = args::number::<usize>)]
    last: Option<usize>,

    /// Print text, or every event as it is recorded, a line of JSON each
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

/// The formats of this command.
pub(in crate::cli) const FORMATS: &[Format] = &[Format::Human, Format::Json, Format::Jsonl];

pub(super) fn run(ctx: &Context, output: &mut Output, args: &TailArgs) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let thread_id = thread::find_for(&session, &args.thread, Verb::Tail)?.thread_id;
    let mut tail = Tail::open(&session, &thread_id, args.last)?;
    let is_raw = output.is_json() || args.format != Format::Human;
    let mut calls = OpenCalls::default();
    while !output.is_abandoned() {
        match tail.next(&cancel)? {
            Next::Line(line) if is_raw => output.raw(format!("{}\n", line.text).as_bytes())?,
            Next::Line(line) => print(output, &line, &mut calls)?,
            Next::Ended | Next::Stopped => break,
            Next::Interrupted => {
                output.warn(&format!("the runner of thread `{thread_id}` is gone; the thread did not end"));
                break;
            }
        }
    }
    Ok(Exit::Done)
}

fn print(output: &mut Output, line: &RecordedLine, calls: &mut OpenCalls) -> Result<(), Error> {
    match &line.content {
        Content::Event(event) => output.page(|page| {
            text::thread::write_event_among(page, event, calls);
            text::thread::write_end(page, &event.what);
        })?,
        Content::Unknown { kind } => output.warn(&format!("an event of unknown type `{kind}`")),
        Content::Broken => output.warn("a damaged line"),
    }
    Ok(())
}
