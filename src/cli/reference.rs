//! docs/reference/cli.md, written from the definition of the command line.

use std::fmt::Write as _;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory as _};

use super::command::Cli;

const HEAD: &str = "\
# Command line

Generated from the program's command line. To update it, run
`RYE_UPDATE_DOCS=1 cargo test --test it cli::reference`.

## Output

stdout has the results, stderr everything else. With `--json`, stdout has one JSON object: the command's result, or
`{\"error\": {\"code\", \"message\", \"causes\", \"hints\"}}`. In a pipe, tables are lines of tab-separated fields.
On a terminal they fit its width: columns are left out, cut, or put below their row, with their names if there are several; paths and keys stay whole.

## Exit codes

| code | meaning |
|---|---|
| 0 | success |
| 1 | failure: a tool's error, an unknown id, a finding of `--check` |
| 2 | invalid command line, inputs or item |
| 3 | an item is unsigned, tampered, untrusted, retired, revoked or signed in version 1, or lacks a countersignature; or a question needs your answer, without a terminal and without `--yes` |
| 4 | denied by permissions |
| 5 | stopped by a limit, a signal or a person, or you answered no |
| 6 | a provider failed, or a registry is unreachable |
| 7 | nothing to verify |
| 70 | internal error |

## Environment variables

| variable | effect |
|---|---|
| `RYE_PROJECT` | the folder to work in, without `-C` |
| `RYE_USER_SPACE` | the folder with the `.ai/` of your user space (default: your home folder) |
| `RYE_SIGNING_KEY` | the key to sign with, as a file or as its text |
| `XDG_CONFIG_HOME` | the parent of `rye/` with configuration, keys and trust (default: `~/.config`) |
| `NO_COLOR` | no colour, if set and not empty |
";

/// Writes the reference.
#[must_use]
pub fn reference() -> String {
    let mut root = Cli::command();
    root.build();
    let mut text = HEAD.to_owned();
    section(&mut text, &root, "rye", true);
    commands(&mut text, &root, "rye");
    text
}

fn commands(text: &mut String, parent: &Command, path: &str) {
    for command in parent.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "help") {
        let path = format!("{path} {}", command.get_name());
        section(text, command, &path, false);
        commands(text, command, &path);
    }
}

/// Writes one command. Global options are told of once, at the top.
fn section(text: &mut String, command: &Command, path: &str, is_root: bool) {
    // Writing to a `String` cannot fail.
    let _ = write!(text, "\n## `{path}`\n\n");
    if let Some(about) = command.get_long_about().or_else(|| command.get_about()) {
        let _ = write!(text, "{}\n\n", paragraphs(about));
    }
    let usage = command.clone().render_usage().to_string();
    let _ = write!(text, "```text\n{}\n```\n", usage.trim_start_matches("Usage: ").trim_end());
    let told = |arg: &&Arg| !arg.is_hide_set() && is_root == arg.is_global_set() && !is_own(arg);
    let args: Vec<&Arg> = command.get_arguments().filter(told).collect();
    if !args.is_empty() {
        text.push_str("\n| argument | effect |\n|---|---|\n");
        args.iter().for_each(|arg| row(text, arg));
    }
    if let Some(examples) = command.get_after_help() {
        let examples = examples.to_string();
        let lines: Vec<&str> = examples.lines().skip(1).map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        let _ = write!(text, "\n```console\n{}\n```\n", lines.join("\n"));
    }
}

/// `--help` and `--version` are everywhere and speak for themselves.
fn is_own(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "version")
}

fn row(text: &mut String, arg: &Arg) {
    let help = arg.get_help().map(paragraphs).unwrap_or_default().replace('\n', " ").replace('|', "\\|");
    let mut notes = Vec::new();
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|_| arg.get_action().takes_values())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() {
        notes.push(values.join(", "));
    }
    if let [default] = arg.get_default_values()
        && arg.get_action().takes_values()
    {
        notes.push(format!("without it `{}`", default.to_string_lossy()));
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join("; ")) };
    let _ = writeln!(text, "| {} | {help}{notes} |", spelled(arg));
}

/// Returns every spelling of an argument.
fn spelled(arg: &Arg) -> String {
    let mut spellings: Vec<String> = arg.get_short().into_iter().map(|short| format!("-{short}")).collect();
    spellings.extend(arg.get_visible_short_aliases().into_iter().flatten().map(|short| format!("-{short}")));
    spellings.extend(arg.get_long().map(|long| format!("--{long}")));
    spellings.extend(arg.get_visible_aliases().into_iter().flatten().map(|long| format!("--{long}")));
    let value = arg.get_value_names().into_iter().flatten().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let quoted = |text: &str| format!("`{}`", text.replace('|', "\\|"));
    if spellings.is_empty() {
        return quoted(&value);
    }
    let spelled = spellings.iter().map(|spelling| quoted(spelling)).collect::<Vec<_>>().join(", ");
    if arg.get_action().takes_values() { format!("{spelled} {}", quoted(&value)) } else { spelled }
}

/// Returns help as plain text.
fn paragraphs(text: &StyledStr) -> String {
    text.to_string().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    /// Returns every example in the help of `command` and of the commands below it.
    fn examples(command: &Command) -> Vec<String> {
        let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = help.lines().map(str::trim).filter(|line| line.starts_with("rye "));
        let own = lines.map(|line| line.split("    ").next().unwrap_or_default().to_owned());
        own.chain(command.get_subcommands().flat_map(examples)).collect()
    }

    /// Splits a line as a shell does, as far as the examples need it, up to a pipe into another program or a file.
    fn words(line: &str) -> Vec<String> {
        let line = [" | ", " > "].iter().fold(line, |line, end| line.split_once(end).map_or(line, |(own, _)| own));
        let mut words = vec![String::new()];
        let mut quoted = false;
        for character in line.chars() {
            match character {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                _ => words.last_mut().expect("because there is always a word").push(character),
            }
        }
        words
    }

    #[test]
    fn every_example_parses() {
        let examples = examples(&Cli::command());
        assert!(examples.len() > 25, "{examples:?}");
        for example in examples {
            if let Err(error) = Cli::try_parse_from(words(&example)) {
                panic!("{example}: {error}");
            }
        }
    }
}
