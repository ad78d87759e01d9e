//! Characters that no screen shows.

use std::ops::RangeInclusive;

/// `Default_Ignorable_Code_Point` of Unicode 17.0 (`DerivedCoreProperties.txt`), and the marks of annotations (U+FFF9 to U+FFFB).
const IGNORABLE: [RangeInclusive<char>; 18] = [
    '\u{ad}'..='\u{ad}',
    '\u{34f}'..='\u{34f}',
    '\u{61c}'..='\u{61c}',
    '\u{115f}'..='\u{1160}',
    '\u{17b4}'..='\u{17b5}',
    '\u{180b}'..='\u{180f}',
    '\u{200b}'..='\u{200f}',
    '\u{202a}'..='\u{202e}',
    '\u{2060}'..='\u{206f}',
    '\u{3164}'..='\u{3164}',
    '\u{fe00}'..='\u{fe0f}',
    '\u{feff}'..='\u{feff}',
    '\u{ffa0}'..='\u{ffa0}',
    '\u{fff0}'..='\u{fff8}',
    '\u{fff9}'..='\u{fffb}',
    '\u{1bca0}'..='\u{1bca3}',
    '\u{1d173}'..='\u{1d17a}',
    '\u{e0000}'..='\u{e0fff}',
];

/// Tells whether such a character may begin with a byte.
pub(super) const fn may_begin(byte: u8) -> bool {
    matches!(byte, 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3)
}

/// Returns the length of such a character at the beginning.
pub(super) fn length(bytes: &[u8]) -> Option<usize> {
    let length = match bytes.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let c = std::str::from_utf8(bytes.get(..length)?).ok()?.chars().next()?;
    IGNORABLE.iter().any(|range| range.contains(&c)).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_range_is_found_from_its_first_to_its_last_character() {
        for range in IGNORABLE {
            for c in [*range.start(), *range.end()] {
                let text = format!("{c}x");
                assert!(may_begin(text.as_bytes()[0]), "{c:?}");
                assert_eq!(length(text.as_bytes()), Some(c.len_utf8()), "{c:?}");
            }
        }
        for text in ["", "x", "\u{e4}", "\u{20ac}", "\u{1f600}", "\u{2010}"] {
            assert_eq!(length(text.as_bytes()), None, "{text}");
        }
    }
}
