//! Names as a forgiving file system compares them.
//!
//! Letters and their accents are composed, case is folded in full (`ſ` is `s`, `ﬁ` is `fi`), code points that some file system ignores are removed, trailing dots,
//! spaces and stream names are cut. Two names that are one file anywhere are the same text here; a few that are not are, too.

use unicode_normalization::UnicodeNormalization as _;

/// Returns what a forgiving file system would make of a name.
#[must_use]
pub fn folded(part: &str) -> String {
    let visible: String = part.chars().filter(|character| !is_ignorable(*character)).nfc().collect();
    let plain = visible.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    // Upper case first: it takes apart the ligatures and unites the letters that lower case alone keeps distinct.
    plain.to_uppercase().to_lowercase().nfc().collect()
}

/// Tells whether some file system takes a name for another one, which is in lower case: by its case, by what it ignores, or as the
/// short name that it gives. A name is not taken for itself.
#[must_use]
pub fn is_taken_for(part: &str, name: &str) -> bool {
    let plain = folded(part);
    part != name && (plain == name || is_short(name, &plain))
}

/// `VSCODE~1` is `.vscode`, `GITLAB~1.YML` is `.gitlab-ci.yml`.
pub(super) fn is_short(name: &str, part: &str) -> bool {
    let Some((stem, rest)) = part.split_once('~') else { return false };
    let six = short_stem(name);
    !six.is_empty() && stem == six && rest.starts_with(|first: char| first.is_ascii_digit())
}

/// Returns the text before the `~` in the short name that some file system gives.
#[must_use]
pub fn short_stem(name: &str) -> String {
    let letters = name.trim_start_matches(['.', '*']).split(['.', '*']).next().unwrap_or_default();
    letters.chars().take(6).collect()
}

/// Tells whether a reader does not see this character: `Default_Ignorable_Code_Point` of Unicode 17, which some file systems
/// drop from names, the format controls (category Cf) but for the few that have a glyph, and letters and symbols that look
/// blank. The one table of them.
#[must_use]
pub const fn is_ignorable(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{13430}'..='\u{1343f}' | '\u{13441}'..='\u{13442}'
        | '\u{16fe4}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d159}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The format controls of Unicode 17 (category Cf).
    const CF: [(u32, u32); 21] = [
        (0xad, 0xad),
        (0x600, 0x605),
        (0x61c, 0x61c),
        (0x6dd, 0x6dd),
        (0x70f, 0x70f),
        (0x890, 0x891),
        (0x8e2, 0x8e2),
        (0x180e, 0x180e),
        (0x200b, 0x200f),
        (0x202a, 0x202e),
        (0x2060, 0x2064),
        (0x2066, 0x206f),
        (0xfeff, 0xfeff),
        (0xfff9, 0xfffb),
        (0x110bd, 0x110bd),
        (0x110cd, 0x110cd),
        (0x13430, 0x1343f),
        (0x1bca0, 0x1bca3),
        (0x1d173, 0x1d17a),
        (0xe0001, 0xe0001),
        (0xe0020, 0xe007f),
    ];

    /// Those of them that have a glyph: signs of numbers, verses and abbreviations, in Arabic, Syriac and Kaithi.
    const SEEN: [char; 13] = [
        '\u{600}',
        '\u{601}',
        '\u{602}',
        '\u{603}',
        '\u{604}',
        '\u{605}',
        '\u{6dd}',
        '\u{70f}',
        '\u{890}',
        '\u{891}',
        '\u{8e2}',
        '\u{110bd}',
        '\u{110cd}',
    ];

    #[test]
    fn every_format_control_is_hidden_unless_it_has_a_glyph() {
        for character in CF.into_iter().flat_map(|(first, last)| first..=last).filter_map(char::from_u32) {
            assert_eq!(is_ignorable(character), !SEEN.contains(&character), "{character:?}");
        }
        for character in "a \u{a0}\u{2009}—\u{13000}\u{13446}\u{e1}".chars() {
            assert!(!is_ignorable(character), "{character:?}");
        }
    }
}
