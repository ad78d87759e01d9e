//! What the `config` of a command tool says.

use rye_plugin_abi::Failure;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::{Parameters, named};

/// The most seconds that a tool can ask for.
const LONGEST: u64 = 3600;

/// A tool's `config`.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) command: Command,
    pub(crate) stdin: Option<String>,
    pub(crate) folder: Option<String>,
    timeout: Option<Value>,
    pub(crate) ok: Vec<i32>,
    pub(crate) output: Output,
}

/// Where the command line comes from.
#[derive(Debug)]
pub(crate) enum Command {
    /// From the tool, with places for parameters.
    Words(Vec<Word>),
    /// From a parameter: a list of texts.
    Parameter(String),
}

/// One word of a command line, or several that depend on a parameter.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Word {
    /// A word with places for parameters.
    Text(String),
    /// Words that are left out unless a parameter is given and not `false`.
    When(When),
}

/// Words that depend on a parameter.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct When {
    pub(crate) when: String,
    pub(crate) words: Vec<String>,
}

/// What standard output is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Output {
    /// Text.
    #[default]
    Text,
    /// A JSON document, which is the result.
    Json,
    /// Text of a test runner, which tells how many tests ran.
    Tests,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    command: Option<Vec<Word>>,
    argv: Option<String>,
    stdin: Option<String>,
    folder: Option<String>,
    timeout: Option<Value>,
    ok: Option<Vec<i32>>,
    #[serde(default)]
    output: Output,
}

impl Config {
    /// Reads it from a tool's header.
    pub(crate) fn of(header: &Value) -> Result<Self, Failure> {
        let config = header.get("config").cloned().unwrap_or_default();
        if config.is_null() {
            return Err(wrong("it has no `config` with a `command`"));
        }
        let keys: Keys = serde_json::from_value(config).map_err(|error| wrong(&format!("`config`: {error}")))?;
        let command = match (keys.command, keys.argv) {
            (Some(words), None) if words.is_empty() => return Err(wrong("`config.command` is empty")),
            (Some(words), None) => Command::Words(words),
            (None, Some(name)) => Command::Parameter(name),
            (Some(_), Some(_)) => return Err(wrong("`config` has both `command` and `argv`")),
            (None, None) => return Err(wrong("`config` has neither `command` nor `argv`")),
        };
        if let Command::Words(words) = &command
            && !matches!(words.first(), Some(Word::Text(program)) if !program.contains(['{', '}']))
        {
            return Err(wrong("the first word of `config.command` is not the name of a program"));
        }
        let config = Self {
            command,
            stdin: keys.stdin,
            folder: keys.folder,
            timeout: keys.timeout,
            ok: keys.ok.unwrap_or_else(|| vec![0]),
            output: keys.output,
        };
        config.check(header)?;
        Ok(config)
    }

    /// Checks that what it names is a parameter of the tool, where the tool's schema lists them.
    fn check(&self, header: &Value) -> Result<(), Failure> {
        let Some(properties) = header["schema"].get("properties").and_then(Value::as_object) else { return Ok(()) };
        // Under a key of their own, they have other names.
        if header["params_key"].is_string() {
            return Ok(());
        }
        let known = |name: &str| match properties.contains_key(name) || header["fixed_params"].get(name).is_some() {
            true => Ok(()),
            false => Err(wrong(&format!("`config` names the parameter `{name}`, which `parameters` does not list"))),
        };
        let mut texts: Vec<&str> = self.stdin.iter().chain(&self.folder).map(String::as_str).collect();
        texts.extend(self.timeout.as_ref().and_then(Value::as_str));
        match &self.command {
            Command::Parameter(name) => known(name)?,
            Command::Words(words) => {
                for word in words {
                    match word {
                        Word::Text(text) => texts.push(text),
                        Word::When(when) => {
                            known(&when.when)?;
                            texts.extend(when.words.iter().map(String::as_str));
                        }
                    }
                }
            }
        }
        texts.into_iter().try_for_each(|text| named(text)?.into_iter().try_for_each(known))
    }

    /// Returns how many seconds a call may take, if the tool says.
    pub(crate) fn timeout(&self, parameters: &Parameters<'_>) -> Result<Option<u64>, Failure> {
        let told = match &self.timeout {
            None => return Ok(None),
            Some(Value::String(text)) => match parameters.filled(text)? {
                None => return Ok(None),
                Some(text) => text.parse().ok(),
            },
            Some(number) => number.as_u64(),
        };
        match told {
            Some(seconds) if (1..=LONGEST).contains(&seconds) => Ok(Some(seconds)),
            Some(_) | None => Err(wrong(&format!("its `timeout` is not a number of seconds from 1 to {LONGEST}"))),
        }
    }
}

pub(crate) fn wrong(message: &str) -> Failure {
    Failure::new("config", message)
}
