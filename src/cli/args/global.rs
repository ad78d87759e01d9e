//! The options of every command, and the forms of output.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(in crate::cli) struct Global {
    /// Work as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(in crate::cli) change_dir: Option<PathBuf>,

    /// Print text, or one JSON object
    #[arg(long, value_enum, default_value_t, global = true)]
    pub(in crate::cli) format: Format,

    /// The same as --format json
    #[arg(long, global = true)]
    pub(in crate::cli) json: bool,

    /// Print only results and errors
    #[arg(short, long, global = true)]
    pub(in crate::cli) quiet: bool,

    /// Print more details
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(in crate::cli) verbose: u8,

    /// When to use colour: `auto` is on a terminal, unless NO_COLOR is set
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    pub(in crate::cli) color: Color,

    /// Set a configuration key for this run
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(in crate::cli) config: Vec<String>,

    /// Answer every question with yes
    #[arg(long, global = true)]
    pub(in crate::cli) yes: bool,
}

/// A form of output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Format {
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
    #[value(hide = true)]
    Jsonl,
    #[value(hide = true)]
    Md,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Color {
    #[default]
    Auto,
    Always,
    Never,
}

/// What an error about the command line itself needs to know of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::cli) struct Early {
    pub(in crate::cli) json: bool,
    pub(in crate::cli) color: Color,
}

impl Early {
    /// Looks for the options that say how to print, without judging the rest.
    pub(in crate::cli) fn of(arguments: &[OsString]) -> Self {
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
