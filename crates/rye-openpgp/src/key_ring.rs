//! A file of certificates, as `gpg --export` writes it: armours, each with one or several, or their bytes.
//!
//! Invariant: no certificate is left out. Each is read by itself, and text that belongs to none is an error.

use std::io::Read as _;

use pgp::armor::Dearmor;

use crate::certificate::{Certificate, CertificateError};

const BEGIN: &str = "-----BEGIN PGP PUBLIC KEY BLOCK-----";
const END: &str = "-----END PGP PUBLIC KEY BLOCK-----";

/// The numbers of the packets that a public and a private key begin with.
const PUBLIC_KEY: u8 = 6;
const SECRET_KEY: u8 = 5;

impl Certificate {
    /// Tells whether bytes begin as a public key of OpenPGP does, in an armour or without.
    #[must_use]
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.trim_ascii_start().starts_with(BEGIN.as_bytes())
            || packet(bytes).is_some_and(|(tag, _)| tag == PUBLIC_KEY)
    }

    /// Tells whether bytes begin as a private key of OpenPGP does, without an armour.
    #[must_use]
    pub fn begins_private(bytes: &[u8]) -> bool {
        packet(bytes).is_some_and(|(tag, _)| tag == SECRET_KEY)
    }

    /// Reads every certificate of a file, each with what is wrong with it.
    ///
    /// # Errors
    ///
    /// Fails on anything that is not part of a certificate.
    pub fn every(bytes: &[u8]) -> Result<Vec<Result<Self, CertificateError>>, CertificateError> {
        let mut every = Vec::new();
        for bytes in dearmored(bytes)? {
            every.extend(apart(&bytes)?.into_iter().map(Self::from_bytes));
        }
        if every.is_empty() { Err(CertificateError::Malformed) } else { Ok(every) }
    }
}

/// Takes the bytes out of each armour. Bytes without one are themselves.
fn dearmored(bytes: &[u8]) -> Result<Vec<Vec<u8>>, CertificateError> {
    if packet(bytes).is_some() {
        return Ok(vec![bytes.to_vec()]);
    }
    let malformed = |_| CertificateError::Malformed;
    let (mut rest, mut all) = (std::str::from_utf8(bytes).map_err(malformed)?.trim(), Vec::new());
    while !rest.is_empty() {
        let end = rest.find(END).filter(|_| rest.starts_with(BEGIN)).ok_or(CertificateError::Malformed)?;
        let (armour, behind) = rest.split_at(end + END.len());
        let mut bytes = Vec::new();
        Dearmor::new(armour.as_bytes()).read_to_end(&mut bytes).map_err(|_| CertificateError::Malformed)?;
        all.push(bytes);
        rest = behind.trim_start();
    }
    Ok(all)
}

/// Splits bytes before each primary key.
fn apart(bytes: &[u8]) -> Result<Vec<&[u8]>, CertificateError> {
    let (mut starts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let (tag, length) = packet(&bytes[at..]).ok_or(CertificateError::Malformed)?;
        if tag == PUBLIC_KEY {
            starts.push(at);
        }
        at += length;
    }
    if at != bytes.len() || starts.first() != Some(&0) {
        return Err(CertificateError::Malformed);
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    Ok(starts.iter().zip(ends).map(|(start, end)| &bytes[*start..end]).collect())
}

/// Reads the beginning of a packet (RFC 9580, 4.2): its number, and how many bytes it has in all. None has a length that is
/// not known to begin with: keys are not written so.
fn packet(bytes: &[u8]) -> Option<(u8, usize)> {
    let first = *bytes.first().filter(|first| **first & 0x80 != 0)?;
    let number = |from: usize, count: usize| {
        let bytes = bytes.get(from..from + count)?;
        Some(bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    };
    if first & 0x40 == 0 {
        let count = [1, 2, 4].get(usize::from(first & 3)).copied()?;
        return Some((first >> 2 & 0x0F, 1 + count + number(1, count)?));
    }
    let tag = first & 0x3F;
    match *bytes.get(1)? {
        short @ ..192 => Some((tag, 2 + usize::from(short))),
        192..224 => Some((tag, 3 + number(1, 2)? - (192 << 8) + 192)),
        255 => Some((tag, 6 + number(2, 4)?)),
        224..255 => None,
    }
}
