//! `rye/file-system/read`: a file, or some lines of it.

use std::ops::Range;

use serde_json::{Value, json};

use super::parameters::Parameters;
use super::private_key::holds_private_key;
use crate::capability::ProjectPath;
use crate::error::with_causes;
use crate::redact::Redactor;
use crate::workspace::{FileContent, ProjectDir};

/// The most bytes one read returns.
const MAX_READ_BYTES: usize = 256 * 1024;

/// The largest file of which some lines are read, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file from its beginning, or the lines that the call names.
pub(super) fn read(
    project: &ProjectDir,
    path: &ProjectPath,
    parameters: Parameters<'_>,
    secrets: &Redactor,
) -> Result<Value, String> {
    let (first, count) = (parameters.number("offset"), parameters.number("limit"));
    project.check_no_repository(path).map_err(|error| with_causes(&error))?;
    let has_range = first.is_some() || count.is_some();
    // What lies behind the part decides what is a secret in it.
    let most = if has_range { MAX_FILE_BYTES } else { (MAX_READ_BYTES + secrets.reach()) as u64 };
    let content = project.read(path, most).map_err(|error| with_causes(&error))?;
    let mut result = json!({"path": path});
    let shown = if has_range {
        if holds_private_key(&content.bytes) {
            return Err(format!("`{path}` holds a private key: read it without `offset` and `limit`"));
        }
        let lines = lines(&content.bytes, first.unwrap_or(1).max(1), count.unwrap_or(usize::MAX));
        let lines = lines.map_err(|of| match content.truncated {
            true => format!("only the first {MAX_FILE_BYTES} bytes of a file are read by lines, which are {of} here"),
            false => format!("the file has {of} lines: `offset` is behind its end"),
        })?;
        result["first_line"] = json!(lines.first);
        result["last_line"] = json!(lines.last);
        // Of a file that is longer than the part that was read, this is not known.
        result["lines"] = if content.truncated { Value::Null } else { json!(lines.of) };
        let is_cut = lines.is_cut || (content.truncated && lines.last == lines.of);
        Shown { is_cut, ..shown(&content, lines.from..lines.end, secrets) }
    } else {
        let end = content.bytes.len().min(MAX_READ_BYTES);
        shown(&content, 0..whole_characters(&content.bytes, 0, end), secrets)
    };
    result["content"] = json!(shown.text);
    result["bytes"] = json!(shown.bytes);
    result["truncated"] = json!(shown.is_cut);
    if shown.is_lossy {
        // Written back, this text would not be the file again: the reader must know.
        result["lossy"] = json!(true);
    }
    Ok(result)
}

/// The part of a file that is shown.
struct Shown {
    text: String,
    /// How many bytes of the file it is made of.
    bytes: usize,
    is_cut: bool,
    is_lossy: bool,
}

/// Shows a part of a file, which begins with a line, redacted with what is around it.
fn shown(content: &FileContent, part: Range<usize>, secrets: &Redactor) -> Shown {
    let bytes = &content.bytes[part.clone()];
    let is_lossy = std::str::from_utf8(bytes).is_err();
    let is_cut = content.truncated || part.end < content.bytes.len();
    let text = if secrets.looks() {
        let reach = secrets.reach();
        let before = part.start - part.start.saturating_sub(reach);
        let around = &content.bytes[part.start - before..content.bytes.len().min(part.end + reach)];
        let is_around_cut = content.truncated || part.end + reach < content.bytes.len();
        let newlines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
        let redacted = secrets.redacted_bytes(around, is_around_cut);
        let (first, count) = (newlines(&around[..before]), newlines(bytes));
        let is_in_line = !bytes.ends_with(b"\n");
        let lines = redacted.lines(first, count + usize::from(is_in_line));
        let whole = if is_in_line && is_cut { lines.beginning(bytes.len()) } else { lines.as_str() };
        whole.to_owned()
    } else {
        String::from_utf8_lossy(bytes).into_owned()
    };
    Shown { text, bytes: bytes.len(), is_cut, is_lossy }
}

/// Returns the end of a part of a text that does not lie within a character.
fn whole_characters(text: &[u8], from: usize, mut end: usize) -> usize {
    while end > from && text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    end
}

/// Some lines of a text.
struct Lines {
    /// Where in the text they begin and end.
    from: usize,
    end: usize,
    /// The numbers of the first and the last, counted from 1.
    first: usize,
    last: usize,
    /// How many the text has.
    of: usize,
    /// Whether there were too many bytes.
    is_cut: bool,
}

/// Returns lines of a text, or how many it has where there are fewer.
fn lines(text: &[u8], first: usize, count: usize) -> Result<Lines, usize> {
    if text.is_empty() && first == 1 {
        return Ok(Lines { from: 0, end: 0, first: 1, last: 0, of: 0, is_cut: false });
    }
    let ends = || text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(ends()).filter(|at| *at < text.len()).collect();
    let Some(from) = starts.get(first - 1).copied() else {
        return Err(starts.len());
    };
    let end_of = |number: usize| starts.get(number).copied().unwrap_or(text.len());
    let mut last = first.saturating_add(count.max(1)).saturating_sub(1).min(starts.len());
    let wanted = last;
    while end_of(last) - from > MAX_READ_BYTES && last > first {
        last -= 1;
    }
    let end = whole_characters(text, from, end_of(last).min(from + MAX_READ_BYTES));
    let is_cut = last < wanted || end < end_of(last);
    Ok(Lines { from, end, first, last, of: starts.len(), is_cut })
}
