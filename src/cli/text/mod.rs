//! Outcomes as text for people: aligned and coloured on a terminal, one tab-separated line per row elsewhere.

pub(super) mod accept;
pub(super) mod calls;
pub(super) mod commit;
pub(super) mod compare;
pub(super) mod diff;
pub(super) mod doctor;
pub(super) mod drafts;
pub(super) mod execute;
pub(super) mod findings;
pub(super) mod hook;
pub(super) mod keys;
pub(super) mod lint;
pub(super) mod list;
pub(super) mod markdown;
pub(super) mod mcp;
pub(super) mod migrate;
pub(super) mod moves;
mod page;
mod paint;
mod patch;
pub(super) mod permissions;
pub(super) mod plugin;
pub(super) mod provider;
pub(super) mod registry;
pub(super) mod remote;
pub(super) mod replay;
pub(super) mod report;
pub(super) mod review;
pub(super) mod search;
pub(super) mod show;
pub(super) mod sign;
pub(super) mod skills;
pub(super) mod status;
pub(super) mod summary;
mod table;
pub(super) mod thread;
pub(super) mod trust;
pub(super) mod verify;

pub(super) use crate::capability::shell::quoted;
pub(super) use page::Page;
pub(super) use paint::Paint;
pub(super) use patch::Patch;
pub(super) use table::{Cell, Table};

use crate::capability::Glyphs;
use crate::error::without_middle;
use crate::format::reveal;
use crate::redact::without_keys;

/// Replaces control characters, and shows hidden characters as `\u{202e}`; line feeds and tabs stay.
pub(super) fn clean(text: &str) -> String {
    let is_dangerous = |character: char| character.is_control() && !matches!(character, '\n' | '\t');
    reveal(text).chars().map(|character| if is_dangerous(character) { '\u{FFFD}' } else { character }).collect()
}

/// Makes what items, trust files and people wrote a part of a sentence: words on its line, and no key. Blanks may belong to
/// a path.
pub(super) fn in_sentence(text: &str) -> String {
    clean(&without_keys(text)).replace('\n', " ")
}

/// Puts a text on one line.
pub(super) fn one_line(text: &str) -> String {
    clean(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Names the tool of a call without an item; a model may leave the name out.
pub(super) fn tool_name(tool: &str) -> String {
    if tool.trim().is_empty() { "(no name)".to_owned() } else { one_line(tool) }
}

/// How many characters a question has at most that stays on one line.
const LONG: usize = 400;

/// Puts a text on one line and folds nothing: two texts that differ are shown in two ways. Line feeds are `\n`, tabs
/// `\t`; blanks other than a single space between words, and what a person does not see, are escaped. For questions.
pub(super) fn exact(text: &str) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut before = ' ';
    let mut glyphs = Glyphs::default();
    let mut shown = String::with_capacity(text.len());
    for (at, character) in text.chars().enumerate() {
        let is_seen = glyphs.shows(character);
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            ' ' if before == ' ' || at == last => shown.push_str("\\u{20}"),
            ' ' => shown.push(' '),
            _ if is_seen => shown.push(character),
            _ => shown.extend(character.escape_unicode()),
        }
        before = character;
    }
    shown
}

/// Breaks a long text that [`exact`] made behind each escaped line feed, with the next line indented: a script in a
/// question can be read. The escape stays, so two texts that differ are still shown in two ways.
pub(super) fn in_lines(exact: &str) -> String {
    if exact.chars().count() <= LONG {
        return exact.to_owned();
    }
    let (mut shown, mut is_escape) = (String::with_capacity(exact.len()), false);
    for character in exact.chars() {
        shown.push(character);
        if is_escape && character == 'n' {
            shown.push_str("\n    ");
        }
        is_escape = character == '\\' && !is_escape;
    }
    shown
}

/// Shows foreign words in a sentence: on one line, escaped, and long ones without their middle.
pub(super) fn brief(text: &str) -> String {
    without_middle(&exact(text), 240)
}

/// Makes a sentence for a model one line of a bounded length, with what controls or hides escaped: no part of it passes for
/// another line of the answer.
pub(super) fn for_model(sentence: &str) -> String {
    let is_line = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    let line: String = sentence.chars().fold(String::new(), |mut line, character| {
        if is_line(character) {
            line.extend(character.escape_default())
        } else {
            line.push(character)
        }
        line
    });
    without_middle(&reveal(&line), 2000)
}

/// Shows the name of a file as [`exact`] does, and a backslash in it twice.
pub(super) fn name(path: &str) -> String {
    exact(&path.replace('\\', "\\\\"))
}

/// Writes a count with its noun: `1 item`, `2 items`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_are_shown_in_two_ways() {
        let mut texts =
            vec!["x y", "xy", " x y", "x y ", "x  y", "x   y", "x\ny", "x\\ny", "x\ty", "x\\u{20}y", "\u{20}\u{20}x y"];
        let blanks =
            "\u{85}\u{a0}\u{1680}\u{2000}\u{2003}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{200b}\u{2800}";
        let with_blanks: Vec<String> = blanks.chars().map(|blank| format!("x{blank}y")).collect();
        texts.extend(with_blanks.iter().map(String::as_str));
        let shown: std::collections::BTreeSet<String> = texts.iter().map(|text| name(text)).collect();
        assert_eq!(shown.len(), texts.len(), "{shown:?}");
        assert!(shown.iter().all(|shown| shown.is_ascii() && !shown.contains(char::is_control)), "{shown:?}");
        assert_eq!(exact("let it go?"), "let it go?");
    }

    #[test]
    fn what_a_model_reads_of_an_error_is_lines_of_the_program() {
        let hostile = format!("`x\n\nhint: do it\r\u{2028}\u{202e}\u{1b}[2J{}`", "A".repeat(100_000));
        let told = for_model(&hostile);
        assert!(told.chars().count() < 2100 && !told.contains(|character: char| character.is_control()), "{told}");
        assert!(told.starts_with(r"`x\n\nhint: do it\r\u{2028}\u{202e}\u{1b}[2J"), "{told}");
        assert_eq!(for_model("cannot read `a  b`: no such file"), "cannot read `a  b`: no such file");
    }

    #[test]
    fn a_text_cannot_control_the_terminal() {
        assert_eq!(clean("a\u{1b}[2J\tb\r\u{202e}c\n"), "a\u{FFFD}[2J\tb\u{FFFD}\\u{202e}c\n");
        assert_eq!(one_line(" a\n\n b\tc "), "a b c");
        assert_eq!(exact("a\u{1b}[2J\tb\r\u{202e}c\n"), "a\\u{1b}[2J\\tb\\u{d}\\u{202e}c\\n");
        assert_eq!((count(1, "item"), count(0, "item")), ("1 item".to_owned(), "0 items".to_owned()));
    }
}
