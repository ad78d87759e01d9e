//! The door to YAML: one document, bounded, into a JSON value.
//!
//! Repeated keys, merge keys and aliases beyond a few are refused; only `true` and `false` are booleans.

use serde_json::Value;

use crate::format::Span;

/// Why a text is not YAML of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::format) struct YamlFault {
    /// Where, as an offset into the text that was given.
    pub(in crate::format) span: Span,
    /// The fault.
    pub(in crate::format) message: String,
    /// How to mend it.
    pub(in crate::format) hint: &'static str,
}

/// Reads one YAML document.
pub(in crate::format) fn parse(text: &str) -> Result<Value, YamlFault> {
    serde_saphyr::from_str_with_options(text, options()).map_err(|error| explain(&error, text))
}

fn options() -> serde_saphyr::Options {
    use serde_saphyr::options::{DuplicateKeyPolicy, MergeKeyPolicy};
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_depth: 64,
            max_documents: 1,
            max_aliases: 64,
            max_anchors: 64,
            max_nodes: 100_000,
            max_total_scalar_bytes: 2 * 1024 * 1024,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 10_000,
            max_replay_stack_depth: 8,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
    }
}

fn explain(error: &serde_saphyr::Error, text: &str) -> YamlFault {
    let error = error.without_snippet();
    let start = error.location().map_or(0, |place| start_of(text, place.line(), place.column()));
    let (message, hint) = in_words(error);
    YamlFault { span: Span::new(start, (start + 1).min(text.len())), message, hint }
}

/// Says what is wrong; names of the reader's own settings are replaced by ours.
fn in_words(error: &serde_saphyr::Error) -> (String, &'static str) {
    use serde_saphyr::Error;
    match error {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            (format!("the key `{}` appears twice", key.chars().take(40).collect::<String>()), "keep one of them")
        }
        Error::DuplicateMappingKey { .. } => ("a key appears twice".to_owned(), "keep one of them"),
        Error::MergeKeyNotAllowed { .. } => {
            ("merge keys (`<<`) are not read".to_owned(), "write the keys out where they belong")
        }
        Error::MultipleDocuments { .. } => {
            ("a second document follows the first".to_owned(), "keep one; `---` begins another")
        }
        Error::Budget { .. }
        | Error::AliasReplayLimitExceeded { .. }
        | Error::AliasExpansionLimitExceeded { .. }
        | Error::AliasReplayStackDepthExceeded { .. } => {
            let message = "it is nested too deep, or has too many values or aliases";
            (message.to_owned(), "flatten it, and write out the values of aliases")
        }
        other => {
            let full = other.to_string();
            let message = full.lines().next().unwrap_or("").trim_start_matches("error: ");
            // The place is told by the finding itself.
            let message = message.split(" at line ").next().unwrap_or(message).trim_end_matches([':', ' ']);
            (message.to_owned(), "mend the line; quote texts that hold `: ` or `#`")
        }
    }
}

/// Returns the offset of a line and column, both from 1; the column counts characters.
fn start_of(text: &str, line: u64, column: u64) -> usize {
    let skip = |count: u64| usize::try_from(count.saturating_sub(1)).unwrap_or(usize::MAX);
    let line_start: usize = text.split_inclusive('\n').take(skip(line)).map(str::len).sum();
    let within = text[line_start..].chars().take(skip(column)).map(char::len_utf8).sum::<usize>();
    line_start + within
}
