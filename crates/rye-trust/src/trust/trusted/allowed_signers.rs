//! OpenSSH's allowed_signers file: who may sign what (ssh-keygen(1), ALLOWED SIGNERS).
//!
//! A line means what it means to OpenSSH, or does not count: a line that is not understood in full is skipped, as
//! OpenSSH does, since an option that is not known could narrow what a key may do. Skipped lines are told, never an error:
//! a team's file has lines for other programs too.

use std::fmt;

use super::options::{Options, rest_after_options};
use crate::id::{Zone, glob};
use crate::trust::key::OPENPGP;
use crate::trust::{PublicKey, TrustedKey};

/// A file of allowed signers: the keys that count, and the lines that do not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedSigners {
    /// The keys, in the order of the file.
    pub keys: Vec<TrustedKey>,
    /// The lines that are skipped.
    pub skipped: Vec<SkippedLine>,
}

/// A line that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLine {
    /// The file.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// Why.
    pub reason: String,
}

/// How many skipped lines a warning names.
const NAMED: usize = 3;

/// Reads a whole file, line by line: one that is not UTF-8 is skipped, and the others count. `origin` names it in messages and, with the line, in every key; `zone` is that of times without one.
#[must_use]
pub fn parse_allowed_signers(text: impl AsRef<[u8]>, origin: &str, zone: &Zone) -> AllowedSigners {
    let mut file = AllowedSigners::default();
    for (index, line) in text.as_ref().split(|byte| *byte == b'\n').enumerate() {
        match read_bytes(line, (origin, index + 1), zone) {
            Ok(key) => file.keys.extend(key),
            Err(skipped) => file.skipped.push(skipped),
        }
    }
    file
}

impl AllowedSigners {
    /// Tells of the skipped lines in one sentence; none if every line counts.
    #[must_use]
    pub fn warning(&self) -> Option<String> {
        let first = self.skipped.first()?;
        let lines = if self.skipped.len() == 1 { "1 line" } else { &format!("{} lines", self.skipped.len()) };
        let named: Vec<String> = self.skipped.iter().take(NAMED).map(SkippedLine::to_string).collect();
        let more = if self.skipped.len() > NAMED { ", …" } else { "" };
        Some(format!("skipped {lines} of `{}`: {}{more}", first.origin, named.join(", ")))
    }
}

impl fmt::Display for SkippedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} ({})", self.line, self.reason)
    }
}

/// Reads the bytes of one line. A comment may be in any encoding.
fn read_bytes(line: &[u8], place: (&str, usize), zone: &Zone) -> Result<Option<TrustedKey>, SkippedLine> {
    match std::str::from_utf8(line) {
        Ok(line) => read_line(line, place, zone),
        Err(_) if line.trim_ascii_start().starts_with(b"#") => Ok(None),
        Err(_) => {
            let (origin, line) = (place.0.to_owned(), place.1);
            Err(SkippedLine { origin, line, reason: "it is not UTF-8".to_owned() })
        }
    }
}

/// Reads one line; none for one that is blank or a comment.
pub(in crate::trust) fn read_line(
    line: &str,
    (origin, number): (&str, usize),
    zone: &Zone,
) -> Result<Option<TrustedKey>, SkippedLine> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let skipped = |reason| SkippedLine { origin: origin.to_owned(), line: number, reason };
    parse_line(line, &format!("{origin}:{number}"), zone).map(Some).map_err(skipped)
}

/// Writes one key as a line without newline.
#[must_use]
pub fn allowed_signers_line(key: &TrustedKey) -> String {
    let principal = &key.principal;
    let quote = if principal.contains(char::is_whitespace) { "\"" } else { "" };
    let options = Options::of(key).to_string();
    let options = if options.is_empty() { options } else { format!("{options} ") };
    format!("{quote}{principal}{quote} {options}{}", key.key.to_openssh())
}

fn parse_line(line: &str, origin: &str, zone: &Zone) -> Result<TrustedKey, String> {
    let (principal, rest) = principals(line)?;
    let (options, key) = match read_key(rest) {
        Some(key) => (Options::default(), key?),
        None => {
            let (options, rest) = rest_after_options(rest).ok_or("its options have a quote too few")?;
            let key = read_key(rest.trim_start()).ok_or("it has no key of a known type")??;
            (Options::parse(options, zone)?, key)
        }
    };
    Ok(TrustedKey {
        namespaces: options.namespaces.unwrap_or_default(),
        valid_after: options.valid_after,
        valid_before: options.valid_before,
        ..TrustedKey::new(key, principal, origin)
    })
}

/// Takes the principals from the beginning of a line. Some name must fit them, as git asks with each of their names.
fn principals(line: &str) -> Result<(&str, &str), String> {
    let (principals, rest) = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').ok_or("its principals have a quote too few")?,
        None => line.split_once(char::is_whitespace).ok_or("it has no key")?,
    };
    if principals.contains('"') || principals.contains(char::is_control) {
        return Err("its principals have a quote or a control character in them".to_owned());
    }
    // An empty name ends the list that OpenSSH gives to git.
    let mut names = principals.split(',').take_while(|name| !name.is_empty());
    if !names.any(|name| glob::list_matches(principals, name)) {
        return Err("it names no principal".to_owned());
    }
    Ok((principals, rest.trim_start()))
}

/// Reads the key at the beginning of a text; none if that is not the name of a type of keys.
fn read_key(text: &str) -> Option<Result<PublicKey, String>> {
    let mut words = text.split(char::is_whitespace).filter(|word| !word.is_empty());
    let key_type = words.next().filter(|word| is_key_type(word))?;
    let Some(base64) = words.next() else { return Some(Err("it has no key".to_owned())) };
    Some(PublicKey::of_any_type(&format!("{key_type} {base64}")).map_err(|error| reason_of(key_type, &error)))
}

fn reason_of(key_type: &str, error: &crate::trust::KeyError) -> String {
    match error {
        crate::trust::KeyError::PublicAlgorithm { .. } | crate::trust::KeyError::Algorithm { .. } => {
            format!("its key is of type `{key_type}`")
        }
        error => format!("its `{key_type}` key cannot be used: {error}"),
    }
}

/// Tells whether a word is the name of a type of keys, as OpenSSH writes it.
pub(super) fn is_key_type(word: &str) -> bool {
    const BEGINNINGS: [&str; 4] = ["ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-"];
    let is_name = |word: &str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-@.".contains(&byte));
    word == OPENPGP || BEGINNINGS.iter().any(|beginning| word.starts_with(beginning)) && is_name(word)
}
