//! Text with placeholders: `{name}` becomes a parameter, `{name.part}` a member of one, `{{name}}` the text `{name}`.
//! Any other brace is text, so that a query of GraphQL needs no escapes.

use rye_plugin_abi::Failure;
use serde_json::Value;

/// A piece of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(String),
}

/// A text with placeholders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Template(Vec<Piece>);

impl Template {
    /// Reads a text.
    pub(crate) fn read(text: &str) -> Self {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(start) = rest.find('{') {
            plain.push_str(&rest[..start]);
            rest = &rest[start..];
            if let Some((name, length)) = rest.strip_prefix('{').and_then(named).filter(|_| rest.starts_with("{{"))
                && rest[1 + length..].starts_with('}')
            {
                plain.push_str(&format!("{{{name}}}"));
                rest = &rest[length + 2..];
            } else if let Some((name, length)) = named(rest) {
                if !plain.is_empty() {
                    pieces.push(Piece::Text(std::mem::take(&mut plain)));
                }
                pieces.push(Piece::Name(name.to_owned()));
                rest = &rest[length..];
            } else {
                plain.push('{');
                rest = &rest[1..];
            }
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Self(pieces)
    }

    /// Returns the parameter that is all of it, if one is.
    pub(crate) fn alone(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Piece::Name(name)] => Some(name),
            _ => None,
        }
    }

    /// Returns the names of its parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Name(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// Fills it in. `text` changes what the template itself says, `value` what a parameter does.
    ///
    /// # Errors
    ///
    /// Code `parameters` for one that is missing, or is neither text nor a number nor a boolean.
    pub(crate) fn fill(
        &self,
        parameters: &Value,
        text: impl Fn(&str) -> String,
        value: impl Fn(&str) -> String,
    ) -> Result<String, Failure> {
        let piece = |piece: &Piece| match piece {
            Piece::Text(plain) => Ok(text(plain)),
            Piece::Name(name) => word(parameters, name).map(|word| value(&word)),
        };
        self.0.iter().map(piece).collect()
    }

    /// Fills it in as it is.
    ///
    /// # Errors
    ///
    /// As [`Template::fill`].
    pub(crate) fn plain(&self, parameters: &Value) -> Result<String, Failure> {
        self.fill(parameters, str::to_owned, str::to_owned)
    }
}

/// Reads `{name}` at the start of a text: the name, and how many bytes all of it has.
fn named(text: &str) -> Option<(&str, usize)> {
    let end = text.find('}')?;
    let name = text.get(1..end)?;
    let is_of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    (begins && name.bytes().all(is_of_a_name)).then_some((name, end + 1))
}

/// Returns the parameter of a name; none where it is absent or null.
pub(crate) fn parameter<'a>(parameters: &'a Value, name: &str) -> Option<&'a Value> {
    let found = parameters.get(name).or_else(|| name.split('.').try_fold(parameters, |value, part| value.get(part)));
    found.filter(|value| !value.is_null())
}

fn word(parameters: &Value, name: &str) -> Result<String, Failure> {
    match parameter(parameters, name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Ok(value.to_string()),
        Some(Value::Null) | None => Err(missing(name)),
        Some(Value::Array(_) | Value::Object(_)) => {
            Err(wrong(format!("the parameter `{name}` is part of a text: it must be text, a number or a boolean")))
        }
    }
}

/// A value that is text, a number or a boolean, as text.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn missing(name: &str) -> Failure {
    wrong(format!("the parameter `{name}` is missing"))
}

/// A fault of the parameters, not of the tool.
pub(crate) fn wrong(message: String) -> Failure {
    Failure::new("parameters", message)
}

/// A fault of the tool.
pub(crate) fn config(message: impl Into<String>) -> Failure {
    Failure::new("config", message.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_other_braces() {
        let shown = |text: &str| Template::read(text).0;
        let text = |text: &str| Piece::Text(text.to_owned());
        let name = |name: &str| Piece::Name(name.to_owned());
        assert_eq!(shown("a {b} {c.d}"), [text("a "), name("b"), text(" "), name("c.d")]);
        assert_eq!(shown("query { viewer { login } }"), [text("query { viewer { login } }")]);
        assert_eq!(shown("{{b}} {b}"), [text("{b} "), name("b")]);
        assert_eq!(shown("{1} {} {a b} {"), [text("{1} {} {a b} {")]);
        assert_eq!(shown("{{b} x"), [text("{"), name("b"), text(" x")]);
        assert_eq!(Template::read("{b}").alone(), Some("b"));
        assert_eq!(Template::read("{b}/").alone(), None);
    }
}
