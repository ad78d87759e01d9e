//! `rye key`

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::tell_of_new_keys;
use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::hints;
use crate::cli::output::Output;
use crate::cli::text;
use crate::context::Context;
use crate::keys::{Holder, KeyInfo, KeyName, KeysError};
use crate::ops::decisions::{self, AddOptions, Input};
use crate::ops::key::{self, ExportForm, ExportOptions, ImportOutcome, ImportStatus};
use crate::project::Project;
use crate::trust::KeyError;

/// Your keys
///
/// You have two Ed25519 keys in OpenSSH's format: the person key signs for you, the agent key signs in threads. If your ssh-agent has your
/// key, the ssh-agent signs.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye key generate
  rye key import ~/.ssh/id_ed25519
  rye key export")]
pub(in crate::cli) enum KeyCommand {
    Generate(GenerateArgs),
    Import(ImportArgs),
    /// Show your keys
    #[command(after_help = "Examples:\n  rye key list\n  rye key list --json")]
    List,
    Export(ExportArgs),
}

/// Generate missing keys
///
/// With --passphrase, asks on the terminal for a passphrase for your key. `ssh-keygen -p -f FILE` changes or removes it later.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye key generate
  rye key generate --passphrase")]
pub(in crate::cli) struct GenerateArgs {
    /// Ask for a passphrase for your key
    #[arg(long)]
    passphrase: bool,
}

/// Use a key that you already have
///
/// Takes an Ed25519 key in OpenSSH's format (a passphrase stays) or as PKCS#8 PEM, or the public half of a key in your ssh-agent: then the
/// ssh-agent signs, and Rye never sees the private half. The file itself is not moved. A public key of another type or of OpenPGP is
/// trusted, as by `rye trust add`: git signs with it, Rye does not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye key import ~/.ssh/id_ed25519
  rye key import ~/.ssh/id_ed25519.pub    if your ssh-agent has the key
  rye key import signing-key.pem --force")]
pub(in crate::cli) struct ImportArgs {
    /// The file of the key
    // A key's own text must come as far as to be refused without being repeated.
    #[arg(allow_hyphen_values = true, value_parser = args::name())]
    file: String,

    /// Replace your current key, which is kept as retired
    #[arg(long)]
    force: bool,
}

/// Print the public half of a key
///
/// Others need this key to trust your signatures: they add it with `rye trust add`. The line ends with your name, so that they
/// can tell it from others. The agent key is printed with its use: it counts for the turns of threads and for nothing else. The
/// private half is never printed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye key export
  rye key export --comment 'Ada <ada@example.org>'
  rye key export agent
  rye key export --as allowed-signers --principal ada@example.org")]
pub(in crate::cli) struct ExportArgs {
    /// Whose key
    #[arg(value_enum, default_value_t)]
    name: Name,

    /// The format: a line as in `id_ed25519.pub` (default), SubjectPublicKeyInfo as PEM, or a line of allowed_signers for git; the
    /// agent key has the last one only
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Option<Form>,

    /// The principal in the line of allowed_signers; without it, the address in the comment
    #[arg(long, value_parser = args::name())]
    principal: Option<String>,

    /// The comment of the key (default: that of the imported key, or git's `user.name <user.email>`)
    #[arg(long, value_name = "TEXT")]
    comment: Option<String>,
}

/// One of the two keys.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Name {
    #[default]
    Person,
    Agent,
}

/// A form of public keys.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    Openssh,
    Pem,
    AllowedSigners,
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &KeyCommand) -> Result<Exit, Error> {
    match command {
        KeyCommand::Generate(args) => {
            let outcome =
                if args.passphrase { key::generate_protected(ctx, output.ask_hidden())? } else { key::generate(ctx)? };
            tell_of_new_keys(output, &outcome.keys);
            output.outcome(&outcome, |page| text::keys::write(page, &outcome.keys))?;
        }
        KeyCommand::Import(args) => match key::import(ctx, &args.file, args.force, output.ask_hidden()) {
            Err(KeysError::NotImported { path, source: source @ KeyError::Algorithm { .. } }) => {
                trust_instead(ctx, output, path, source)?;
            }
            outcome => {
                let outcome = outcome?;
                output.outcome(&outcome, |page| text::keys::write(page, &outcome.keys))?;
                tell_of_import(output, &outcome);
            }
        },
        KeyCommand::List => {
            let outcome = key::list(ctx)?;
            output.outcome(&outcome, |page| text::keys::write(page, &outcome.keys))?;
            if outcome.keys.is_empty() {
                output.note("no keys yet; `rye key generate` makes them");
            }
        }
        KeyCommand::Export(args) => {
            let options = ExportOptions {
                name: args.name.into(),
                form: args.form.map(Into::into),
                principal: args.principal.clone(),
                comment: args.comment.clone(),
            };
            let outcome = key::export(ctx, &options)?;
            output.outcome(&outcome, |page| page.block(&outcome.text))?;
            if outcome.is_nameless {
                output.note(&hints::KEY_NAMELESS.fill(&[]));
            }
        }
    }
    Ok(Exit::Done)
}

/// Trusts a public key of a type that Rye does not sign with, so that what git signs with it counts. A private one stays refused.
fn trust_instead(ctx: &Context, output: &mut Output, path: PathBuf, source: KeyError) -> Result<(), Error> {
    let options = AddOptions { input: Input::File(path.clone()), principal: None, uses: Vec::new(), project: false };
    let outcome = match decisions::add(&Project::open(ctx)?, &options) {
        Err(decisions::Error::Private { .. } | decisions::Error::NoKey { .. }) => {
            return Err(KeysError::NotImported { path, source }.into());
        }
        outcome => outcome?,
    };
    output.outcome(&outcome, |page| text::trust::write_added(page, &outcome))?;
    output.note("commits that git signs with this key count from now on, as after `rye trust add`; Rye itself signs with Ed25519 keys");
    Ok(())
}

/// Says what importing a key means for what the one before it signed.
fn tell_of_import(output: &mut Output, outcome: &ImportOutcome) {
    output.note(match outcome.status {
        ImportStatus::Imported => "this is your key from now on",
        ImportStatus::Unchanged => "this is your key already",
    });
    if let Some(replaced) = &outcome.replaced {
        let (key_id, path) = (&replaced.key_id, text::quoted(&public_half(replaced).display().to_string()));
        output.note(&format!("signatures of your old key {key_id} are no longer trusted"));
        output.note(&format!(
            "`rye sign --all` signs your items again; `rye trust add {path} --principal you` keeps the old key trusted"
        ));
    }
}

/// Returns the file of a key's public half.
fn public_half(key: &KeyInfo) -> PathBuf {
    match key.held {
        Holder::File | Holder::ProtectedFile => key.path.with_added_extension("pub"),
        Holder::SshAgent => key.path.clone(),
    }
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
