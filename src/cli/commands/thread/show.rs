//! `rye thread show`

use std::path::PathBuf;

use clap::Args;

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::html;
use crate::cli::output::Output;
use crate::cli::output_path::output_path;
use crate::cli::text;
use crate::context::Context;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::review::Review;
use crate::thread::{self, Verb, review};

/// Show one thread: inputs, turns, changes, usage and result
///
/// Reads everything from the thread's branch. The first lines tell why it failed, if it did, and whether you trust the signatures of its
/// commits; a summary follows: what was refused, what it touched, what it changed, and which instructions it followed, each by its digest and
/// signer. On a terminal git's pager shows it. A thread whose process died is shown as interrupted.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread show @latest
  rye thread show @latest --html thread.html
  rye thread show first_thread-20260317-014108-aaaqea77 --json")]
pub(in crate::cli) struct ShowArgs {
    /// The thread: its id, a prefix of it, its branch, or `@latest`; `REMOTE/ID` for a fetched one
    #[arg(value_name = "THREAD", value_parser = args::name())]
    thread: String,

    /// Write one HTML file with everything in it; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Replace FILE if it exists
    #[arg(long, requires = "html")]
    force: bool,
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ShowArgs) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    let review = review::review(&session, &thread::find_for(&session, &args.thread, Verb::Show)?)?;
    let Some(file) = &args.html else {
        if output.is_on_terminal() && !output.is_json() {
            return paged(&session, output, &review);
        }
        output.outcome(&review, |page| text::review::write(page, &review))?;
        return Ok(Exit::Done);
    };
    let page = html::page(&review);
    if file.as_os_str() == "-" {
        if output.is_json() {
            return Err(Error::OneStdout);
        }
        output.raw(page.as_bytes())?;
    } else {
        output_path(ctx, file)?.write(page.as_bytes(), args.force).map_err(Error::File)?;
        if output.is_json() {
            output.json(&review)?;
        }
        output.note(&format!("wrote `{}`", file.display()));
    }
    if !review.signatures.verified {
        output.warn(&format!(
            "thread `{}` is not verified: {}",
            review.outcome.thread_id,
            text::review::sentences(&review.signatures).0
        ));
        text::review::without_use(&review.signatures.without_use).iter().for_each(|hint| output.note(hint));
    }
    Ok(Exit::Done)
}

/// Shows it by the pager of the person's git; without one, as it is.
fn paged(session: &Session, output: &mut Output, review: &Review) -> Result<Exit, Error> {
    let shown = output.text(|page| text::review::write(page, review));
    // Ctrl-C is the pager's.
    process::install(&CancelFlag::new())?;
    if thread::page(session, &shown).is_err() {
        output.page(|page| text::review::write(page, review))?;
    }
    Ok(Exit::Done)
}
