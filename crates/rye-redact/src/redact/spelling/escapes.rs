//! Escapes: those of strings in JSON, C, JavaScript, Python, Rust and the shell, of URLs, and of HTML and XML.

use super::view::{Draft, View};

/// The longest name of a character in HTML, in bytes.
const LONGEST_NAME: usize = 10;

/// The names of ASCII's punctuation in HTML and XML.
const NAMES: &[(&str, u8)] = &[
    ("amp", b'&'),
    ("lt", b'<'),
    ("gt", b'>'),
    ("quot", b'"'),
    ("apos", b'\''),
    ("sol", b'/'),
    ("bsol", b'\\'),
    ("plus", b'+'),
    ("equals", b'='),
    ("num", b'#'),
    ("percnt", b'%'),
    ("dollar", b'$'),
    ("commat", b'@'),
    ("colon", b':'),
    ("semi", b';'),
    ("comma", b','),
    ("period", b'.'),
    ("excl", b'!'),
    ("quest", b'?'),
    ("ast", b'*'),
    ("lowbar", b'_'),
    ("grave", b'`'),
    ("Hat", b'^'),
    ("vert", b'|'),
    ("lpar", b'('),
    ("rpar", b')'),
    ("lsqb", b'['),
    ("lbrack", b'['),
    ("rsqb", b']'),
    ("rbrack", b']'),
    ("lcub", b'{'),
    ("lbrace", b'{'),
    ("rcub", b'}'),
    ("rbrace", b'}'),
    ("Tab", b'\t'),
    ("NewLine", b'\n'),
];

/// What an escape is found to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// A character in so many bytes.
    Of { character: Character, length: usize },
    /// The beginning of one, whose rest is still to come.
    Open,
    /// No escape.
    Other,
}

/// What an escape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Character {
    Byte(u8),
    Char(char),
    /// The character behind the backslash.
    Next,
}

/// Views a text with its escapes undone once; none if it has no escape.
pub(super) fn undone<'p>(view: &'p View<'p>) -> Option<View<'p>> {
    let bytes = &*view.bytes;
    let next = |from: usize| {
        let rest = bytes.get(from..)?;
        memchr::memchr3(b'\\', b'%', b'&', rest).map(|at| from + at)
    };
    let (mut draft, mut copied, mut undecided, mut is_changed) = (Draft::default(), 0, None, false);
    let mut found = next(0);
    found?;
    while let Some(at) = found {
        match read(&bytes[at..], view.is_open) {
            Escape::Of { character, length } => {
                draft.copy(bytes, copied, at);
                draft.put(character.bytes(&mut [0; 4]), at, length);
                (copied, is_changed) = (at + length, true);
                // A backslash that is dropped does not make the next character an escape.
                found = next(if character == Character::Next { copied + 1 } else { copied });
            }
            Escape::Open => {
                undecided = Some(at);
                break;
            }
            Escape::Other => found = next(at + 1),
        }
    }
    draft.copy(bytes, copied, undecided.unwrap_or(bytes.len()));
    (is_changed || undecided.is_some()).then(|| draft.after(view, undecided))
}

impl Character {
    fn bytes(self, room: &mut [u8; 4]) -> &[u8] {
        match self {
            Self::Byte(byte) => {
                room[0] = byte;
                &room[..1]
            }
            Self::Char(c) => c.encode_utf8(room).as_bytes(),
            Self::Next => &[],
        }
    }
}

/// Reads the escape at the beginning of a text, which may go on if it `is_open`.
fn read(bytes: &[u8], is_open: bool) -> Escape {
    let escape = match bytes {
        [b'\\', rest @ ..] => backslash(rest, is_open),
        [b'%', rest @ ..] => percent(rest),
        [b'&', rest @ ..] => entity(rest),
        _ => Escape::Other,
    };
    if escape == Escape::Open && !is_open { Escape::Other } else { escape }
}

/// Reads what is behind a backslash. Behind any other character than those with a meaning it means that character.
fn backslash(rest: &[u8], is_open: bool) -> Escape {
    let byte = |byte: u8| Escape::Of { character: Character::Byte(byte), length: 2 };
    let Some(kind) = rest.first() else { return Escape::Open };
    let escape = match kind {
        b'n' => return byte(b'\n'),
        b'r' => return byte(b'\r'),
        b't' => return byte(b'\t'),
        b'\\' => return byte(b'\\'),
        b'e' | b'E' if rest.len() == 1 && is_open => return Escape::Open,
        // A terminal's escape sequence, as it is written for `echo -e` and `printf`.
        b'e' | b'E' if rest.get(1) == Some(&b'[') => return byte(0x1b),
        b'0'..=b'7' => return octal(rest, is_open),
        b'x' => match braced(&rest[1..], 3) {
            Escape::Other => digits(&rest[1..], 2, 3).as_byte(),
            escape => escape,
        },
        b'u' => match braced(&rest[1..], 3) {
            Escape::Other => utf16(rest),
            escape => escape,
        },
        b'U' => digits(&rest[1..], 8, 3),
        _ => Escape::Other,
    };
    if escape == Escape::Other { Escape::Of { character: Character::Next, length: 1 } } else { escape }
}

