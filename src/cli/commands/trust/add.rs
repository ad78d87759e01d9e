//! `rye trust add`

use std::convert::Infallible;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::cli::error::Error;
use crate::cli::output::Output;
use crate::cli::text;
use crate::ops::decisions::{self, AddOptions, AddOutcome, Input, SharedName};
use crate::project::Project;
use crate::trust::{MAX_TRUST_FILE_BYTES, Namespace};

/// Trust the public keys in a file
///
/// Trusts a plain key for everything, and a line of allowed_signers for the uses that it names. With --project, writes the keys to
/// `.ai/trust/allowed_signers` for a root to propose: a plain key for items and commits. With --use, trusts a plain key for these uses
/// only: `turns` for the agent of a colleague, whose threads you read and accept. A key needs a name: the address in its comment, or
/// --principal. A key that is trusted already gets the name that --principal gives.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye trust add ~/.ssh/id_ed25519.pub --principal ada@example.org
  rye trust add .ai/trust/allowed_signers
  rye trust add colleague.pub --project
  rye trust add agent.pub --use turns --principal rye-agent:bob@example.org")]
pub(in crate::cli) struct AddArgs {
    /// OpenSSH public keys, a public key as PEM, or lines of allowed_signers; `-` for stdin
    #[arg(value_name = "FILE|-")]
    file: PathBuf,

    /// The name of the key's holder, also a new one; without it, the address in the key's comment
    #[arg(long)]
    principal: Option<String>,

    /// What the keys are trusted for, instead of everything
    #[arg(long = "use", value_enum, value_name = "USE")]
    uses: Vec<Use>,

    /// Refused: `rye pull` asks about namespaces
    #[arg(long, value_name = "REGISTRY/NAMESPACE", value_parser = namespace, hide = true)]
    namespace: Option<Infallible>,

    /// Write it to the trust files of this project
    #[arg(long)]
    project: bool,
}

/// What a key may be trusted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Use {
    /// Items
    Items,
    /// Commits of every kind, with those of threads
    Commits,
    /// Turns of threads, and nothing else
    Turns,
}

impl AddArgs {
    /// Returns the file as it was given.
    pub(in crate::cli) fn file(&self) -> String {
        self.file.display().to_string()
    }
}

pub(super) fn run(output: &mut Output, project: &Project, args: &AddArgs) -> Result<(), Error> {
    let outcome = decisions::add(project, &add_options(output, args)?)?;
    output.outcome(&outcome, |page| text::trust::write_added(page, &outcome))?;
    tell_of_added(output, &outcome);
    Ok(())
}

fn add_options(output: &Output, args: &AddArgs) -> Result<AddOptions, Error> {
    let input = if args.file.as_os_str() == "-" {
        Input::Text(output.read_stdin(MAX_TRUST_FILE_BYTES as u64).map_err(decisions::Error::from)?)
    } else {
        Input::File(args.file.clone())
    };
    let uses = args.uses.iter().map(|name| match name {
        Use::Items => Namespace::Item,
        Use::Commits => Namespace::Git,
        Use::Turns => Namespace::Turns,
    });
    Ok(AddOptions { input, principal: args.principal.clone(), uses: uses.collect(), project: args.project })
}

fn tell_of_added(output: &mut Output, outcome: &AddOutcome) {
    let is_changed = !outcome.keys.is_empty() || !outcome.renamed.is_empty();
    match (is_changed, outcome.project) {
        (true, _) => output.note(&format!("written to `{}`", outcome.path.display())),
        (false, true) => output.note("the project's file has every one of these keys already"),
        (false, false) => output.note("every key of the file was trusted already"),
    }
    for SharedName { principal, key_ids } in &outcome.shared {
        let ids = key_ids.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(", ");
        output.warn(&format!("`{principal}` has {} keys ({ids}); for a policy they are one person", key_ids.len()));
    }
    if outcome.project && is_changed {
        output.note("it has no effect until a root signs it: `rye trust propose`");
    }
}

/// Refuses every namespace of a registry.
fn namespace(_: &str) -> Result<Infallible, &'static str> {
    Err("`rye pull` shows the key of a namespace and asks whether to trust it")
}
