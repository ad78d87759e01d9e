//! The command lines of `rye` that a page names anywhere: in code blocks, and in inline code.

use super::page::{Block, Page};

/// A command line with its place; the words follow `rye`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) line: usize,
    pub(super) words: Vec<String>,
}

/// Returns every command line of `rye` in `page`, placeholders filled in.
pub(super) fn named(page: &Page) -> Vec<Named> {
    let in_blocks = page.blocks.iter().filter(|block| matches!(block.language.as_str(), "sh" | "console"));
    let in_blocks = in_blocks.flat_map(lines);
    let inline = page.codes.iter().map(|(line, code)| (*line, code.as_str()));
    in_blocks
        .chain(inline)
        .flat_map(|(line, text)| commands(text).into_iter().map(move |words| Named { line, words }))
        .collect()
}

fn lines(block: &Block) -> impl Iterator<Item = (usize, &str)> {
    let lines = (block.line..).zip(block.text.lines());
    lines.map(|(line, text)| (line, text.strip_prefix("$ ").unwrap_or(text)))
}

/// Splits a line into its commands and returns the words of those that run `rye`, by name or through cargo.
fn commands(line: &str) -> Vec<Vec<String>> {
    let words = split(line);
    let commands = words.split(|word| matches!(word, Word::End));
    commands.filter_map(|command| arguments(command.iter().filter_map(Word::text).collect())).collect()
}

fn arguments(words: Vec<&str>) -> Option<Vec<String>> {
    let given = match words[..] {
        ["rye", ..] => &words[1..],
        ["cargo", "run", ..] => &words[words.iter().position(|word| *word == "--")? + 1..],
        _ => return None,
    };
    // A placeholder for the verb itself names no verb.
    if given.first().is_some_and(|verb| verb.starts_with('<')) {
        return None;
    }
    Some(given.iter().filter(|word| !matches!(**word, "…" | "...")).map(|word| filled(word)).collect())
}

/// Puts something that fits in the place of `<…>`.
fn filled(word: &str) -> String {
    let Some((head, rest)) = word.split_once('<') else { return word.to_owned() };
    let Some((name, tail)) = rest.split_once('>') else { return word.to_owned() };
    format!("{head}{}{}", if name == "type" { "tool" } else { "x" }, filled(tail))
}

#[derive(Debug)]
enum Word {
    Text(String),
    /// A command ends: `|`, `&`, `;`.
    End,
}

impl Word {
    /// Where output is sent elsewhere, the command's own words end.
    fn of(text: String) -> Self {
        if text.starts_with('>') || text.starts_with("2>") { Self::End } else { Self::Text(text) }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::End => None,
        }
    }
}

/// Splits as a shell does, as far as pages need it. `#` and three spaces begin a remark.
fn split(line: &str) -> Vec<Word> {
    let line = line.trim_start();
    let line = &line[..line.find("   ").unwrap_or(line.len())];
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in line.chars() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '|' | '&' | ';') => {
                words.extend(word.take().map(Word::of));
                words.extend((letter != ' ').then_some(Word::End));
            }
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word.map(Word::of));
    words
}
