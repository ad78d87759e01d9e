//! OpenSSH's allowed_signers file: who may sign what (ssh-keygen(1), ALLOWED SIGNERS).
//!
//! Read strictly: an option this program does not know could narrow what a key may do, so it refuses the line.

use thiserror::Error;

use crate::id::Timestamp;
use crate::trust::{KeyError, PublicKey, TrustedKey};

/// A line that cannot be read.
#[derive(Debug, Error)]
#[error("line {line} of `{origin}` cannot be read: {reason}")]
pub struct AllowedSignersError {
    /// The file.
    pub origin: String,
    /// The line, from 1.
    pub line: usize,
    /// The fault.
    pub reason: String,
    /// The key parser's message, where the key is at fault.
    #[source]
    pub source: Option<KeyError>,
}

/// Reads a whole file. `origin` names it in messages and, with the line, in every key.
///
/// # Errors
///
/// Fails on the first line that is not understood in full.
pub fn parse_allowed_signers(text: &str, origin: &str) -> Result<Vec<TrustedKey>, AllowedSignersError> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(index, line)| read_line(line, origin, index + 1).transpose()).collect()
}

/// Reads one line; none for one that is blank or a comment.
pub(in crate::trust) fn read_line(
    line: &str,
    origin: &str,
    number: usize,
) -> Result<Option<TrustedKey>, AllowedSignersError> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let wrong = |(reason, source)| AllowedSignersError { origin: origin.to_owned(), line: number, reason, source };
    parse_line(line, &format!("{origin}:{number}")).map(Some).map_err(wrong)
}

/// Writes one key as a line without newline.
#[must_use]
pub fn allowed_signers_line(key: &TrustedKey) -> String {
    let mut options = Vec::new();
    if !key.namespaces.is_empty() {
        options.push(format!("namespaces=\"{}\"", key.namespaces.join(",")));
    }
    let time = |moment: Timestamp| moment.to_seconds_text().replace(['-', ':', 'T'], "");
    options.extend(key.valid_after.map(|moment| format!("valid-after=\"{}\"", time(moment))));
    options.extend(key.valid_before.map(|moment| format!("valid-before=\"{}\"", time(moment))));
    let options = if options.is_empty() { String::new() } else { format!("{} ", options.join(",")) };
    format!("{} {options}{}", key.principal, key.key.to_openssh())
}

type LineError = (String, Option<KeyError>);

fn parse_line(line: &str, origin: &str) -> Result<TrustedKey, LineError> {
    let (principal, rest) = line.split_once(char::is_whitespace).ok_or_else(|| plain("it has no key"))?;
    let rest = rest.trim_start();
    let (options, key) = match rest.find("ssh-") {
        Some(0) => ("", rest),
        Some(at) => rest.split_at(at),
        None => return Err(plain("it has no ssh-ed25519 key")),
    };
    let key = PublicKey::from_openssh(key).map_err(|error| ("its key cannot be used".to_owned(), Some(error)))?;
    // OpenSSH excludes whom such a pattern fits: taken for a name, it would widen the line.
    if principal.split(',').any(|name| name.trim_matches('"').starts_with('!')) {
        return Err(plain("it has a principal with `!`, which is not supported"));
    }
    let mut trusted = TrustedKey::new(key, principal.trim_matches('"'), origin);
    let mut seen = Vec::new();
    for option in split_options(options.trim()) {
        let (name, value) = read_option(option)?;
        if seen.contains(&name) {
            return Err(plain(&format!("its option `{name}` is given twice")));
        }
        apply_option(&mut trusted, &name, value)?;
        seen.push(name);
    }
    Ok(trusted)
}

fn plain(reason: &str) -> LineError {
    (reason.to_owned(), None)
}

/// Takes `name="value"` apart; the quotes may be missing, but not one of them.
fn read_option(option: &str) -> Result<(String, &str), LineError> {
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
    if value.contains('"') {
        return Err(plain(&format!("its option `{name}` has a quote too few or too many")));
    }
    Ok((name.to_ascii_lowercase(), value))
}

fn apply_option(key: &mut TrustedKey, name: &str, value: &str) -> Result<(), LineError> {
    match name {
        "namespaces" => {
            // OpenSSH takes patterns here, and a negated one excludes: one that is passed over would widen the line.
            if value.contains(['!', '*', '?']) {
                return Err(plain("its option `namespaces` has a pattern, which is not supported"));
            }
            key.namespaces = value.split(',').map(|name| name.trim().to_owned()).collect();
        }
        "valid-after" => key.valid_after = Some(parse_time(value)?),
        "valid-before" => key.valid_before = Some(parse_time(value)?),
        _ => return Err(plain(&format!("its option `{name}` is not supported"))),
    }
    Ok(())
}

/// Splits options at commas outside quotes.
fn split_options(text: &str) -> Vec<&str> {
    let mut quoted = false;
    text.split(|c| {
        quoted ^= c == '"';
        c == ',' && !quoted
    })
    .map(str::trim)
    .filter(|option| !option.is_empty())
    .collect()
}

/// Reads `YYYYMMDD[HHMM[SS]]` with a final `Z`. Local times are refused: the same file would mean another thing on
/// another machine.
fn parse_time(text: &str) -> Result<Timestamp, LineError> {
    let wrong = || plain(&format!("`{text}` is not a time like 20260317Z or 20260317014108Z (in UTC, with its Z)"));
    let digits = text.strip_suffix(['Z', 'z']).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    let full = match digits {
        Some(date) if date.len() == 8 => format!("{date}000000"),
        Some(minutes) if minutes.len() == 12 => format!("{minutes}00"),
        Some(seconds) if seconds.len() == 14 => seconds.to_owned(),
        _ => return Err(wrong()),
    };
    let part = |from: usize, to: usize| &full[from..to];
    let (date, time) = (
        format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8)),
        format!("{}:{}:{}", part(8, 10), part(10, 12), part(12, 14)),
    );
    format!("{date}T{time}Z").parse().map_err(|_| wrong())
}
