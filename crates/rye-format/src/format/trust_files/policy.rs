//! Reading a project's `.ai/trust/policy.toml`: strictly, since a rule that was misread would be a rule that is missing.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::id::nearest;
use crate::trust::{CommitPasses, MAX_TRUST_FILE_BYTES, PolicyError, Require, TrustPolicy};

/// The version of the format.
const FORMAT: usize = 1;
const MAX_RULES: usize = 1000;
const MAX_SIGNERS: usize = 64;

const KEYS: [&str; 5] = ["format", "root_signers", "require", "forge", "x509"];
const RULE_KEYS: [&str; 4] = ["items", "type", "signers", "principals"];

/// The fault, and its place in the text.
type Wrong = (usize, String);

/// Reads the file.
///
/// # Errors
///
/// Fails on anything that is not understood in full, with its line.
pub fn trust_policy(bytes: &[u8]) -> Result<TrustPolicy, PolicyError> {
    let at_start = |reason: String| PolicyError { line: 1, reason };
    if bytes.len() > MAX_TRUST_FILE_BYTES {
        return Err(at_start(format!("the file is larger than {MAX_TRUST_FILE_BYTES} bytes")));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| at_start("the file is not UTF-8".to_owned()))?;
    read(text, bytes).map_err(|(at, reason)| PolicyError {
        line: 1 + text.as_bytes().iter().take(at).filter(|byte| **byte == b'\n').count(),
        reason,
    })
}

fn read(text: &str, bytes: &[u8]) -> Result<TrustPolicy, Wrong> {
    let table = DeTable::parse(text)
        .map_err(|error| (error.span().map_or(0, |span| span.start), error.message().to_owned()))?
        .into_inner();
    refuse_unknown(&table, &KEYS)?;
    match value(&table, "format") {
        None => return Err((0, "`format = 1` is missing".to_owned())),
        Some(format) if number(format, "format", usize::MAX)? != FORMAT => {
            return Err((format.span().start, "`format` must be 1: the file is of another version".to_owned()));
        }
        Some(_) => {}
    }
    let root_signers = value(&table, "root_signers");
    let root_signers = root_signers.map(|found| number(found, "root_signers", MAX_SIGNERS)).transpose()?.unwrap_or(1);
    let rules = value(&table, "require").map(rules).transpose()?.unwrap_or_default();
    let passes = CommitPasses { forge: says(&table, "forge", "attests")?, x509: says(&table, "x509", "unjudged")? };
    Ok(TrustPolicy::new(root_signers, rules, bytes).with_passes(passes))
}

/// Tells whether a key has its one value; false without it.
fn says(table: &DeTable<'_>, key: &str, only: &str) -> Result<bool, Wrong> {
    match value(table, key) {
        None => Ok(false),
        Some(found) if word(found, key)? == only => Ok(true),
        Some(found) => Err((found.span().start, format!("`{key}` can only be \"{only}\""))),
    }
}

fn rules(found: &Spanned<DeValue<'_>>) -> Result<Vec<Require>, Wrong> {
    let wrong = |reason: &str| (found.span().start, reason.to_owned());
    let rules = found.get_ref().as_array().ok_or_else(|| wrong("rules are written as `[[require]]`"))?;
    if rules.len() > MAX_RULES {
        return Err(wrong(&format!("there are more than {MAX_RULES} rules")));
    }
    rules.iter().map(rule).collect()
}

fn rule(found: &Spanned<DeValue<'_>>) -> Result<Require, Wrong> {
    let at = found.span().start;
    let wrong = |reason: &str| (at, reason.to_owned());
    let table = found.get_ref().as_table().ok_or_else(|| wrong("rules are written as `[[require]]`"))?;
    refuse_unknown(table, &RULE_KEYS)?;
    let items = value(table, "items").ok_or_else(|| wrong("the rule has no `items`"))?;
    let signers = value(table, "signers").ok_or_else(|| wrong("the rule has no `signers`"))?;
    let item_type = value(table, "type").map(|found| {
        word(found, "type")?.parse().map_err(|error: crate::id::ItemTypeError| (found.span().start, error.to_string()))
    });
    let require = Require {
        item_type: item_type.transpose()?,
        pattern: pattern(items)?,
        signers: number(signers, "signers", MAX_SIGNERS)?,
        principals: value(table, "principals").map(principals).transpose()?,
    };
    if require.principals.as_ref().is_some_and(|names| names.len() < require.signers) {
        return Err((signers.span().start, "there are fewer `principals` than `signers`".to_owned()));
    }
    Ok(require)
}

/// Reads a pattern over ids. One that no id can fit would be a rule about nothing.
fn pattern(found: &Spanned<DeValue<'_>>) -> Result<String, Wrong> {
    let text = word(found, "items")?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-/*?".contains(&byte);
    if text.is_empty() || text.starts_with('/') || text.ends_with('/') || !text.bytes().all(fits) {
        let reason = format!("`{text}` fits no id: write ids with `*` and `?`, such as `deploy/*`");
        return Err((found.span().start, reason));
    }
    Ok(text.to_owned())
}

fn principals(found: &Spanned<DeValue<'_>>) -> Result<Vec<String>, Wrong> {
    let names = found.get_ref().as_array();
    let names = names.ok_or_else(|| (found.span().start, "`principals` must be a list of names".to_owned()))?;
    let mut read: Vec<String> = Vec::new();
    for name in names {
        let text = word(name, "principals")?;
        let wrong = |reason: &str| Err((name.span().start, format!("`{text}` {reason}")));
        if text.is_empty() || text.contains(|c: char| c.is_whitespace() || c.is_control() || "*?!,\"".contains(c)) {
            return wrong("is not a principal: patterns, commas, quotes and blanks are not allowed here");
        }
        if read.iter().any(|known| known == text) {
            return wrong("is named twice");
        }
        read.push(text.to_owned());
    }
    Ok(read)
}

fn value<'t, 'i>(table: &'t DeTable<'i>, key: &str) -> Option<&'t Spanned<DeValue<'i>>> {
    table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
}

fn refuse_unknown(table: &DeTable<'_>, known: &[&str]) -> Result<(), Wrong> {
    let Some(unknown) = table.keys().find(|key| !known.contains(&key.get_ref().as_ref())) else { return Ok(()) };
    let name: String = unknown.get_ref().chars().take(40).collect();
    let reason = match nearest(&name, known.iter().copied()) {
        Some(meant) => format!("`{name}` is not a known key; did you mean `{meant}`?"),
        None => format!("`{name}` is not a known key (known: {})", quoted(known)),
    };
    Err((unknown.span().start, reason))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn word<'t>(found: &'t Spanned<DeValue<'_>>, key: &str) -> Result<&'t str, Wrong> {
    found.get_ref().as_str().ok_or_else(|| (found.span().start, format!("`{key}` must be text in quotes")))
}

/// Reads a whole number from 1.
fn number(found: &Spanned<DeValue<'_>>, key: &str, most: usize) -> Result<usize, Wrong> {
    let integer = found.get_ref().as_integer().filter(|integer| integer.radix() == 10);
    let number = integer.and_then(|integer| integer.as_str().parse().ok());
    number.filter(|number| (1..=most).contains(number)).ok_or_else(|| {
        let range = if most == usize::MAX { "from 1".to_owned() } else { format!("from 1 to {most}") };
        (found.span().start, format!("`{key}` must be a whole number {range}"))
    })
}
