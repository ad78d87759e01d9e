//! The parts of a value of several lines that are secret by themselves: the lines of a key, the long random strings of a credential.
//!
//! So a part of the lines is found, and lines that have something before them.

use zeroize::Zeroizing;

use super::super::alphabet::is_stand_in;

/// The shortest part, in bytes: shorter ones may be parts of other texts.
const SHORTEST: usize = 16;

/// The most parts of a value. A key of 4096 bits has about 50 lines.
const MOST: usize = 256;

/// Returns the parts of a value that has several lines, or line breaks in a string.
pub(super) fn fragments(value: &[u8]) -> Vec<Zeroizing<Vec<u8>>> {
    let has_lines = value.trim_ascii().iter().any(|byte| matches!(byte, b'\n' | b'\r'));
    if !has_lines && !value.windows(2).any(|pair| pair == b"\\n") {
        return Vec::new();
    }
    let lines = value.split(|byte| matches!(byte, b'\n' | b'\r')).flat_map(strings);
    let parts = lines.flat_map(|line| line.split(|byte| !is_part(*byte))).filter(|part| is_secret(part));
    parts.take(MOST).map(|part| Zeroizing::new(part.to_vec())).collect()
}

/// Splits a line at the line breaks that are written in its strings.
fn strings(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest?;
        let end = line.windows(2).position(|pair| matches!(pair, b"\\n" | b"\\r"));
        rest = end.map(|end| &line[end + 2..]);
        Some(&line[..end.unwrap_or(line.len())])
    })
}

/// Tells whether a byte belongs to a string of Base64 in either alphabet, or of hexadecimal.
const fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Tells whether a part is long, and changes between capitals, small letters and digits as random strings do: not `-----BEGIN`, an
/// address, or a name.
fn is_secret(part: &[u8]) -> bool {
    let class = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let is_change = |pair: &&[u8]| pair.iter().all(u8::is_ascii_alphanumeric) && class(&pair[0]) != class(&pair[1]);
    let changes = part.windows(2).filter(is_change).count();
    part.len() >= SHORTEST && changes * 4 >= part.len() && !is_stand_in(part)
}
