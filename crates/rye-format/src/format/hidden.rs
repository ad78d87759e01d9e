//! Characters that a reader does not see: bidirectional controls, zero widths, tags and the rest of what Unicode ignores
//! by default, and letters that look blank.
//!
//! Five uses are visible text: joiners in an emoji, shaping in scripts that join letters, layout of hieroglyphs, the
//! tags of a flag, and the blank of braille next to its other signs.

use crate::capability::{is_ignorable, raw_name};

/// Returns each hidden character of a text, with where it is.
pub(super) fn hidden(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut before = None;
    let mut flag_end = 0;
    text.char_indices().filter(move |&(at, character)| {
        let is_flag = at < flag_end;
        if character == FLAG {
            flag_end = at + flag_length(&text[at..]);
        }
        let after = || text[at + character.len_utf8()..].chars().next();
        let is_found = is_ignorable(character) && !is_flag && !belongs(before, character, after());
        before = Some(character);
        is_found
    })
}

/// Shows hidden characters as `\u{202e}`, bytes of names that are not UTF-8 as `\xff`, and line breaks that are not visible in the same way.
#[must_use]
pub fn reveal(text: &str) -> String {
    let text = raw_name::shown(text);
    let text = text.as_ref();
    let mut hidden = hidden(text).map(|(at, _)| at).peekable();
    let mut shown = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        if hidden.next_if_eq(&at).is_some() || matches!(character, '\u{2028}' | '\u{2029}') {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// The flag that tags make another one of.
const FLAG: char = '\u{1F3F4}';

/// The length of a flag with its tags in bytes: three to six of them and the one that ends them, or else the flag alone.
fn flag_length(text: &str) -> usize {
    let tags: Vec<char> = text.chars().skip(1).take_while(|tag| matches!(tag, '\u{E0030}'..='\u{E007A}')).collect();
    let ends = text.chars().nth(1 + tags.len()) == Some('\u{E007F}');
    let is_flag = ends && (3..=6).contains(&tags.len());
    FLAG.len_utf8() + if is_flag { 4 * (tags.len() + 1) } else { 0 }
}

/// Tells whether a character that is ignored belongs to its neighbors.
fn belongs(before: Option<char>, character: char, after: Option<char>) -> bool {
    let (Some(before), after) = (before, after.unwrap_or_default()) else { return false };
    match character {
        '\u{200C}' => joins(before) && joins(after),
        '\u{200D}' => joins(before) || (is_emoji(before) || before == '\u{FE0F}') && is_emoji(after),
        '\u{13430}'..='\u{1343F}' => is_hieroglyph(before) || is_hieroglyph(after),
        '\u{2800}' => is_braille(before) || is_braille(after),
        '\u{FE0E}' | '\u{FE0F}' => is_emoji(before) || after == '\u{20E3}',
        _ => false,
    }
}

fn is_hieroglyph(character: char) -> bool {
    matches!(character, '\u{13000}'..='\u{1342F}' | '\u{13460}'..='\u{143FA}')
}

fn is_braille(character: char) -> bool {
    matches!(character, '\u{2801}'..='\u{28FF}')
}

fn is_emoji(character: char) -> bool {
    matches!(character,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}'
        | '\u{2300}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}'
        | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Letters whose shape depends on what joins them: Arabic and its kin, the scripts of India, Khmer, Mongolian.
fn joins(character: char) -> bool {
    matches!(character, '\u{620}'..='\u{8FF}' | '\u{900}'..='\u{DFF}' | '\u{1780}'..='\u{17D3}' | '\u{1820}'..='\u{18AA}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_found_and_what_belongs_to_a_character_is_not() {
        let found = |text: &str| hidden(text).count();
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}";
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}";
        for harmless in [
            "",
            "plain — ünï",
            "\u{2764}\u{FE0F}",
            "1\u{FE0F}\u{20E3}",
            flag,
            family,
            "\u{645}\u{6CC}\u{200C}\u{62E}",
            "\u{2801}\u{2800}\u{2803}",
            "\u{13000}\u{13430}\u{13001}",
        ] {
            assert_eq!(found(harmless), 0, "{harmless:?}");
        }
        let tags = "\u{E0072}\u{E006D}";
        for hiding in
            ["a\u{202E}b", "a\u{200B}b", "\u{200D}a", "a\u{200D}b", "a\u{FE0F}b", "\u{AD}", "\u{2066}", "\u{FEFF}"]
        {
            assert_eq!(found(hiding), 1, "{hiding:?}");
        }
        for blank in
            "\u{13430}\u{1343F}\u{2800}\u{3164}\u{115F}\u{1160}\u{FFA0}\u{13441}\u{16FE4}\u{1D159}\u{FFF9}".chars()
        {
            assert_eq!(found(&format!("a{blank}b")), 1, "{blank:?}");
        }
        assert_eq!((found(tags), found(&format!("{flag}{tags}")), found(&format!("\u{1F3F4}{tags}"))), (2, 2, 2));
        assert_eq!(reveal("a\u{202E}b\u{E0061}c\u{2028}d\u{2029}"), "a\\u{202e}b\\u{e0061}c\\u{2028}d\\u{2029}");
    }
}
