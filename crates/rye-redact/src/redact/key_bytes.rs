//! What only its owner knows of a private key's file: the bytes that its Base64 stands for, without its public half.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

/// How a key in OpenSSH's form begins.
const OPENSSH: &[u8] = b"openssh-key-v1\0";

/// The secret part of an Ed25519 key, in bytes.
const SEED: usize = 32;

/// What is before the secret part of an Ed25519 key in PKCS#8: a string of bytes in a string of bytes.
const BEFORE_SEED: [u8; 4] = [0x04, 0x22, 0x04, 0x20];

/// Returns the secret bytes of a key's file.
pub(super) fn of(file: &[u8]) -> Zeroizing<Vec<u8>> {
    let body = match std::str::from_utf8(file) {
        Ok(text) if text.contains("-----BEGIN") => decoded(text),
        Ok(_) | Err(_) => Zeroizing::new(file.to_vec()),
    };
    let secret = openssh(&body).or_else(|| pkcs8(&body)).unwrap_or(&body);
    Zeroizing::new(secret.to_vec())
}

/// Decodes what is between the first and the last line of an armoured block.
fn decoded(text: &str) -> Zeroizing<Vec<u8>> {
    let inner = text.split("-----").nth(2).unwrap_or_default();
    let digits: Zeroizing<Vec<u8>> = Zeroizing::new(inner.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect());
    Zeroizing::new(STANDARD.decode(&digits).unwrap_or_default())
}

fn pkcs8(body: &[u8]) -> Option<&[u8]> {
    let at = body.windows(BEFORE_SEED.len()).position(|window| window == BEFORE_SEED)?;
    body.get(at + BEFORE_SEED.len()..at + BEFORE_SEED.len() + SEED)
}

/// Returns the seed of an Ed25519 key, or the whole part behind its public half if it has a passphrase.
fn openssh(body: &[u8]) -> Option<&[u8]> {
    let mut rest = body.strip_prefix(OPENSSH)?;
    let cipher = string(&mut rest)?;
    string(&mut rest)?;
    string(&mut rest)?;
    rest = rest.get(4..)?;
    string(&mut rest)?;
    let section = string(&mut rest)?;
    if cipher != b"none" {
        return Some(section);
    }
    // Two numbers that tell whether the passphrase was right, the type, and the public half again.
    let mut rest = section.get(8..)?;
    string(&mut rest)?;
    string(&mut rest)?;
    string(&mut rest)?.get(..SEED)
}

/// Takes a string with its length before it.
fn string<'b>(rest: &mut &'b [u8]) -> Option<&'b [u8]> {
    let (length, behind) = rest.split_first_chunk::<4>()?;
    let (string, behind) = behind.split_at_checked(u32::from_be_bytes(*length).try_into().ok()?)?;
    *rest = behind;
    Some(string)
}
