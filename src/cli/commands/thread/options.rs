//! What the commands share that run a thread: options, and the way from them to the outcome.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::limit;
use super::progress::{FORMATS, Progress};
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::{Age, ItemId};
use crate::item::Limits;
use crate::process::{self, CancelFlag};
use crate::session::Session;
use crate::thread::{self, Observer, Outcome};

/// Who answers.
#[derive(Debug, Args)]
pub(super) struct ModelArgs {
    /// Use this provider document
    #[arg(long, value_name = "ID")]
    pub(super) provider: Option<ItemId>,

    /// Use this model
    #[arg(long, value_parser = args::name())]
    pub(super) model: Option<String>,

    /// The file that a scripted provider answers from
    #[arg(long, value_name = "FILE")]
    pub(super) script: Option<PathBuf>,
}

/// Limits that narrow the directive's.
#[derive(Debug, Args)]
pub(super) struct LimitArgs {
    /// A stricter limit: turns, tokens, spend (like `0.10` or `0.10USD`), duration (seconds) or complexity (simple, moderate or complex)
    #[arg(long, value_name = "NAME=VALUE", value_parser = limit::parse)]
    limit: Vec<limit::Limit>,
}

impl LimitArgs {
    /// Tells whether one is given.
    pub(super) const fn is_given(&self) -> bool {
        !self.limit.is_empty()
    }

    /// Joins them.
    pub(super) fn joined(&self) -> Limits {
        limit::joined(&self.limit)
    }
}

/// How long to wait for a model.
#[derive(Debug, Args)]
pub(super) struct PatienceArgs {
    /// How long to wait for a model that fails or is overloaded, like `90s`, `10m` or `2h` [default: 10m; 30s before its first answer]
    #[arg(long, value_name = "DURATION", value_parser = patience)]
    pub(super) patience: Option<Duration>,
}

fn patience(text: &str) -> Result<Duration, String> {
    let seconds = match text.strip_suffix('s') {
        Some(number) => number.parse::<u32>().ok().map(u64::from),
        None => text.parse::<Age>().ok().and_then(|age| u64::try_from(age.seconds()).ok()),
    };
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| format!("expected a duration such as `90s`, `10m` or `2h`, found `{text}`"))
}

/// The printed part.
#[derive(Debug, Args)]
pub(super) struct FormatArgs {
    /// Print text, one JSON object at the end, or every event as it is recorded, a line of JSON each
    #[arg(long, value_parser = args::formats(FORMATS), default_value = "human")]
    format: Format,
}

/// Runs a thread: `options` finds what to run once signals are heard, and `go` has it run.
pub(super) fn watched<O>(
    ctx: &Context,
    output: &mut Output,
    args: &FormatArgs,
    options: impl FnOnce(&Session, &mut Output) -> Result<O, Error>,
    go: impl FnOnce(&Session, &O, &CancelFlag, &mut dyn Observer) -> Result<Outcome, thread::Error>,
) -> Result<Exit, Error> {
    watched_then(ctx, output, args, options, go, |_, _, _, exit| exit)
}

/// Does as [`watched`]; `after` follows the outcome, which is printed, and may fail the command.
pub(super) fn watched_then<O>(
    ctx: &Context,
    output: &mut Output,
    args: &FormatArgs,
    options: impl FnOnce(&Session, &mut Output) -> Result<O, Error>,
    go: impl FnOnce(&Session, &O, &CancelFlag, &mut dyn Observer) -> Result<Outcome, thread::Error>,
    after: impl FnOnce(&Session, &mut Output, &Outcome, Exit) -> Exit,
) -> Result<Exit, Error> {
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let options = options(&session, output)?;
    let mut progress = Progress::new(ctx, output, args.format);
    let outcome = go(&session, &options, &cancel, &mut progress)?;
    let exit = progress.tell(&session, &outcome)?;
    Ok(after(&session, output, &outcome, exit))
}
