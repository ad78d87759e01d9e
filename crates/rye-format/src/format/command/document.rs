//! The file of a slash command: Markdown with front matter, or TOML.

use serde_json::{Map, Value};

use super::tools;
use crate::format::{reveal, skill_fields};

/// The form of a command's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommandForm {
    /// Markdown, with front matter or without.
    Markdown,
    /// TOML with `prompt` and `description`.
    Toml,
}

/// A slash command, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlashCommand {
    /// What it does; empty where it says nothing.
    pub description: String,
    /// What its arguments are.
    pub hint: String,
    /// What it asks its client to allow.
    pub allowed_tools: Vec<String>,
    /// The model that it names.
    pub model: String,
    /// Its text.
    pub body: String,
}

/// Reads the file of a command.
///
/// # Errors
///
/// Returns why it cannot be read, or why nothing can be made of it.
pub fn slash_command(form: CommandForm, bytes: &[u8]) -> Result<SlashCommand, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8")?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text).replace("\r\n", "\n");
    let command = match form {
        CommandForm::Markdown => markdown(&text)?,
        CommandForm::Toml => toml(&text)?,
    };
    let SlashCommand { description, hint, allowed_tools, model, body } = &command;
    let texts = [description, hint, model, body].into_iter().chain(allowed_tools);
    for text in texts {
        if text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\t')) {
            return Err("it has control characters".to_owned());
        }
        if reveal(text) != *text {
            return Err("it has characters that a reader does not see".to_owned());
        }
    }
    if body.trim().is_empty() { Err("it has no text".to_owned()) } else { Ok(command) }
}

fn markdown(text: &str) -> Result<SlashCommand, String> {
    let Some(below) = text.strip_prefix("---\n") else {
        return Ok(SlashCommand { body: text.trim().to_owned(), ..SlashCommand::default() });
    };
    let mut end = 0;
    let closed = below.split_inclusive('\n').find(|line| {
        end += line.len();
        line.trim_end() == "---"
    });
    if closed.is_none() {
        return Err("its front matter has no last line of `---`".to_owned());
    }
    let front = &below[..end];
    let fields =
        skill_fields(text.as_bytes()).or_else(|| line_fields(front)).ok_or("its front matter cannot be read")?;
    let allowed = fields.get("allowed-tools").or_else(|| fields.get("allowed_tools"));
    Ok(SlashCommand {
        description: field(&fields, "description"),
        hint: field(&fields, "argument-hint"),
        allowed_tools: match allowed {
            Some(Value::Array(entries)) => entries.iter().map(as_text).collect(),
            Some(value) => tools::entries(&as_text(value)),
            None => Vec::new(),
        },
        model: field(&fields, "model"),
        body: below[end..].trim().to_owned(),
    })
}

/// Reads front matter as clients do where YAML refuses it: each line is a name, a colon, and text. None for what has another form.
fn line_fields(front: &str) -> Option<Map<String, Value>> {
    let mut fields = Map::new();
    for line in front.lines().filter(|line| !line.trim().is_empty() && line.trim_end() != "---") {
        if line.starts_with('#') {
            continue;
        }
        let (name, text) = line.split_once(':')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_field = !name.is_empty() && name.bytes().all(is_name);
        let text = text.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote));
        let value = Value::String(quoted.unwrap_or(text).to_owned());
        if !is_field || fields.insert(name.to_owned(), value).is_some() {
            return None;
        }
    }
    Some(fields)
}

fn toml(text: &str) -> Result<SlashCommand, String> {
    let fields: Map<String, Value> = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    let body = fields.get("prompt").and_then(Value::as_str).ok_or("it has no `prompt`")?;
    let description = field(&fields, "description");
    Ok(SlashCommand { description, body: body.trim().to_owned(), ..SlashCommand::default() })
}

fn field(fields: &Map<String, Value>, name: &str) -> String {
    fields.get(name).map(as_text).unwrap_or_default()
}

/// Returns a value as its author meant it: `[file]`, a hint, is a list for YAML.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => format!("[{}]", values.iter().map(as_text).collect::<Vec<_>>().join(", ")),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
