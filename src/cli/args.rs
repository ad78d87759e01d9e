//! The one definition of the command line: help, docs/cli.md and the parser come from it.
//!
//! Arguments are typed here and acted on elsewhere. A verb is here only when it works.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::commands::{commit, execute, hook, init, key, lint, list, load, mcp, migrate, new, notes, permissions};
use super::commands::{search, sign, thread, trust, verify};
use crate::id::{ItemType, Space};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Yellow.on_default().bold())
    .usage(AnsiColor::Yellow.on_default().bold())
    .literal(AnsiColor::Green.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default())
    .error(AnsiColor::Red.on_default().bold())
    .valid(AnsiColor::Green.on_default().bold())
    .invalid(AnsiColor::Yellow.on_default().bold());

/// Agents' workspaces and runs as ordinary, verifiable git
///
/// Directives, tools and knowledge are files in `.ai/`, signed by people. Rye runs what is signed, under the
/// permissions and limits it declares, and keeps every run as a branch that stock git can show and verify.
#[derive(Debug, Parser)]
#[command(name = "rye", version, styles = STYLES, max_term_width = 100)]
#[command(after_help = "\
Examples:
  rye init                            make this folder a workspace
  rye list                            show what there is, and what its signature is worth
  rye search greeting                 find items by what they say
  rye sign --all                      sign every item of the project
  rye verify                          check every signature
  rye thread run rye/guides/first_thread
                                      run a directive as a thread, on a branch of its own")]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,

    #[command(subcommand)]
    pub(super) command: Command,
}

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Global {
    /// Work as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(super) change_dir: Option<PathBuf>,

    /// Print text for people, or one JSON object
    #[arg(long, value_enum, default_value_t, global = true)]
    pub(super) format: Format,

    /// The same as --format json
    #[arg(long, global = true)]
    pub(super) json: bool,

    /// Say nothing but what was asked for, and errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,

    /// Say more
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(super) verbose: u8,

    /// When to use colour: `auto` is on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub(super) color: Color,

    /// Set a configuration key for this run
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(super) config: Vec<String>,

    /// Answer every question with yes
    #[arg(long, global = true)]
    pub(super) yes: bool,
}

/// A form of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    #[default]
    Human,
    Json,
    // Of some commands only, which name them in their own help.
    #[value(hide = true)]
    Sarif,
    #[value(hide = true)]
    Github,
    #[value(hide = true)]
    Sshsig,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    Init(init::InitArgs),
    New(new::NewArgs),
    List(list::ListArgs),
    Search(search::SearchArgs),
    Execute(execute::ExecuteArgs),
    Load(load::LoadArgs),
    Sign(sign::SignArgs),
    Commit(commit::CommitArgs),
    Verify(verify::VerifyArgs),
    Lint(lint::LintArgs),
    Permissions(permissions::PermissionsArgs),
    Migrate(migrate::MigrateArgs),
    #[command(subcommand)]
    Thread(thread::ThreadCommand),
    Mcp(mcp::McpArgs),
    #[command(subcommand)]
    Hook(hook::HookCommand),
    #[command(subcommand)]
    Notes(notes::NotesCommand),
    #[command(subcommand)]
    Key(key::KeyCommand),
    #[command(subcommand)]
    Trust(trust::TrustCommand),
}

impl Command {
    /// Returns the forms of output this command has.
    pub(super) const fn formats(&self) -> &'static [Format] {
        match self {
            Self::Lint(_) => lint::FORMATS,
            Self::Verify(_) => verify::FORMATS,
            _ => &[Format::Human, Format::Json],
        }
    }
}

/// What an error about the command line itself needs to know of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Early {
    pub(super) json: bool,
    pub(super) color: Color,
}

impl Early {
    /// Looks for the options that say how to print, without judging the rest.
    pub(super) fn of(arguments: &[OsString]) -> Self {
        let words = || arguments.iter().take_while(|word| *word != "--").filter_map(|word| word.to_str());
        let value = |name: &str| {
            let joined = words().filter_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            let split = words().zip(words().skip(1)).filter_map(|(word, next)| (word == name).then_some(next));
            joined.chain(split).last()
        };
        Self {
            json: words().any(|word| word == "--json") || value("--format") == Some("json"),
            color: value("--color").and_then(|word| Color::from_str(word, false).ok()).unwrap_or_default(),
        }
    }
}

/// Reads one of some forms of output: a command's own `--format` that widens the global one.
pub(super) fn formats(known: &'static [Format]) -> impl TypedValueParser<Value = Format> {
    let names = known.iter().filter_map(|format| format.to_possible_value()).map(|value| value.hide(false));
    PossibleValuesParser::new(names).try_map(|word| Format::from_str(&word, false))
}

/// Reads the name of something. An empty one is no name: a script's variable was not set, and "all" is not meant.
pub(super) fn name() -> NonEmptyStringValueParser {
    NonEmptyStringValueParser::new()
}

/// Reads an item type, and names the three when it is none.
pub(super) fn item_type() -> impl TypedValueParser<Value = ItemType> {
    PossibleValuesParser::new(ItemType::ALL.map(ItemType::as_str)).try_map(|word| word.parse::<ItemType>())
}

/// Reads a space, and names the three when it is none.
pub(super) fn space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new(Space::ALL.map(Space::as_str)).try_map(|word| word.parse::<Space>())
}

/// Reads a space that can be written.
pub(super) fn writable_space() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new([Space::Project, Space::User].map(Space::as_str)).try_map(|word| word.parse::<Space>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn early(line: &str) -> Early {
        Early::of(&line.split(' ').map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn how_to_print_is_known_before_the_rest_is_understood() {
        let json = Early { json: true, color: Color::Auto };
        assert_eq!(early("rye lsit --json"), json);
        assert_eq!(early("rye --format json lsit"), json);
        assert_eq!(early("rye lsit --format=json --nonsense"), json);
        assert_eq!(early("rye lsit --color never"), Early { json: false, color: Color::Never });
        assert_eq!(early("rye lsit -- --json"), Early::default());
    }
}
