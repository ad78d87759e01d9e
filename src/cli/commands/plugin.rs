//! `rye plugin`

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{person, warn_of_key};
use crate::cli::args;
use crate::cli::consent::agreed;
use crate::cli::error::{Error, Question, Refusal};
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::output_path::output_path;
use crate::cli::text;
use crate::context::Context;
use crate::format::plugin_manifest::PluginName;
use crate::ops::plugins::{self, Change, InstallOptions, VerifyStatus};
use crate::project::Project;
use crate::session::Session;
use crate::trust::Signer as _;

/// Manage plugins
///
/// A plugin is a dynamic library: a provider that talks to a model, or a tool kind that runs a kind of tool. Rye loads it only if a key
/// signed it that you trust for everything, or for plugins.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  rye plugin install ./acme-plugin
  rye plugin list
  rye plugin verify")]
pub(in crate::cli) enum PluginCommand {
    Install(InstallArgs),
    /// List installed plugins
    #[command(after_help = "Examples:\n  rye plugin list\n  rye plugin list --json")]
    List,
    Info(InfoArgs),
    Verify(VerifyArgs),
    Remove(RemoveArgs),
    Sign(SignArgs),
}

/// Install the plugin in a folder
///
/// Shows its signer, its digest and its declared needs, and asks. Installs exactly the verified bytes. A plugin is native code that runs as
/// you.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye plugin install ./acme-plugin
  rye plugin install ./acme-plugin --yes")]
pub(in crate::cli) struct InstallArgs {
    /// The folder with `plugin.toml`, its signature and its libraries
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// Replace a later version
    #[arg(long)]
    allow_downgrade: bool,
}

/// Show an installed plugin
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye plugin info acme\n  rye plugin info acme --json")]
pub(in crate::cli) struct InfoArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    name: PluginName,
}

/// Verify installed plugins
///
/// Verifies their signatures, signers, the digests of their libraries, and the permissions of their folders. Exits with 3 when one fails,
/// and with 7 when none is installed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye plugin verify\n  rye plugin verify acme")]
pub(in crate::cli) struct VerifyArgs {
    /// A plugin (default: all)
    #[arg(value_name = "NAME")]
    name: Option<PluginName>,
}

/// Remove an installed plugin
///
/// A running server (`rye mcp`) keeps a loaded plugin until it ends.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  rye plugin remove acme\n  rye plugin remove acme --yes")]
pub(in crate::cli) struct RemoveArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    name: PluginName,
}

/// Sign your plugin in a folder
///
/// Writes the digest and size of each library into `plugin.toml`, without comments, and its signature into `plugin.toml.sig`, which
/// `ssh-keygen -Y verify -n rye-plugin` checks.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye plugin sign ./acme-plugin
  rye plugin sign ./acme-plugin --key ~/.ssh/id_ed25519")]
pub(in crate::cli) struct SignArgs {
    /// The folder with `plugin.toml` and its libraries
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The file of the key, or `person` for your own
    #[arg(long, value_name = "KEY", value_parser = args::name())]
    key: Option<String>,
}

impl SignArgs {
    /// Returns the folder as it was given.
    pub(in crate::cli) fn folder(&self) -> String {
        self.folder.display().to_string()
    }
}

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, command: &PluginCommand) -> Result<Exit, Error> {
    let session = Session::open(ctx)?;
    match command {
        PluginCommand::Install(args) => install(ctx, output, &session, args)?,
        PluginCommand::List => {
            let outcome = plugins::list(session.project())?;
            output.outcome(&outcome, |page| text::plugin::write_list(page, &outcome))?;
            if outcome.plugins.is_empty() {
                output.note("no plugin is installed; `rye plugin install FOLDER` installs one");
            }
        }
        PluginCommand::Info(args) => {
            let outcome = plugins::info(session.project(), &args.name)?;
            output.outcome(&outcome, |page| text::plugin::write_info(page, &outcome))?;
        }
        PluginCommand::Verify(args) => return verify(output, session.project(), args),
        PluginCommand::Remove(args) => {
            plugins::check_installed(session.project(), &args.name)?;
            let question = format!("remove the plugin `{}`?", args.name);
            Refusal::unless(output.agrees(&question), || Question::Uninstall)?;
            let outcome = plugins::remove(session.project(), &args.name)?;
            output.outcome(&outcome, |page| text::plugin::write_removed(page, &outcome))?;
        }
        PluginCommand::Sign(args) => {
            output_path(ctx, &args.folder)?;
            let key = person(ctx, output, args.key.as_deref())?;
            warn_of_key(output, session.project(), &key.public());
            let outcome = plugins::sign(session.project(), &args.folder, &key)?;
            output.outcome(&outcome, |page| text::plugin::write_signed(page, &outcome))?;
        }
    }
    Ok(Exit::Done)
}

/// Shows the plugin, asks, and installs it.
fn install(ctx: &Context, output: &mut Output, session: &Session, args: &InstallArgs) -> Result<(), Error> {
    let options = InstallOptions { folder: args.folder.clone(), allow_downgrade: args.allow_downgrade };
    let review = plugins::review(session, &options)?;
    let planned = review.outcome();
    if planned.change != Change::Unchanged {
        let what = text::plugin::install_question(planned);
        let answer = if let Some(client) = ctx.agent_client() {
            agreed(output, Some(client), |page| text::plugin::write_review(page, planned), &what)?
        } else {
            output.before_question(|page| text::plugin::write_review(page, planned));
            output.agrees(&format!("{what}?"))
        };
        Refusal::unless(answer, || Question::Install)?;
    }
    let outcome = review.install()?;
    output.outcome(&outcome, |page| text::plugin::write_installed(page, &outcome))?;
    if outcome.change != Change::Unchanged {
        output.note("its library was opened: it has the name, kind and version of its manifest");
    }
    Ok(())
}

fn verify(output: &mut Output, project: &Project, args: &VerifyArgs) -> Result<Exit, Error> {
    let outcome = plugins::verify(project, args.name.as_ref())?;
    output.outcome(&outcome, |page| text::plugin::write_verified(page, &outcome))?;
    Ok(match outcome.status {
        VerifyStatus::Ok => Exit::Done,
        VerifyStatus::Findings => Exit::Refused,
        VerifyStatus::Empty => {
            output.note("no plugin is installed: nothing to verify");
            Exit::Nothing
        }
    })
}
