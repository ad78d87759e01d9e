//! `rye/file-system/read`: a file, or some lines of it.

use serde_json::{Value, json};

use super::parameters::Parameters;
use super::private_key::holds_private_key;
use crate::capability::ProjectPath;
use crate::error::with_causes;
use crate::workspace::ProjectDir;

/// The most bytes one read returns.
const MAX_READ_BYTES: usize = 256 * 1024;

/// The largest file of which some lines are read, in bytes.
const MAX_FILE_BYTES: u64 = 16 * 1024 * 1024;

/// Reads a file from its beginning, or the lines that the call names.
pub(super) fn read(project: &ProjectDir, path: &ProjectPath, parameters: Parameters<'_>) -> Result<Value, String> {
    let (first, count) = (parameters.number("offset"), parameters.number("limit"));
    project.check_no_repository(path).map_err(|error| with_causes(&error))?;
    let has_range = first.is_some() || count.is_some();
    let most = if has_range { MAX_FILE_BYTES } else { MAX_READ_BYTES as u64 };
    let content = project.read(path, most).map_err(|error| with_causes(&error))?;
    let mut result = json!({"path": path});
    let (bytes, truncated) = if has_range {
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
        (lines.bytes, lines.is_cut || (content.truncated && lines.last == lines.of))
    } else {
        (&content.bytes[..], content.truncated)
    };
    let text = String::from_utf8_lossy(bytes).into_owned();
    result["content"] = json!(text);
    result["bytes"] = json!(bytes.len());
    result["truncated"] = json!(truncated);
    if std::str::from_utf8(bytes).is_err() {
        // Written back, this text would not be the file again: the reader must know.
        result["lossy"] = json!(true);
    }
    Ok(result)
}

/// Some lines of a text.
struct Lines<'t> {
    bytes: &'t [u8],
    /// The numbers of the first and the last, counted from 1.
    first: usize,
    last: usize,
    /// How many the text has.
    of: usize,
    /// Whether there were too many bytes.
    is_cut: bool,
}

/// Returns lines of a text, or how many it has where there are fewer.
fn lines(text: &[u8], first: usize, count: usize) -> Result<Lines<'_>, usize> {
    if text.is_empty() && first == 1 {
        return Ok(Lines { bytes: text, first: 1, last: 0, of: 0, is_cut: false });
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
    let mut end = end_of(last).min(from + MAX_READ_BYTES);
    // Not within a character.
    while end > from && text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
        end -= 1;
    }
    let is_cut = last < wanted || end < end_of(last);
    Ok(Lines { bytes: &text[from..end], first, last, of: starts.len(), is_cut })
}
