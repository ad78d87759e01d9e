//! Which characters a person sees. A question shows these as they are, and escapes all others.
//!
//! What is allowed is said, not what is forbidden: a letter, number, punctuation mark or symbol that takes up width, and a mark
//! behind a letter of its own script. So what no version of Unicode has assigned yet is escaped, too.

use unicode_general_category::{GeneralCategory, get_general_category};
use unicode_width::UnicodeWidthChar as _;

use super::folding::is_ignorable;

/// The object replacement character: many fonts show nothing for it.
const OBJECT: char = '\u{fffc}';

/// Looks at the characters of a text one after the other.
#[derive(Debug, Clone, Copy, Default)]
pub struct Glyphs {
    /// The letter that a mark would belong to.
    base: Option<char>,
}

impl Glyphs {
    /// Tells whether a person sees the next character.
    pub fn shows(&mut self, character: char) -> bool {
        let kind = kind_of(character);
        let shows = match kind {
            Kind::Mark => self.base.is_some_and(|base| is_of_one_script(base, character)),
            Kind::Letter | Kind::Other => has_width(character),
            Kind::Space => character == ' ',
            Kind::Unseen => false,
        };
        self.base = match kind {
            Kind::Mark => self.base.filter(|_| shows),
            Kind::Letter => Some(character).filter(|_| shows),
            Kind::Other | Kind::Space | Kind::Unseen => None,
        };
        shows
    }
}

/// What a general category says of how a character is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Letter,
    Mark,
    Other,
    Space,
    Unseen,
}

fn kind_of(character: char) -> Kind {
    use GeneralCategory as Category;
    match get_general_category(character) {
        Category::UppercaseLetter
        | Category::LowercaseLetter
        | Category::TitlecaseLetter
        | Category::ModifierLetter
        | Category::OtherLetter => Kind::Letter,
        Category::NonspacingMark | Category::SpacingMark => Kind::Mark,
        Category::DecimalNumber
        | Category::LetterNumber
        | Category::OtherNumber
        | Category::ConnectorPunctuation
        | Category::DashPunctuation
        | Category::OpenPunctuation
        | Category::ClosePunctuation
        | Category::InitialPunctuation
        | Category::FinalPunctuation
        | Category::OtherPunctuation
        | Category::MathSymbol
        | Category::CurrencySymbol
        | Category::ModifierSymbol
        | Category::OtherSymbol => Kind::Other,
        Category::SpaceSeparator => Kind::Space,
        // Controls, formats, surrogates, private use, separators of lines, marks around others, and what is not assigned.
        _ => Kind::Unseen,
    }
}

fn has_width(character: char) -> bool {
    character.width().is_some_and(|width| width > 0) && !is_ignorable(character) && character != OBJECT
}

/// Tells whether a mark belongs to the script of a letter. Blocks of 256 code points have the marks of a script with its letters; accents
/// are for Latin, Greek and Cyrillic letters.
fn is_of_one_script(letter: char, mark: char) -> bool {
    let block = |character: char| u32::from(character) >> 8;
    let is_european = matches!(letter, 'A'..='\u{52f}' | '\u{1e00}'..='\u{1fff}');
    !is_ignorable(mark)
        && (matches!(mark, '\u{300}'..='\u{36f}') && is_european || block(letter) == block(mark) && block(mark) > 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> Vec<char> {
        let mut glyphs = Glyphs::default();
        text.chars().filter(|character| !glyphs.shows(*character)).collect()
    }

    #[test]
    fn what_people_write_is_shown() {
        for text in [
            "rm -rf \"$HOME\" | sed 's/a/b/' \u{2192} \u{20ac}1.50",
            "Gr\u{fc}\u{df}e, gru\u{308}n, \u{3a9}\u{301}, \u{434}\u{430}",
            "\u{65e5}\u{672c}\u{8a9e} \u{d55c}\u{ad6d}\u{c5b4} \u{1f600}",
            "\u{5e9}\u{5b8}\u{5dc}\u{5d5}\u{5b9}\u{5dd} \u{633}\u{64e}\u{644}\u{627}\u{645}",
            "\u{928}\u{92e}\u{938}\u{94d}\u{924}\u{947} \u{e01}\u{e33}\u{e25}\u{e31}\u{e07}",
        ] {
            assert_eq!(escaped(text), [], "{text}");
        }
    }

    /// For every character: none is shown without width but a mark behind a letter, and none that is not assigned.
    #[test]
    fn whatever_may_show_as_nothing_is_escaped() {
        for character in "\u{1bc9d}\u{70f}\u{1039}\u{17d2}\u{10a3f}\u{1107f}\u{e000}\u{f0000}\u{fffe}\u{1ffff}\u{fffc}\u{378}\u{2800}\u{3164}\u{1160}\u{200b}\u{a0}\u{2028}\u{20dd}\u{fe0f}".chars() {
            assert_eq!(escaped(&format!("ls{character}a")), [character], "{character:?}");
        }
        for character in '\0'..=char::MAX {
            let mut glyphs = Glyphs::default();
            let is_seen =
                character == ' ' || character.width().is_some_and(|width| width > 0) && !is_ignorable(character);
            assert!(!glyphs.shows(character) || is_seen, "{character:?}");
        }
    }

    #[test]
    fn a_mark_belongs_to_a_letter_of_its_script() {
        assert_eq!(escaped("a\u{1039}\u{301} 1\u{301}"), ['\u{1039}', '\u{301}', '\u{301}']);
        assert_eq!(escaped("e\u{301}\u{308}"), []);
    }
}
