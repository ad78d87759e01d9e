//! `rye thread share`

use clap::Args;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::{Context, Share};
use crate::session::Session;
use crate::thread;

/// Give threads copies of ignored folders, and what the tools of a language need
///
/// Adds to `threads.share` of your configuration, which counts in all your projects. A preset finds its folders itself and opens the caches
/// of its tools for reading: `preset:python`, `preset:node`, `preset:cargo`, `preset:go`. `rye doctor` names those that a project needs.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye thread share preset:python
  rye thread share preset:node build/cache
  rye thread share --remove build/cache")]
pub(in crate::cli) struct ShareArgs {
    /// Presets, and paths of folders in the project that git ignores
    #[arg(value_name = "SHARE", required_unless_present = "remove")]
    shares: Vec<Share>,
    /// Share this with threads no longer; may be repeated
    #[arg(long, value_name = "SHARE")]
    remove: Vec<Share>,
}

impl ShareArgs {
    /// Names the act, for the question to the person.
    pub(in crate::cli) fn in_words(&self) -> String {
        let named = |shares: &[Share]| {
            shares.iter().map(|share| text::quoted(&share.to_string())).collect::<Vec<_>>().join(", ")
        };
        match (self.shares.as_slice(), self.remove.as_slice()) {
            (shares, []) => format!("share {} with threads", named(shares)),
            ([], removed) => format!("share {} with threads no longer", named(removed)),
            (shares, removed) => format!("share {} with threads, and {} no longer", named(shares), named(removed)),
        }
    }
}

pub(super) fn run(ctx: &Context, output: &mut Output, args: &ShareArgs) -> Result<Exit, Error> {
    let outcome = thread::share(&Session::open(ctx)?, &args.shares, &args.remove)?;
    output.outcome(&outcome, |page| text::thread::write_share(page, &outcome))?;
    Ok(Exit::Done)
}
