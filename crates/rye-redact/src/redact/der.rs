//! Private keys in DER, by their first bytes: PKCS#8, with a passphrase or without, PKCS#1, and SEC 1.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// How many digits of Base64 tell a key.
const DIGITS: usize = 28;

/// The shortest key, in bytes.
const SHORTEST: usize = 40;

/// The shortest part of a key, in bytes: a number of an RSA key, or the secret of a curve.
const SHORTEST_PART: usize = 28;

/// The cipher of a key with a passphrase: PBES2 of PKCS#5.
const PBES2: [u8; 11] = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0d];

const SEQUENCE: u8 = 0x30;
const NUMBER: u8 = 0x02;
const STRING: u8 = 0x04;
const NAME: u8 = 0x06;

/// Tells whether digits of Base64 begin as those of a private key.
pub(super) fn begins(digits: &[u8]) -> bool {
    let decoded = digits.get(..DIGITS).and_then(|digits| STANDARD_NO_PAD.decode(digits).ok());
    decoded.is_some_and(|bytes| is_private(&bytes).unwrap_or(false))
}

/// Tells whether bytes are a private key.
pub(super) fn is_key(bytes: &[u8]) -> bool {
    is_private(bytes).unwrap_or(false)
}

fn is_private(bytes: &[u8]) -> Option<bool> {
    let (length, rest) = header(bytes, SEQUENCE)?;
    if length < SHORTEST {
        return None;
    }
    if let Some((_, rest)) = header(rest, SEQUENCE) {
        return Some(rest.starts_with(&PBES2));
    }
    let (1, [version @ (0 | 1), rest @ ..]) = header(rest, NUMBER)? else { return None };
    let is_pkcs8 = || header(rest, SEQUENCE).is_some_and(|(_, rest)| rest.first() == Some(&NAME));
    let is_rsa = || *version == 0 && header(rest, NUMBER).is_some_and(|(length, _)| length >= SHORTEST_PART);
    let is_curve = || *version == 1 && header(rest, STRING).is_some_and(|(length, _)| length >= SHORTEST_PART);
    Some(is_pkcs8() || is_rsa() || is_curve())
}

/// Reads a tag and a length. Returns the length, and what follows.
fn header(bytes: &[u8], tag: u8) -> Option<(usize, &[u8])> {
    match bytes {
        [found, 0x82, high, low, rest @ ..] if *found == tag => {
            Some((usize::from(*high) << 8 | usize::from(*low), rest))
        }
        [found, 0x81, length, rest @ ..] | [found, length @ 0..=0x7f, rest @ ..] if *found == tag => {
            Some((usize::from(*length), rest))
        }
        _ => None,
    }
}
