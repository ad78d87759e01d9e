//! `rye completions`

use clap::{Args, Command};
use clap_complete::Shell;
use serde::Serialize;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye completions bash > ~/.local/share/bash-completion/completions/rye
  rye completions zsh > ~/.zfunc/_rye
  rye completions fish > ~/.config/fish/completions/rye.fish")]
pub(in crate::cli) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The printed script.
#[derive(Debug, Serialize)]
struct CompletionsOutcome {
    shell: String,
    script: String,
}

/// Prints the script for a shell; `root` is the whole command line.
pub(in crate::cli) fn run(output: &mut Output, args: &CompletionsArgs, mut root: Command) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut root, "rye", &mut script);
    if output.is_json() {
        let script = String::from_utf8_lossy(&script).into_owned();
        output.json(&CompletionsOutcome { shell: args.shell.to_string(), script })?;
    } else {
        output.raw(&script)?;
    }
    Ok(Exit::Done)
}
