//! Values that are assigned to a name that says secret: `api_key = "…"`, `CLIENT_SECRET=…`, `"password": "…"`, `--token …`.
//!
//! Code is full of such names, so the value decides: it must be a literal that looks random. Values that call, refer,
//! interpolate or represent another value are left alone.

use super::alphabet::{is_random, is_stand_in};

/// The words that every such name has in it.
pub(super) const NAME_WORDS: &[&str] = &[
    "secret",
    "token",
    "passw",
    "passphrase",
    "pwd",
    "apikey",
    "api_key",
    "api-key",
    "access_key",
    "access-key",
    "accesskey",
    "account_key",
    "accountkey",
    "private_key",
    "private-key",
    "privatekey",
    "signing_key",
    "signingkey",
    "encryption_key",
    "encryptionkey",
    "master_key",
    "masterkey",
    "storage_key",
    "license_key",
    "_auth",
    "authorization",
];

/// How a name ends, without `_`, `-` and `.`, that says secret, and what kind of secret.
const ENDINGS: &[(&str, Kind)] = &[
    ("apikey", Kind::Key),
    ("apikeyid", Kind::Harmless),
    ("secretkey", Kind::Key),
    ("accesskey", Kind::Key),
    ("accountkey", Kind::Key),
    ("privatekey", Kind::Key),
    ("signingkey", Kind::Key),
    ("encryptionkey", Kind::Key),
    ("masterkey", Kind::Key),
    ("storagekey", Kind::Key),
    ("licensekey", Kind::Key),
    ("secret", Kind::Key),
    ("pagetoken", Kind::Harmless),
    ("nexttoken", Kind::Harmless),
    ("synctoken", Kind::Harmless),
    ("continuationtoken", Kind::Harmless),
    ("cancellationtoken", Kind::Harmless),
    ("publickeytoken", Kind::Harmless),
    ("token", Kind::Token),
    ("auth", Kind::Token),
    ("authorization", Kind::Token),
    ("password", Kind::Password),
    ("passwd", Kind::Password),
    ("passphrase", Kind::Password),
    ("pwd", Kind::Password),
];

/// The longest name, in bytes.
const LONGEST_NAME: usize = 80;

/// The longest value, in bytes.
const LONGEST_VALUE: usize = 1024;

/// Words in a value that mark it as not secret.
const PLACEHOLDERS: [&str; 14] = [
    "example",
    "changeme",
    "change_me",
    "change-me",
    "placeholder",
    "dummy",
    "your",
    "redacted",
    "password",
    "passwd",
    "secret",
    "xxxx",
    "****",
    "....",
];

/// Words in names of what a form has, of styles, and of what only names a password.
const OF_A_FORM: &[&str] = &[
    "auth",
    "button",
    "column",
    "confirm",
    "control",
    "credentials",
    "creds",
    "current",
    "empty",
    "error",
    "field",
    "forgot",
    "form",
    "hash",
    "hint",
    "icon",
    "id",
    "input",
    "invalid",
    "key",
    "label",
    "login",
    "name",
    "new",
    "old",
    "page",
    "pass",
    "path",
    "provider",
    "ref",
    "required",
    "reset",
    "row",
    "rule",
    "rules",
    "store",
    "strength",
    "test",
    "text",
    "title",
    "token",
    "too",
    "type",
    "user",
    "vault",
    "weak",
    "wrong",
];

/// What a name promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Key,
    Token,
    Password,
    Harmless,
}

impl Kind {
    /// Returns what a name promises; the longest ending counts.
    fn of(name: &str) -> Option<Self> {
        let plain: String =
            name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).collect::<String>().to_ascii_lowercase();
        let (_, kind) =
            ENDINGS.iter().filter(|(ending, _)| plain.ends_with(ending)).max_by_key(|(end, _)| end.len())?;
        Some(*kind)
    }

    /// Returns what the mark says, if a value is such a secret.
    fn judge(self, value: &str) -> Option<&'static str> {
        if is_placeholder(value) {
            return None;
        }
        let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
        match self {
            Self::Key => is_random(value).then_some("assigned key"),
            // Digests are called tokens too.
            Self::Token => (!is_hex && is_random(value)).then_some("assigned token"),
            Self::Password => (is_password(value) || is_passphrase(value)).then_some("assigned password"),
            Self::Harmless => None,
        }
    }
}

/// Returns what the mark of a member of an object says, if its name and its text make it a secret.
pub(super) fn kind_of(name: &str, text: &str) -> Option<&'static str> {
    if text.len() > LONGEST_VALUE || text.contains(char::is_whitespace) {
        return None;
    }
    Kind::of(name)?.judge(text)
}

/// Finds the value that is assigned to the name with a word from `start` to `end`.
pub(super) fn find(text: &str, start: usize, end: usize) -> Option<(usize, usize, &'static str)> {
    let bytes = text.as_bytes();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let before = bytes[..start].iter().rev().take(LONGEST_NAME).take_while(is_name).count();
    let behind = bytes[end..].iter().take(LONGEST_NAME).take_while(is_name).count();
    let (name_start, name_end) = (start - before, end + behind);
    let kind = Kind::of(&text[name_start..name_end])?;
    let assigned = Assigned::at(text, name_start, name_end)?;
    let judged = kind.judge(assigned.value)?;
    // Without quotes, only pure assignments count: code has names and calls there.
    let counts = assigned.is_quoted || assigned.is_plain;
    counts.then(|| (assigned.start, assigned.start + assigned.value.len(), judged))
}

