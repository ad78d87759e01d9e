//! The characters that tokens are made of, and what tells a random one from a word.

/// The characters of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// Hexadecimal digits of both cases.
    Hex,
    /// Capitals and digits.
    Capitals,
    /// Small letters and digits.
    Small,
    /// Letters and digits.
    Letters,
    /// These and `_`.
    Word,
    /// These and `-`.
    Url,
    /// These and `.`.
    Dotted,
    /// Letters, digits, `+`, `/`, `=`.
    Base64,
    /// Everything that some token is made of: `Dotted`, `Base64`, and `~`, `%`, `:`, `|`, `$`.
    Wide,
}

impl Alphabet {
    /// Tells whether a byte belongs to it.
    pub(super) const fn holds(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Small => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
            Self::Letters => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
            Self::Wide => {
                byte.is_ascii_alphanumeric()
                    || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%' | b':' | b'|' | b'$')
            }
        }
    }

    /// Returns how many bytes at the beginning belong to it, at most so many.
    pub(super) fn run(self, bytes: &[u8], most: usize) -> usize {
        bytes.iter().take(most).take_while(|byte| self.holds(**byte)).count()
    }
}

/// Tells whether a token may begin at a place: behind no letter, digit or `_`, unless these are the end of an escape such as
/// `\n` or `%3D`.
pub(super) fn may_begin(bytes: &[u8], at: usize) -> bool {
    match bytes[..at] {
        [] => true,
        [.., b'\\', b'n' | b't' | b'r'] => true,
        [.., b'%', high, low] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => true,
        [.., last] => !last.is_ascii_alphanumeric() && last != b'_',
    }
}

/// Tells whether a text is a stand-in such as `xxxxxxxx` or `********`: of fewer than five different bytes.
pub(super) fn is_stand_in(bytes: &[u8]) -> bool {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count() < 5
}

/// Tells whether a text has what words have not: capitals and small letters and digits, or, where it has letters of one case
/// alone, three digits or more, and one in ten.
pub(super) fn is_mixed(bytes: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| bytes.iter().filter(|byte| is(byte)).count();
    let (capitals, small) = (count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let digits = count(u8::is_ascii_digit);
    match (capitals, small) {
        (0, 0) => false,
        (0, _) | (_, 0) => digits >= 3 && digits * 10 >= bytes.len(),
        _ => digits >= 1,
    }
}

/// Tells whether a text looks random: its longest run of letters and digits has at least 16 of them, and changes often between
/// capitals, small letters and digits.
pub(super) fn is_random(text: &str) -> bool {
    let longest = text.split(|c: char| !c.is_ascii_alphanumeric()).max_by_key(|part| part.len()).unwrap_or_default();
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let bytes = longest.as_bytes();
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    bytes.len() >= 16 && changes * 4 >= bytes.len() && bytes.iter().any(u8::is_ascii_digit) && !is_stand_in(bytes)
}
