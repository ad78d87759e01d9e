//! `rye man`

use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::Man;
use serde::Serialize;

use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::cli::output_path::{judged, output_places};
use crate::context::Context;
use crate::workspace::OutputPlaces;

/// Print the manual page of a command, or write all pages
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye man | man -l -
  rye man thread run | man -l -
  rye man --all ~/.local/share/man/man1")]
pub(in crate::cli) struct ManArgs {
    /// The command (default: `rye` itself)
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of all commands into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    all: Option<PathBuf>,
}

/// The printed or written page.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ManOutcome {
    Page { name: String, page: String },
    Written { folder: PathBuf, pages: Vec<String> },
}

/// Prints a page, or writes all of them; `root` is the whole command line.
pub(in crate::cli) fn run(
    ctx: &Context,
    output: &mut Output,
    args: &ManArgs,
    mut root: Command,
) -> Result<Exit, Error> {
    root.build();
    if let Some(folder) = &args.all {
        let (into, mut pages) = (ctx.current_dir().join(folder), Vec::new());
        let places = output_places(ctx);
        judged(&places, folder)?;
        std::fs::create_dir_all(&into).map_err(|source| Error::Folder { path: folder.clone(), source })?;
        write_all(&places, &into, &root, "rye", &mut pages)?;
        let outcome = ManOutcome::Written { folder: folder.clone(), pages };
        if output.is_json() {
            output.json(&outcome)?;
        } else if let ManOutcome::Written { folder, pages } = &outcome {
            output.note(&format!("wrote {} pages into `{}`", pages.len(), folder.display()));
        }
        return Ok(Exit::Done);
    }
    let (mut found, mut name) = (&root, "rye".to_owned());
    for word in &args.command {
        let next = found.get_subcommands().find(|command| command.get_name() == word && !command.is_hide_set());
        found = next.ok_or_else(|| Error::NoSuchCommand { command: format!("{} {word}", name.replace('-', " ")) })?;
        name = format!("{name}-{word}");
    }
    let page = rendered(found, &name)?;
    if output.is_json() {
        let page = String::from_utf8_lossy(&page).into_owned();
        output.json(&ManOutcome::Page { name, page })?;
    } else {
        output.raw(&page)?;
    }
    Ok(Exit::Done)
}

fn write_all(
    places: &OutputPlaces<'_>,
    folder: &Path,
    command: &Command,
    name: &str,
    pages: &mut Vec<String>,
) -> Result<(), Error> {
    let file = format!("{name}.1");
    judged(places, &folder.join(&file))?.write(&rendered(command, name)?, true).map_err(Error::File)?;
    pages.push(file);
    let shown = command.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help");
    shown
        .into_iter()
        .try_for_each(|below| write_all(places, folder, below, &format!("{name}-{}", below.get_name()), pages))
}

/// Renders a page under the name that git's pages have, such as `rye-thread-run`.
fn rendered(command: &Command, name: &str) -> Result<Vec<u8>, Error> {
    let mut page = Vec::new();
    let title = name.to_uppercase();
    let named = command.clone().name(name.to_owned()).display_name(name.to_owned());
    Man::new(named).title(title).source(concat!("rye ", env!("CARGO_PKG_VERSION"))).manual("Rye").render(&mut page)?;
    Ok(page)
}
