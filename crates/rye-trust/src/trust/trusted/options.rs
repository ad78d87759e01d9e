//! The options of a line of allowed_signers: the uses of a key, and when it is valid.

use std::fmt;

use crate::id::{Timestamp, Zone};
use crate::trust::TrustedKey;

/// What a line says beyond who holds which key.
#[derive(Debug, Default)]
pub(super) struct Options {
    /// Patterns of uses; none without the option.
    pub(super) namespaces: Option<Vec<String>>,
    pub(super) valid_after: Option<Timestamp>,
    pub(super) valid_before: Option<Timestamp>,
}

impl Options {
    /// Returns the options of a decision.
    pub(super) fn of(key: &TrustedKey) -> Self {
        let namespaces = (!key.namespaces.is_empty()).then(|| key.namespaces.clone());
        Self { namespaces, valid_after: key.valid_after, valid_before: key.valid_before }
    }

    /// Reads options by OpenSSH's rules: separated by commas, values in quotes, each at most once. `zone` is that of times which
    /// name none.
    pub(super) fn parse(text: &str, zone: &Zone) -> Result<Self, String> {
        let (mut options, mut rest) = (Self::default(), text);
        loop {
            rest = options.take(rest, zone)?;
            match rest.strip_prefix(',') {
                Some("") => return Err("its options end with a comma".to_owned()),
                Some(more) => rest = more,
                None if rest.is_empty() => break,
                None => return Err(format!("its option `{}` is not supported", name_of(rest))),
            }
        }
        match (options.valid_after, options.valid_before) {
            (Some(after), Some(before)) if before <= after => Err("its validity ends before it begins".to_owned()),
            _ => Ok(options),
        }
    }

    /// Takes one option from the beginning of a text, and returns the rest. An empty one says nothing.
    fn take<'t>(&mut self, text: &'t str, zone: &Zone) -> Result<&'t str, String> {
        let name = name_of(text);
        let is_new = match name.to_ascii_lowercase().as_str() {
            "" => return Ok(text),
            "namespaces" => self.namespaces.is_none(),
            "valid-after" => self.valid_after.is_none(),
            "valid-before" => self.valid_before.is_none(),
            _ => return Err(format!("its option `{name}` is not supported")),
        };
        if !is_new {
            return Err(format!("its option `{name}` is given twice"));
        }
        let value = text[name.len()..].strip_prefix("=\"");
        let (value, rest) =
            value.and_then(quoted).ok_or_else(|| format!("its option `{name}` has no value in quotes"))?;
        match name.to_ascii_lowercase().as_str() {
            "namespaces" => self.namespaces = Some(value.split(',').map(str::to_owned).collect()),
            "valid-after" => self.valid_after = Some(parse_time(&value, zone)?),
            _ => self.valid_before = Some(parse_time(&value, zone)?),
        }
        Ok(rest)
    }
}

/// As on a line of the file.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |moment: Timestamp| moment.to_seconds_text().replace(['-', ':', 'T'], "");
        let escaped = |names: &Vec<String>| names.join(",").replace('"', "\\\"");
        let mut options = Vec::new();
        options.extend(self.namespaces.as_ref().map(|names| format!("namespaces=\"{}\"", escaped(names))));
        options.extend(self.valid_after.map(|moment| format!("valid-after=\"{}\"", time(moment))));
        options.extend(self.valid_before.map(|moment| format!("valid-before=\"{}\"", time(moment))));
        f.write_str(&options.join(","))
    }
}

/// Splits a text behind its options: at the first blank outside of quotes. None if a quote is not closed.
pub(super) fn rest_after_options(text: &str) -> Option<(&str, &str)> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    for (at, character) in text.char_indices() {
        match character {
            '"' if !is_escaped => is_quoted = !is_quoted,
            ' ' | '\t' if !is_quoted => return Some(text.split_at(at)),
            _ => {}
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    (!is_quoted).then_some((text, ""))
}

fn name_of(text: &str) -> &str {
    text.split([',', '=']).next().unwrap_or_default()
}

/// Reads a value up to its closing quote, and returns what follows. `\"` is a quote in it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &text[at + 1..])),
            '\\' if characters.next_if(|(_, next)| *next == '"').is_some() => value.push('"'),
            character => value.push(character),
        }
    }
    None
}

/// Reads `YYYYMMDD[HHMM[SS]]`: in UTC with a `Z` (or `UTC`), else in a time zone. OpenSSH takes no time before 1970.
fn parse_time(text: &str, zone: &Zone) -> Result<Timestamp, String> {
    let wrong = || format!("`{text}` is not a time like 20260317Z or 20260317014108Z");
    let upper = text.to_ascii_uppercase();
    let in_utc = upper.strip_suffix("UTC").or_else(|| upper.strip_suffix('Z'));
    let digits = in_utc.unwrap_or(&upper);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let full = match digits.len() {
        8 => format!("{digits}000000"),
        12 => format!("{digits}00"),
        14 => digits.to_owned(),
        _ => return Err(wrong()),
    };
    let part = |from: usize, to: usize| &full[from..to];
    let date = format!("{}-{}-{}", part(0, 4), part(4, 6), part(6, 8));
    let time = format!("{}:{}:{}", part(8, 10), part(10, 12), part(12, 14));
    let zone = if in_utc.is_some() { &Zone::default() } else { zone };
    zone.standard_time(&format!("{date}T{time}")).filter(|moment| moment.milliseconds() >= 0).ok_or_else(wrong)
}
