//! Names of files as text, whatever their bytes are.
//!
//! Git and Unix know names by bytes. A byte that is not part of UTF-8 has a character of its own in the text (U+10FE80 for 0x80 to
//! U+10FEFF for 0xff, from a private area). A name that really has such a character has one for each of its bytes, so different
//! names have different texts, and the bytes come back exactly. People see `\xff`.

use std::borrow::Cow;

/// Where the characters begin that take the place of bytes, less the smallest of these.
const BASE: u32 = 0x0010_FE00;

/// Returns the byte that a character takes the place of.
fn byte_of(character: char) -> Option<u8> {
    u32::from(character).checked_sub(BASE).and_then(|byte| u8::try_from(byte).ok()).filter(|byte| *byte >= 0x80)
}

/// Tells whether a text has bytes that are not UTF-8, or what would be taken for them.
#[must_use]
pub fn is_raw(text: &str) -> bool {
    text.chars().any(|character| byte_of(character).is_some())
}

/// Returns a name as text.
#[must_use]
pub fn as_text(name: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(name)
        && !is_raw(text)
    {
        return text.to_owned();
    }
    let in_place = |byte: &u8| char::from_u32(BASE + u32::from(*byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut text = String::with_capacity(name.len() + 8);
    for chunk in name.utf8_chunks() {
        for character in chunk.valid().chars() {
            match byte_of(character) {
                Some(_) => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes().iter().map(in_place)),
                None => text.push(character),
            }
        }
        text.extend(chunk.invalid().iter().map(in_place));
    }
    text
}

/// Returns the bytes of a name.
#[must_use]
pub fn as_bytes(text: &str) -> Cow<'_, [u8]> {
    if !is_raw(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut name = Vec::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => name.push(byte),
            None => name.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Cow::Owned(name)
}

/// Returns a text as people see it: bytes that are not UTF-8 as `\xff`.
#[must_use]
pub fn shown(text: &str) -> Cow<'_, str> {
    if !is_raw(text) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match byte_of(character) {
            Some(byte) => shown.push_str(&format!("\\x{byte:02x}")),
            None => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_comes_back_exactly_and_no_two_look_alike() {
        let names: Vec<Vec<u8>> = [
            &b"plain.txt"[..],
            b"caf\xe9.txt",
            b"caf\xc3\xa9.txt",
            b"cafe\xcc\x81.txt",
            b"d\xff/\xfe\xff",
            b"new\nline\ttab\\back\"quote",
            b"\xed\xa0\x80",
            b"\xc3",
            "\u{10FEE9}".as_bytes(),
            "\u{10FE00}\u{10FE7F}\u{10FF00}\u{FFFD}".as_bytes(),
            b"\\xe9",
        ]
        .into_iter()
        .map(<[u8]>::to_vec)
        .chain((0..=255).map(|byte| vec![b'a', byte, b'z']))
        .collect();
        let texts: BTreeSet<String> = names.iter().map(|name| as_text(name)).collect();
        assert_eq!(texts.len(), names.len());
        for name in names {
            assert_eq!(as_bytes(&as_text(&name)).as_ref(), name.as_slice());
        }
        assert_eq!(shown(&as_text(b"caf\xe9.txt")), "caf\\xe9.txt");
        assert_eq!(as_text("é.txt".as_bytes()), "é.txt");
    }
}