impl Escape {
    /// Takes a number below 256 for a byte, and not for a character.
    fn as_byte(self) -> Self {
        match self {
            Self::Of { character: Character::Char(c), length } => match u8::try_from(c) {
                Ok(byte) => Self::Of { character: Character::Byte(byte), length },
                Err(_) => self,
            },
            other => other,
        }
    }
}

/// Reads up to three octal digits behind a backslash.
fn octal(rest: &[u8], is_open: bool) -> Escape {
    let count = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
    if count == rest.len() && count < 3 && is_open {
        return Escape::Open;
    }
    let value = rest[..count].iter().fold(0_u32, |value, digit| value * 8 + u32::from(digit - b'0'));
    match u8::try_from(value) {
        Ok(byte) => Escape::Of { character: Character::Byte(byte), length: 1 + count },
        Err(_) => Escape::Other,
    }
}

/// Reads so many hexadecimal digits, behind `before - 1` bytes of the escape.
fn digits(rest: &[u8], wanted: usize, before: usize) -> Escape {
    let count = rest.iter().take(wanted).take_while(|byte| byte.is_ascii_hexdigit()).count();
    match count {
        count if count == wanted => of_number(&rest[..count], before - 1 + count),
        count if count == rest.len() => Escape::Open,
        _ => Escape::Other,
    }
}

/// Reads hexadecimal digits in braces.
fn braced(rest: &[u8], before: usize) -> Escape {
    let Some(inner) = rest.strip_prefix(b"{") else { return Escape::Other };
    let count = inner.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    match inner.get(count) {
        Some(b'}') if count > 0 => of_number(&inner[..count], before + count + 1),
        None => Escape::Open,
        Some(_) => Escape::Other,
    }
}

/// Reads `uHHHH`, or two of these with a backslash between them, which are one character.
fn utf16(rest: &[u8]) -> Escape {
    let unit = |from: usize| {
        let text = std::str::from_utf8(rest.get(from..from + 4)?).ok()?;
        u16::from_str_radix(text, 16).ok()
    };
    let Some(first) = unit(1) else { return digits(&rest[1..], 4, 3) };
    let is_followed = rest[5..].starts_with(b"\\u") || b"\\u".starts_with(&rest[5..]);
    if (0xD800..0xDC00).contains(&first) && is_followed {
        let Some(second) = unit(7) else {
            return if rest.len() < 11 { Escape::Open } else { Escape::Other };
        };
        return match char::decode_utf16([first, second]).next() {
            Some(Ok(c)) => Escape::Of { character: Character::Char(c), length: 12 },
            _ => Escape::Other,
        };
    }
    match char::from_u32(first.into()) {
        Some(c) => Escape::Of { character: Character::Char(c), length: 6 },
        None => Escape::Other,
    }
}

fn of_number(digits: &[u8], length: usize) -> Escape {
    let number = std::str::from_utf8(digits).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
    match number.and_then(char::from_u32) {
        Some(c) => Escape::Of { character: Character::Char(c), length },
        None => Escape::Other,
    }
}

/// Reads `%HH`, or `%uHHHH` as JavaScript's `escape` writes it.
fn percent(rest: &[u8]) -> Escape {
    match rest.first() {
        None => Escape::Open,
        Some(b'u') => digits(&rest[1..], 4, 3),
        Some(_) => digits(rest, 2, 2).as_byte(),
    }
}

/// Reads the name or number of a character, up to its semicolon.
fn entity(rest: &[u8]) -> Escape {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let count = rest.iter().take(LONGEST_NAME).take_while(is_part).count();
    match rest.get(count) {
        None => return Escape::Open,
        Some(b';') => {}
        Some(_) => return Escape::Other,
    }
    let name = std::str::from_utf8(&rest[..count]).unwrap_or_default();
    let number = match name.strip_prefix('#') {
        Some(number) => match number.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        },
        None => NAMES.iter().find(|(known, _)| *known == name).map(|(_, byte)| u32::from(*byte)),
    };
    match number.and_then(char::from_u32) {
        Some(c) => Escape::Of { character: Character::Char(c), length: count + 2 },
        None => Escape::Other,
    }
}
