//! The scripted file: JSON Lines, one turn per line.
//!
//! ```text
//! # a comment
//! {"text"?, "reasoning"?, "calls": [{"name", "input"?, "call_id"?}]?, "usage": {"input_tokens", "output_tokens"}?,
//!  "stop": "end_turn"|"tool_use"|"max_tokens"?, "expect": {"contains"?, "system_contains"?, "tools"?}?}
//! ```
//!
//! Blank lines and lines that begin with `#` are skipped. Unlike in the contract's payloads, an unknown field is an
//! error here: in a test it is a typing mistake. The whole file is read for every turn, so a mistake shows at once.

use rye_plugin_abi::Failure;
use rye_plugin_abi::provider::{EncodeRequest, StopReason, Usage};
use serde::Deserialize;
use serde_json::Value;

/// What one line says the model does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Turn {
    pub(crate) text: Option<String>,
    pub(crate) reasoning: Option<String>,
    #[serde(default)]
    pub(crate) calls: Vec<Call>,
    #[serde(default)]
    pub(crate) usage: Usage,
    pub(crate) stop: Option<StopReason>,
    #[serde(default)]
    pub(crate) expect: Expect,
}

/// A tool the turn calls.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Call {
    pub(crate) name: String,
    #[serde(default = "no_parameters")]
    pub(crate) input: Value,
    pub(crate) call_id: Option<String>,
}

fn no_parameters() -> Value {
    Value::Object(serde_json::Map::new())
}

/// What the turn demands of its request.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expect {
    /// Texts that occur in the messages, serialised as JSON.
    contains: Vec<String>,
    /// Texts that occur in the system prompt.
    system_contains: Vec<String>,
    /// Names of tools that are offered.
    tools: Vec<String>,
}

impl Expect {
    /// Checks a request against what its turn demands.
    pub(crate) fn check(&self, request: &EncodeRequest, turn: usize) -> Result<(), Failure> {
        let messages = serde_json::to_string(&request.messages).unwrap_or_default();
        let offered = |name: &String| request.tools.iter().any(|tool| tool.name == *name);
        missing(&self.contains, |text| messages.contains(text), turn, "the messages contain")?;
        missing(&self.system_contains, |text| request.system.contains(text), turn, "the system prompt contains")?;
        missing(&self.tools, offered, turn, "the request offers the tool")
    }
}

fn missing(wanted: &[String], holds: impl Fn(&String) -> bool, turn: usize, what: &str) -> Result<(), Failure> {
    match wanted.iter().find(|&text| !holds(text)) {
        None => Ok(()),
        Some(text) => Err(Failure::new("expectation", format!("turn {turn} expects that {what} `{text}`"))),
    }
}

/// Reads all turns of a script.
///
/// # Errors
///
/// Code `script`, naming the first malformed line, counted from 1.
pub(crate) fn parse(script: &str) -> Result<Vec<Turn>, Failure> {
    let lines = script.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .map(|(number, line)| turn(number, line))
        .collect()
}

fn turn(number: usize, line: &str) -> Result<Turn, Failure> {
    serde_json::from_str(line)
        .map_err(|problem| Failure::new("script", format!("line {number} of the script is not a turn: {problem}")))
}
