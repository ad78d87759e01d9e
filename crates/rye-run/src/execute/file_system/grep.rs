//! `rye/file-system/grep`: the lines of files that match a regular expression, by ripgrep's own search.

use std::fmt::Write as _;
use std::io::{self, Read};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch,
};
use serde_json::{Value, json};

use super::glob::Pattern;
use super::parameters::Parameters;
use super::private_key::holds_private_key;
use super::walk::{Seen, Walk};
use crate::capability::ProjectPath;
use crate::error::with_causes;
use crate::redact::Redactor;
use crate::workspace::Error;

/// The most lines one call returns, and how many without a word about it.
const MAX_LINES: usize = 1000;
const USUAL_LINES: usize = 200;

/// After so many bytes no further file is looked into.
const MAX_BYTES: usize = 256 * 1024;

/// The most lines around each.
const MAX_CONTEXT: usize = 10;

/// The longest line that is shown whole, in bytes.
const MAX_LINE_BYTES: usize = 400;

/// The largest pattern, compiled, and the most memory that a search takes besides, in bytes.
const MAX_PATTERN: usize = 1024 * 1024;
const MAX_MEMORY: usize = 16 * 1024 * 1024;

/// How much is searched between two looks at the time, in bytes.
const PIECE: usize = 16 * 1024;

/// The largest file that is looked into, in bytes.
const MAX_FILE_BYTES: u64 = 8 * 1024 * 1024;

/// Looks for lines in the files of a folder, or in one file.
///
/// `is_over` says why it is to stop, if it is: it is asked again and again, as a pattern may take long.
pub(super) fn grep(
    walk: &Walk<'_>,
    from: &ProjectPath,
    parameters: Parameters<'_>,
    secrets: &Redactor,
    is_over: &dyn Fn() -> Option<String>,
) -> Result<Value, String> {
    let matcher = matcher(parameters)?;
    let pattern = parameters.0.get("glob").and_then(Value::as_str).map(Pattern::parse).transpose()?;
    let most = parameters.number("limit").unwrap_or(USUAL_LINES).clamp(1, MAX_LINES);
    let context = parameters.number("context").unwrap_or_default().min(MAX_CONTEXT);
    let mut searcher = SearcherBuilder::new()
        .binary_detection(BinaryDetection::quit(0))
        .before_context(context)
        .after_context(context)
        .build();
    let (mut left, mut found, mut too_large, mut with_keys, mut bytes) = (most, Vec::new(), 0, 0, 0);
    let seen = seen(walk, from)?;
    let fitting = seen.files.iter().filter(|path| pattern.as_ref().is_none_or(|pattern| pattern.fits(from, path)));
    let mut is_cut = seen.is_cut;
    for path in fitting {
        if let Some(reason) = is_over() {
            return Err(reason);
        }
        // A file that is gone, or may not be opened, has no lines.
        let Ok(content) = walk.project.read(path, MAX_FILE_BYTES) else { continue };
        if content.truncated {
            too_large += 1;
            continue;
        }
        if holds_private_key(&content.bytes) {
            with_keys += 1;
            continue;
        }
        let search = |bytes: &[u8]| {
            let mut lines = Lines { secrets, left, is_cut: false, text: String::new(), matched: 0 };
            let searched = searcher.search_reader(&matcher, Watched { bytes, is_over }, &mut lines);
            searched.map(|()| lines).map_err(|error| error.to_string())
        };
        let lines = found_in(&content.bytes, secrets, search)?;
        if lines.matched > 0 {
            left -= lines.matched;
            bytes += lines.text.len();
            found.push(json!({"path": path, "lines": lines.text}));
        }
        if lines.is_cut || bytes > MAX_BYTES {
            is_cut = true;
            break;
        }
    }
    let mut result = json!({"files": found, "matched_lines": most - left, "truncated": is_cut});
    if too_large > 0 {
        result["files_too_large"] = json!(too_large);
    }
    if with_keys > 0 {
        result["files_with_private_keys"] = json!(with_keys);
    }
    Ok(result)
}

/// Searches a text, and what is found in it once more without its secrets: what a pattern finds in a secret would tell the secret,
/// letter by letter.
fn found_in<'s>(
    text: &[u8],
    secrets: &Redactor,
    mut search: impl FnMut(&[u8]) -> Result<Lines<'s>, String>,
) -> Result<Lines<'s>, String> {
    let lines = search(text)?;
    match lines.matched > 0 && secrets.looks() {
        true => search(secrets.redacted_bytes(text, false).as_str().as_bytes()),
        false => Ok(lines),
    }
}

/// Returns the files of a folder, or the one file that is named.
fn seen(walk: &Walk<'_>, from: &ProjectPath) -> Result<Seen, String> {
    match walk.project.entries(from) {
        // A file that is named has to be one that can be read.
        Err(Error::NotDirectory { .. }) => {
            walk.project.check_no_repository(from).map_err(|error| with_causes(&error))?;
            walk.project.read(from, 0).map_err(|error| with_causes(&error))?;
            Ok(Seen { files: vec![from.clone()], is_cut: false })
        }
        Ok(_) | Err(_) => walk.files(from),
    }
}

fn matcher(parameters: Parameters<'_>) -> Result<RegexMatcher, String> {
    let pattern = parameters.text("pattern")?;
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(parameters.flag("ignore_case")).size_limit(MAX_PATTERN).dfa_size_limit(MAX_MEMORY);
    builder.line_terminator(Some(b'\n')).build(pattern).map_err(|error| {
        let error = error.to_string();
        let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
        format!("`pattern` is not a regular expression that can be searched for: {reason}")
    })
}

/// A file's bytes, read until the search is over.
struct Watched<'s> {
    bytes: &'s [u8],
    is_over: &'s dyn Fn() -> Option<String>,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match (self.is_over)() {
            Some(reason) => Err(io::Error::other(reason)),
            None => {
                let most = into.len().min(PIECE);
                self.bytes.read(&mut into[..most])
            }
        }
    }
}

/// The lines of one file, as `grep -n` prints them.
struct Lines<'s> {
    secrets: &'s Redactor,
    left: usize,
    is_cut: bool,
    text: String,
    matched: usize,
}

impl Lines<'_> {
    fn line(&mut self, number: Option<u64>, mark: char, bytes: &[u8]) {
        let line = self.secrets.redacted_bytes(bytes.trim_ascii_end(), false);
        let shown = line.beginning(MAX_LINE_BYTES);
        let cut = if shown.len() < line.as_str().len() { "…" } else { "" };
        // A text is written without failure.
        let _ = writeln!(self.text, "{}{mark}{shown}{cut}", number.unwrap_or_default());
    }
}

impl Sink for &mut Lines<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        if self.matched == self.left {
            self.is_cut = true;
            return Ok(false);
        }
        self.matched += 1;
        self.line(found.line_number(), ':', found.bytes());
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        match found.kind() {
            SinkContextKind::Before | SinkContextKind::After | SinkContextKind::Other => {
                self.line(found.line_number(), '-', found.bytes());
            }
        }
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> io::Result<bool> {
        self.text.push_str("--\n");
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, end: &SinkFinish) -> io::Result<()> {
        if end.binary_byte_offset().is_some() {
            // A file with a zero byte is not text.
            self.text.clear();
            self.matched = 0;
        }
        Ok(())
    }
}
