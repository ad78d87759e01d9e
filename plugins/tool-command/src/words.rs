//! How the words of a command line become the arguments of one call.
//!
//! `{name}` is the text of a parameter, `{name...}` as a whole word each element of a list, `{{` and `}}` are braces. A word that
//! names a parameter which was not given is left out.

use rye_plugin_abi::Failure;
use serde_json::{Map, Value};

use super::config::{Word, wrong};

/// The longest text with parameters in their places, in bytes.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// The parameters of a call.
pub(crate) struct Parameters<'a>(Option<&'a Map<String, Value>>);

/// A part of a word.
enum Part<'a> {
    Literal(&'a str),
    Value(&'a str),
}

/// Returns the arguments of a call.
pub(crate) fn arguments(words: &[Word], parameters: &Parameters<'_>) -> Result<Vec<String>, Failure> {
    let mut arguments = Vec::new();
    for word in words {
        match word {
            Word::Text(text) => parameters.add(text, &mut arguments)?,
            Word::When(when) if parameters.is_set(&when.when) => {
                when.words.iter().try_for_each(|text| parameters.add(text, &mut arguments))?;
            }
            Word::When(_) => {}
        }
    }
    Ok(arguments)
}

impl<'a> Parameters<'a> {
    pub(crate) fn of(parameters: &'a Value) -> Self {
        Self(parameters.as_object())
    }

    /// Returns a text with parameters in their places, or nothing if one of them was not given.
    pub(crate) fn filled(&self, text: &str) -> Result<Option<String>, Failure> {
        let mut filled = String::new();
        for part in parts(text)? {
            match part {
                Part::Literal(text) => filled.push_str(text),
                Part::Value(name) => match self.text(name)? {
                    Some(value) if filled.len() + value.len() <= MOST_BYTES => filled.push_str(&value),
                    Some(_) => {
                        let message = format!("a text with `{name}` in it is longer than {MOST_BYTES} bytes");
                        return Err(Failure::new("parameters", message));
                    }
                    None => return Ok(None),
                },
            }
        }
        Ok(Some(filled))
    }

    /// Returns the texts of a parameter that is a list.
    pub(crate) fn list(&self, name: &str) -> Result<Vec<String>, Failure> {
        let not_texts = || Failure::new("parameters", format!("`{name}` is not a list of texts"));
        match self.get(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(list)) => {
                list.iter().map(|value| scalar(value).ok_or_else(not_texts)).collect::<Result<_, _>>()
            }
            Some(_) => Err(not_texts()),
        }
    }

    fn add(&self, word: &str, arguments: &mut Vec<String>) -> Result<(), Failure> {
        let ends_options = arguments.iter().any(|argument| argument == "--");
        let checked = |value: String, name: &str| match value.starts_with('-') && !ends_options {
            true => Err(Failure::new("parameters", format!("`{name}` begins with `-`, and would be an option"))),
            false => Ok(value),
        };
        if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix("...}")) {
            for value in self.list(name)? {
                arguments.push(checked(value, name)?);
            }
            return Ok(());
        }
        let Some(argument) = self.filled(word)? else { return Ok(()) };
        let argument = match parts(word)?.first() {
            Some(Part::Value(name)) => checked(argument, name)?,
            Some(Part::Literal(_)) | None => argument,
        };
        arguments.push(argument);
        Ok(())
    }

    fn is_set(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| *value != Value::Bool(false))
    }

    fn text(&self, name: &str) -> Result<Option<String>, Failure> {
        let not_text = || Failure::new("parameters", format!("`{name}` is neither text nor a number"));
        self.get(name).map(|value| scalar(value).ok_or_else(not_text)).transpose()
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.and_then(|parameters| parameters.get(name)).filter(|value| !value.is_null())
    }
}

/// The parameters that a word names.
pub(crate) fn named(word: &str) -> Result<Vec<&str>, Failure> {
    if let Some(name) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix("...}")) {
        return Ok(vec![name]);
    }
    let name = |part| match part {
        Part::Value(name) => Some(name),
        Part::Literal(_) => None,
    };
    Ok(parts(word)?.into_iter().filter_map(name).collect())
}

/// The text of a value that is one.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // An integer may be written as `1.0`.
        Value::Number(number) => match number.as_f64() {
            Some(float) if number.is_f64() && float.fract() == 0.0 => Some(format!("{float:.0}")),
            Some(_) | None => Some(value.to_string()),
        },
        Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Takes a word apart.
fn parts(word: &str) -> Result<Vec<Part<'_>>, Failure> {
    let (mut parts, mut rest) = (Vec::new(), word);
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        if !before.is_empty() {
            parts.push(Part::Literal(before));
        }
        rest = if from.starts_with("{{") || from.starts_with("}}") {
            parts.push(Part::Literal(&from[..1]));
            &from[2..]
        } else {
            let named = from.strip_prefix('{').and_then(|from| from.split_once('}'));
            let (name, after) = named.filter(|(name, _)| is_name(name)).ok_or_else(|| {
                wrong(&format!("`{word}` has a brace without a parameter's name: write `{{{{` for a brace"))
            })?;
            parts.push(Part::Value(name));
            after
        };
    }
    if !rest.is_empty() {
        parts.push(Part::Literal(rest));
    }
    Ok(parts)
}

fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !name.is_empty() && name.bytes().all(is_part)
}
