//! `rye/file-system/edit`: a text in a file is replaced by another one, exactly.

use serde_json::{Value, json};

use super::parameters::Parameters;
use super::private_key::holds_private_key;
use crate::capability::ProjectPath;
use crate::context::Context;
use crate::error::with_causes;
use crate::format::unified_diff;
use crate::redact::Redactor;
use crate::sign::remember_written;
use crate::workspace::ProjectDir;

/// The largest file that is edited, in bytes.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// The longest diff that is returned, in bytes.
const MAX_DIFF_BYTES: usize = 32 * 1024;

/// How many lines are compared with others at most, to say where a text nearly is.
const MAX_COMPARED: usize = 2_000_000;
const EXACTLY: &str = "`old` is not in the file: read it, and give the text exactly as it is there";

/// How many places are named, where there are too many.
const NAMED: usize = 8;

/// Replaces a text that must be in the file once, or every one of several. The file must be as it was read meanwhile.
pub(super) fn edit(
    ctx: &Context,
    project: &ProjectDir,
    path: &ProjectPath,
    parameters: Parameters<'_>,
    secrets: &Redactor,
) -> Result<Value, String> {
    let (old, new) = (parameters.text("old")?, parameters.text("new")?);
    let said = |error: &crate::workspace::Error| with_causes(error);
    project.check_no_repository(path).map_err(|error| said(&error))?;
    let content = project.read(path, MAX_FILE_BYTES).map_err(|error| said(&error))?;
    if content.truncated {
        return Err(format!("`{path}` is larger than {MAX_FILE_BYTES} bytes: it cannot be edited"));
    }
    let before = String::from_utf8(content.bytes)
        .map_err(|_| format!("`{path}` is not UTF-8: it cannot be edited without changing other parts of it"))?;
    let (after, replaced) = replaced(&before, old, new, parameters.flag("all"))?;
    remember_written(ctx, path.as_str(), after.as_bytes()).map_err(|error| with_causes(&error))?;
    project.replace(path, before.as_bytes(), after.as_bytes()).map_err(|error| said(&error))?;
    let mut result = json!({"success": true, "path": path, "replaced": replaced, "bytes_written": after.len()});
    if holds_private_key(before.as_bytes()) {
        return Ok(result);
    }
    // A diff shows parts of both texts, each line with a letter before it.
    let (before, after) = (secrets.redacted(before), secrets.redacted(after));
    let diff = unified_diff(&format!("a/{path}"), &format!("b/{path}"), before.as_str(), after.as_str());
    let diff = secrets.redacted(diff);
    result["diff"] = json!(diff.beginning(MAX_DIFF_BYTES));
    if diff.as_str().len() > MAX_DIFF_BYTES {
        result["diff_truncated"] = json!(true);
    }
    Ok(result)
}

/// Returns the text with the replacement, and how many there were.
fn replaced(before: &str, old: &str, new: &str, all: bool) -> Result<(String, usize), String> {
    if old.is_empty() {
        return Err("`old` is empty: to write a whole file, call `rye/file-system/write`".to_owned());
    }
    if old == new {
        return Err("`old` and `new` are the same".to_owned());
    }
    // Readers of a file with CRLF often write its lines with LF.
    let has_crlf = before.contains("\r\n") && !before.replace("\r\n", "").contains('\n');
    let in_its_ends = |text: &str| {
        if has_crlf { text.replace("\r\n", "\n").replace('\n', "\r\n") } else { text.to_owned() }
    };
    let (old, new) = (in_its_ends(old), in_its_ends(new));
    match before.matches(&old).count() {
        0 => Err(missing(before, &old)),
        count if (all || count == 1) && grown(before, &old, &new, count) > MAX_FILE_BYTES => {
            Err(format!("the file would be larger than {MAX_FILE_BYTES} bytes: nothing was replaced"))
        }
        1 => Ok((before.replacen(&old, &new, 1), 1)),
        count if all => Ok((before.replace(&old, &new), count)),
        count => {
            let first = before.match_indices(&old).take(NAMED);
            let named: Vec<String> = first.map(|(at, _)| line_of(before, at).to_string()).collect();
            let more = if count > NAMED { " and more" } else { "" };
            let lines = named.join(", ");
            Err(format!(
                "`old` is in the file {count} times, at the lines {lines}{more}: give more of the text around the one that is \
                 meant, or set `all`"
            ))
        }
    }
}

/// How many bytes a text has with so many replacements.
fn grown(before: &str, old: &str, new: &str, count: usize) -> u64 {
    let more = new.len().saturating_sub(old.len()).saturating_mul(count);
    before.len().saturating_add(more) as u64
}

/// Says that a text is not there, and where one is that differs in white space alone.
fn missing(before: &str, old: &str) -> String {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let wanted: Vec<String> = old.lines().map(plain).filter(|line| !line.is_empty()).collect();
    let lines: Vec<(usize, String)> =
        (1..).zip(before.lines().map(plain)).filter(|(_, line)| !line.is_empty()).collect();
    if lines.len().saturating_mul(wanted.len()) > MAX_COMPARED {
        return EXACTLY.to_owned();
    }
    let is_here = |window: &&[(usize, String)]| window.iter().map(|(_, line)| line).eq(&wanted);
    if let Some(first) = wanted.first() {
        if let Some(window) = lines.windows(wanted.len()).find(is_here) {
            return format!(
                "`old` is not in the file as it is written; what begins at line {} differs from it in white space alone: read \
                 those lines and give them exactly",
                window[0].0
            );
        }
        if let Some((number, _)) = lines.iter().find(|(_, line)| line == first) {
            return format!(
                "`old` is not in the file; its first line is there, at line {number}: read the lines from there"
            );
        }
    }
    EXACTLY.to_owned()
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}
