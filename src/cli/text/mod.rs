//! Outcomes as text for people: aligned and coloured on a terminal, one tab-separated line per row elsewhere.

pub(super) mod accept;
pub(super) mod commit;
pub(super) mod compare;
pub(super) mod execute;
pub(super) mod findings;
pub(super) mod hook;
pub(super) mod keys;
pub(super) mod lint;
pub(super) mod list;
pub(super) mod migrate;
mod page;
mod paint;
pub(super) mod permissions;
pub(super) mod provider;
pub(super) mod replay;
pub(super) mod report;
pub(super) mod review;
pub(super) mod search;
pub(super) mod sign;
mod table;
pub(super) mod thread;
pub(super) mod trust;
pub(super) mod verify;

pub(super) use page::Page;
pub(super) use paint::Paint;
pub(super) use table::{Cell, Table};

use crate::format::reveal;
use crate::redact::without_keys;

/// Replaces what could control a terminal, and shows what nobody would see there as `\u{202e}`; line feeds and tabs stay.
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

/// Quotes a word for a shell, where it needs that.
pub(super) fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&byte);
    if word.bytes().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// Writes a count with its noun: `1 item`, `2 items`.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_control_the_terminal() {
        assert_eq!(clean("a\u{1b}[2J\tb\r\u{202e}c\n"), "a\u{FFFD}[2J\tb\u{FFFD}\\u{202e}c\n");
        assert_eq!(one_line(" a\n\n b\tc "), "a b c");
        assert_eq!((count(1, "item"), count(0, "item")), ("1 item".to_owned(), "0 items".to_owned()));
    }
}
