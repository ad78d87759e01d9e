//! What the commands share that run a thread: options, and the way from them to the outcome.

use std::path::PathBuf;

use clap::Args;

use super::limit;
use super::progress::{FORMATS, Progress};
use crate::cli::args::{self, Format};
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::ItemId;
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
    /// Joins them.
    pub(super) fn joined(&self) -> Limits {
        limit::joined(&self.limit)
    }
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
    let cancel = CancelFlag::new();
    process::install(&cancel)?;
    let session = Session::open(ctx)?;
    let options = options(&session, output)?;
    let mut progress = Progress::new(ctx, output, args.format);
    let outcome = go(&session, &options, &cancel, &mut progress)?;
    progress.tell(&session, &outcome)
}
