//! Header keys in the comments at the top of a file: `# version: 1.0.0`.
//!
//! Only known keys count, everything else is prose. Plain keys take the rest of the line as it is; `parameters`,
//! `schema`, `fixed_params`, `config`, `env` and `companions` are YAML, and go on over lines indented by two blanks or more.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::format::span::Findings;
use crate::format::syntax::yaml;
use crate::format::{Span, rules};
use crate::id::CommentStyle;

const PLAIN: [&str; 7] = ["version", "description", "category", "tool_type", "executor_id", "tool_id", "params_key"];
const YAML: [&str; 6] = ["parameters", "schema", "fixed_params", "config", "env", "companions"];

/// Reads the keys of the comment block that starts a file.
pub(super) fn read(
    text: &str,
    style: CommentStyle,
    findings: &mut Findings<'_>,
) -> (Map<String, Value>, BTreeMap<String, Span>) {
    let mut keys = Map::new();
    let mut places = BTreeMap::new();
    for Entry { key, value, span } in entries(text, style) {
        if keys.contains_key(key) {
            let message = format!("the header key `{key}` appears twice");
            findings.at(&rules::TOOL_REPEATED, span, message, "keep one of them");
            continue;
        }
        match value_of(key, &value) {
            Ok(value) => {
                keys.insert(key.to_owned(), value);
                places.insert(key.to_owned(), span);
            }
            Err(fault) => {
                let message = format!("`{key}` cannot be read: {fault}");
                findings.at(&rules::TOOL_VALUE, span, message, "write one line of JSON or YAML");
            }
        }
    }
    (keys, places)
}

struct Entry<'t> {
    key: &'static str,
    value: std::borrow::Cow<'t, str>,
    span: Span,
}

fn entries(text: &str, style: CommentStyle) -> Vec<Entry<'_>> {
    let mark = style.around().0.trim_end();
    let mut entries: Vec<Entry<'_>> = Vec::new();
    // Whether an indented line continues the last entry.
    let mut continues = false;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end();
        let Some(comment) = content.strip_prefix(mark) else {
            if content.is_empty() || content.starts_with("#!") {
                offset += line.len();
                continues = false;
                continue;
            }
            break;
        };
        let span = Span::new(offset, offset + content.len());
        offset += line.len();
        match (entries.last_mut().filter(|_| continues), comment.starts_with("  ")) {
            (Some(last), true) if YAML.contains(&last.key) => {
                let value = last.value.to_mut();
                value.push('\n');
                value.push_str(comment);
            }
            _ => {
                let entry = entry(comment, span);
                continues = entry.is_some();
                entries.extend(entry);
            }
        }
    }
    entries
}

fn entry(comment: &str, span: Span) -> Option<Entry<'_>> {
    let (key, value) = comment.trim_start().split_once(':')?;
    let key = PLAIN.into_iter().chain(YAML).find(|known| *known == key)?;
    Some(Entry { key, value: value.trim().into(), span })
}

fn value_of(key: &str, text: &str) -> Result<Value, String> {
    if YAML.contains(&key) {
        return yaml::parse(text).map_err(|fault| fault.message);
    }
    let quoted = |quote: char| text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
    Ok(Value::String(quoted('"').or_else(|| quoted('\'')).unwrap_or(text).to_owned()))
}
