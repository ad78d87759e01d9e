//! Every subcommand by its examples: which of them ask a person is what the documentation lists.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use clap::{CommandFactory as _, Parser as _};

use super::*;
use crate::cli::command::Cli;

const DOCS: &str = include_str!("../../../docs/formats.md");

/// Lists every subcommand that can be run, with its examples.
fn subcommands(command: &clap::Command, path: &str, found: &mut BTreeMap<String, Vec<Vec<String>>>) {
    for one in command.get_subcommands().filter(|one| one.get_name() != "help") {
        let path = format!("{path} {}", one.get_name()).trim().to_owned();
        if !one.is_subcommand_required_set() {
            let help = one.get_after_help().map(ToString::to_string).unwrap_or_default();
            // What an example does next is another command's.
            let own = format!("rye {path}");
            let lines = help.lines().map(str::trim).filter(|line| line.starts_with(&own));
            let words = |line: &str| {
                let end = [" # ", "  ", " > ", " | ", " && "].iter().filter_map(|end| line.find(end)).min();
                line[..end.unwrap_or(line.len())].to_owned()
            };
            let parts = |line: String| line.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect();
            found.insert(path.clone(), lines.map(words).map(parts).collect());
        }
        subcommands(one, &path, found);
    }
}

/// The forms of commands that ask and have no example, or whose examples need a shell to be read.
const FORMS: [&str; 9] = [
    "sign --all",
    "sign tool demo/echo --detached",
    "commit -m x",
    "hook run pre-commit",
    "thread resume @latest --limit turns=12",
    "thread resume @latest --unfinished repeat",
    "trust accept --withdraw",
    "registry renew",
    "key import file",
];

#[test]
fn the_commands_that_ask_are_the_documented_ones() {
    let mut all = BTreeMap::new();
    subcommands(&Cli::command(), "", &mut all);
    assert!(all.len() > 60, "{}", all.len());
    let mut asking = BTreeSet::new();
    let mut judge = |path: &str, words: &[String]| -> bool {
        let Ok(cli) = Cli::try_parse_from(words) else { return false };
        if Authority::of(&cli.command) != Authority::None {
            asking.insert(path.to_owned());
        }
        true
    };
    for (path, examples) in &all {
        let forms = FORMS.iter().filter(|form| form.starts_with(path.as_str())).map(|form| format!("rye {form}"));
        let forms = forms.map(|form| form.split(' ').map(str::to_owned).collect());
        let bare = std::iter::once("rye").chain(path.split(' ')).map(str::to_owned).collect();
        let parsed = examples.iter().cloned().chain(forms).chain([bare]).filter(|words| judge(path, words)).count();
        assert!(parsed > 0, "no form of `{path}` can be read: give it an example");
    }
    let (_, rest) = DOCS.split_once("<!-- commands that ask -->\n").unwrap();
    let (list, _) = rest.split_once("\n<!-- end of commands that ask -->").unwrap();
    let written: BTreeSet<String> = list.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    assert_eq!(written, asking, "docs/formats.md lists other commands than those that ask");
}