/// A value behind a name.
struct Assigned<'t> {
    start: usize,
    value: &'t str,
    is_quoted: bool,
    /// Whether it is a line of a file of variables, an option of a command, a parameter of a URL, or a line of YAML.
    is_plain: bool,
}

impl<'t> Assigned<'t> {
    fn at(text: &'t str, name_start: usize, name_end: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut at = name_end;
        let skip = |mut at: usize, wanted: &[u8], most: usize| {
            let first = at;
            while at - first < most && bytes.get(at).is_some_and(|byte| wanted.contains(byte)) {
                at += 1;
            }
            at
        };
        at = skip(at, b"\\\"'`]", 3);
        let is_spaced = bytes.get(at).is_some_and(|byte| matches!(byte, b' ' | b'\t'));
        at = skip(at, b" \t", 8);
        let sign = at;
        at = skip(at, b":=>", 2);
        let has_sign = at > sign;
        let is_tight = !is_spaced && at == sign + 1;
        let is_option =
            !has_sign && is_spaced && bytes[..name_start].ends_with(b"--") | text[name_start..].starts_with("--");
        if !has_sign && !is_option {
            return None;
        }
        let gap = at;
        at = skip(at, b" \t", 8);
        let is_yaml = sign < bytes.len() && bytes[sign] == b':' && at > gap;
        // The scheme of a header is not part of its value.
        at = scheme(bytes, at);
        let quote = at;
        at = skip(at, b"\\\"'`", 2);
        let is_quoted = at > quote;
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`,;)]}<>\\".contains(byte);
        let rest = &bytes[at..];
        // One of several parameters, or a part of the value?
        let is_parameter = matches!(bytes[..name_start], [.., b'?' | b'&' | b';']);
        let parts = |at: usize| rest[at] == b'&' && !is_quoted && (is_parameter || is_parted(&rest[at + 1..]));
        // Base64 ends with `=`; one in the middle belongs to another assignment.
        let is_end = |at: usize| {
            let is_inner = rest[at] == b'=' && rest.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
            is_inner || parts(at) || ends(&rest[at])
        };
        let most = rest.len().min(LONGEST_VALUE);
        let length = (0..most).find(|at| is_end(*at)).unwrap_or(most);
        let value = text.get(at..at + length)?;
        let is_line =
            rest.get(length).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'&' | b'"' | b'\'' | b'\\' | b' '));
        // The line of a file of settings holds nothing before the name.
        let is_first = bytes[..name_start]
            .iter()
            .rev()
            .find(|byte| !matches!(byte, b' ' | b'\t'))
            .is_none_or(|byte| *byte == b'\n');
        let is_plain = is_line && !value.contains(['(', '.', '[']) && (is_tight || is_yaml || is_option || is_first);
        Some(Self { start: at, value, is_quoted, is_plain })
    }
}

/// Tells whether what follows a `&` belongs to something else: another parameter, another command, nothing.
fn is_parted(behind: &[u8]) -> bool {
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'_' | b'-' | b'.');
    let name = behind.iter().take(LONGEST_NAME).take_while(is_name).count();
    behind.get(name) == Some(&b'=') || behind.first().is_none_or(|byte| *byte == b'&' || byte.is_ascii_whitespace())
}

/// Skips the scheme of a header: `token `, `ApiKey `.
fn scheme(bytes: &[u8], at: usize) -> usize {
    let word = bytes[at..].iter().take(12).take_while(|byte| byte.is_ascii_alphabetic()).count();
    if word > 0 && bytes.get(at + word) == Some(&b' ') { at + word + 1 } else { at }
}

/// Tells whether a value refers to another one: a variable, a template, a word that says so, one character again and
/// again.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let begins = |c: char| matches!(c, '$' | '{' | '<' | '%' | '[' | '(' | '*' | '#' | '@');
    let is_variable =
        value.starts_with(begins) && !value.starts_with("%2") || value.contains("${") || value.contains("{{");
    let is_short = value.len() < 5;
    is_variable || PLACEHOLDERS.iter().any(|word| lower.contains(word)) || (!is_short && is_stand_in(value.as_bytes()))
}

/// Tells whether a value looks like a password made of words: three or more, joined by hyphens. Names of parts of a form are
/// written so too.
fn is_passphrase(value: &str) -> bool {
    let is_word =
        |word: &str| word.len() >= 2 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let words: Vec<&str> = value.split('-').collect();
    (16..=128).contains(&value.len())
        && words.len() >= 3
        && words.iter().all(|word| is_word(word) && !OF_A_FORM.contains(word))
}

/// Tells whether a value looks like a password: at least eight characters, letters, and a digit or a sign among them.
fn is_password(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
    let (letters, digits) = (count(u8::is_ascii_alphabetic), count(u8::is_ascii_digit));
    let signs = count(|byte| byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'-' | b'.' | b'/' | b':'));
    let is_code = value.contains("::") || value.contains("->") || value.contains('(') || value.contains("test");
    (8..=128).contains(&value.len()) && letters >= 2 && digits + signs >= 2 && !is_code
}
