//! `rye key`

use clap::{Args, Subcommand, ValueEnum};

use super::tell_of_new_keys;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::KeyName;
use crate::ops::key::{self, ExportForm};

/// Your keys
///
/// Two Ed25519 keys in OpenSSH's form: yours signs what you ask to sign, the agent's signs what threads do.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye key generate
  rye key export")]
pub(in crate::cli) enum KeyCommand {
    /// Make the keys that are missing
    #[command(after_help = "Examples:\n  rye key generate")]
    Generate,
    /// Show your keys
    #[command(after_help = "Examples:\n  rye key list\n  rye key list --json")]
    List,
    Export(ExportArgs),
}

/// Print the public half of a key
///
/// What others need to trust what you sign: they add it with `rye trust add`. The private half is never printed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye key export
  rye key export agent --as pem
  rye key export --as allowed-signers --principal ada@example.org")]
pub(in crate::cli) struct ExportArgs {
    /// Whose key
    #[arg(value_enum, default_value_t)]
    name: Name,

    /// The form: one line as in `id_ed25519.pub`, SubjectPublicKeyInfo, or a line that git verifies with
    #[arg(long = "as", value_enum, value_name = "FORM", default_value_t)]
    form: Form,

    /// The name that a line of allowed_signers gives the key's holder
    #[arg(long)]
    principal: Option<String>,
}

/// One of the two keys.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Name {
    #[default]
    Person,
    Agent,
}

/// A form of public keys.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Form {
    #[default]
    Openssh,
    Pem,
    AllowedSigners,
}

pub(super) fn run(ctx: &Context, output: &mut Output, command: &KeyCommand) -> Result<Exit, Error> {
    match command {
        KeyCommand::Generate => {
            let outcome = key::generate(ctx)?;
            tell_of_new_keys(output, &outcome.keys);
            output.outcome(&outcome, |page| text::keys::write(page, &outcome.keys))?;
        }
        KeyCommand::List => {
            let outcome = key::list(ctx)?;
            output.outcome(&outcome, |page| text::keys::write(page, &outcome.keys))?;
            if outcome.keys.is_empty() {
                output.note("there are no keys yet; `rye key generate` makes them");
            }
        }
        KeyCommand::Export(args) => {
            let outcome = key::export(ctx, args.name.into(), args.form.into(), args.principal.as_deref())?;
            output.outcome(&outcome, |page| page.block(&outcome.text))?;
        }
    }
    Ok(Exit::Done)
}

impl From<Name> for KeyName {
    fn from(name: Name) -> Self {
        match name {
            Name::Person => Self::Person,
            Name::Agent => Self::Agent,
        }
    }
}

impl From<Form> for ExportForm {
    fn from(form: Form) -> Self {
        match form {
            Form::Openssh => Self::OpenSsh,
            Form::Pem => Self::Pem,
            Form::AllowedSigners => Self::AllowedSigners,
        }
    }
}
