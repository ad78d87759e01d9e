//! `rye new`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::cli::args;
use crate::cli::error::Error;
use crate::cli::exit::Exit;
use crate::cli::output::Output;
use crate::context::Context;
use crate::id::{ItemId, ItemType, Space};
use crate::ops::new::{self, Language};
use crate::project::Project;

/// Create a valid item from a template
///
/// Never overwrites a file. Edit the item, check it with `rye lint`, then sign it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  rye new directive demo/deploy_staging
  rye new tool demo/count --lang sh
  rye new tool demo/count_lines --lang command
  rye new capabilities reviewer
  rye new knowledge demo/glossary --space user")]
pub(in crate::cli) struct NewArgs {
    /// The type of item, or `capabilities` for a document that narrows a thread's permissions
    #[arg(value_name = "TYPE", value_parser = made())]
    made: Made,

    /// The id: the path below the folder of its type, without extension
    #[arg(value_name = "ID")]
    item_id: ItemId,

    /// The language of a tool
    #[arg(long, value_enum, default_value_t)]
    lang: Lang,

    /// The space to write to
    #[arg(long, value_parser = args::writable_space(), default_value = "project")]
    space: Space,
}

/// The language of a tool.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Lang {
    #[default]
    Py,
    Sh,
    Yaml,
    Command,
}

/// The kind of file to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Made {
    Item(ItemType),
    Capabilities,
}

/// Reads the kind of file to make; an unknown one is an error that lists them.
fn made() -> impl TypedValueParser<Value = Made> {
    let words = ItemType::ALL.map(ItemType::as_str).into_iter().chain([CAPABILITIES]);
    PossibleValuesParser::new(words).try_map(|word| match word.as_str() {
        CAPABILITIES => Ok(Made::Capabilities),
        word => word.parse().map(Made::Item),
    })
}

const CAPABILITIES: &str = "capabilities";

pub(in crate::cli) fn run(ctx: &Context, output: &mut Output, args: &NewArgs) -> Result<Exit, Error> {
    let project = Project::open(ctx)?;
    let language = match args.lang {
        Lang::Py => Language::Python,
        Lang::Sh => Language::Shell,
        Lang::Yaml => Language::Yaml,
        Lang::Command => Language::Command,
    };
    let item_type = match args.made {
        Made::Item(item_type) => item_type,
        Made::Capabilities => {
            let outcome = new::new_document(&project, &args.item_id)?;
            output.outcome(&outcome, |page| page.line(format!("created {}", outcome.path)))?;
            output.note(&format!("edit it, then run `{}`", outcome.next));
            return Ok(Exit::Done);
        }
    };
    let options = new::Options { item_type, item_id: args.item_id.clone(), language, space: args.space };
    let outcome = new::new(&project, &options)?;
    output.outcome(&outcome, |page| page.line(format!("created {}", page.path(&outcome.path))))?;
    output.note(&format!("edit it, then run `{}`", outcome.next));
    Ok(Exit::Done)
}
