//! Placeholders in instructions and action elements.
//!
//! | written | becomes |
//! |---|---|
//! | `{input:name}` | the value, the declared default, or nothing for a declared optional input |
//! | `{input:name?}` | the value, the declared default, or nothing |
//! | `{input:name:text}`, `{input:name\|text}` | the value, the declared default, or `text` |
//!
//! One pass: values are never scanned again. A value that is not a string prints as compact JSON. An undeclared name is
//! an error, and so is any other form of `{input:`: nothing stays literal unnoticed. An inline default runs to the next
//! `}` on its line and holds no `{`.
//!
//! All texts of a directive share one [`Room`]: a long value that is named many times is an error, not gigabytes.
//!
//! `${variable}` is different: it occurs in the inputs of hooks only, and is filled in when a hook fires.

use serde_json::Value;
use thiserror::Error;

pub use super::room::{MOST_FILLED, Room, TooLong};
use crate::format::Span;
use crate::item::{Inputs, Variables};

const OPENING: &str = "{input:";

/// A placeholder as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// The input it names; empty when malformed.
    pub name: &'t str,
    /// The text of an absent value.
    pub absent: Absent<'t>,
    /// Its place.
    pub span: Span,
}

/// What a placeholder says about an absent value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absent<'t> {
    /// Nothing is said: `{input:name}`.
    Unsaid,
    /// It is left out: `{input:name?}`.
    Empty,
    /// A text replaces it: `{input:name:text}`.
    Text(&'t str),
    /// The placeholder has an unknown form.
    Malformed,
}

/// Why a template cannot be rendered.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum TemplateError {
    /// A placeholder names an undeclared input.
    #[error("`{placeholder}` names an input that is not declared")]
    Undeclared { placeholder: String },
    /// A placeholder has an unknown form.
    #[error(
        "`{placeholder}` is not a placeholder: write `{{input:name}}`, `{{input:name?}}` or `{{input:name:default}}`"
    )]
    Malformed {
        /// The start of the placeholder as written.
        placeholder: String,
    },
    /// The filled in text is too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
}

/// Replaces every placeholder of `text`, which with all that was filled in before has to fit into `room`.
///
/// # Errors
///
/// Fails on the first placeholder that is malformed or names an undeclared input, and when there is no room left.
pub fn render(text: &str, inputs: &Inputs, room: &Room) -> Result<String, TemplateError> {
    let mut rendered = String::new();
    let mut done = 0;
    for placeholder in placeholders(text) {
        room.push(&mut rendered, &text[done..placeholder.span.start])?;
        push_value(&mut rendered, &placeholder, inputs, text, room)?;
        done = placeholder.span.end;
    }
    room.push(&mut rendered, &text[done..])?;
    Ok(rendered)
}

fn push_value(
    rendered: &mut String,
    found: &Placeholder<'_>,
    inputs: &Inputs,
    text: &str,
    room: &Room,
) -> Result<(), TemplateError> {
    let as_written = || found.span.of(text).chars().take(80).collect();
    if found.absent == Absent::Malformed {
        return Err(TemplateError::Malformed { placeholder: as_written() });
    }
    if !inputs.is_declared(found.name) {
        return Err(TemplateError::Undeclared { placeholder: as_written() });
    }
    match (inputs.value(found.name), found.absent) {
        (Some(Value::String(value)), _) => room.push(rendered, value)?,
        (Some(value), _) => room.push(rendered, &value.to_string())?,
        (None, Absent::Text(default)) => room.push(rendered, default)?,
        (None, _) => {}
    }
    Ok(())
}

/// Finds every placeholder, malformed ones included, in order.
pub fn placeholders(text: &str) -> impl Iterator<Item = Placeholder<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(OPENING)?;
        let found = placeholder(text, start);
        from = found.span.end;
        Some(found)
    })
}

fn placeholder(text: &str, start: usize) -> Placeholder<'_> {
    let inner_start = start + OPENING.len();
    let inner = &text[inner_start..];
    let stop = inner.find(['}', '{', '\n', '\r']).unwrap_or(inner.len());
    let parsed = inner[stop..].starts_with('}').then(|| parts(&inner[..stop])).flatten();
    match parsed {
        Some((name, absent)) => Placeholder { name, absent, span: Span::new(start, inner_start + stop + 1) },
        None => {
            let name = inner[..stop].find(|found| !is_name(found)).unwrap_or(stop);
            Placeholder { name: "", absent: Absent::Malformed, span: Span::new(start, inner_start + name) }
        }
    }
}

fn parts(inner: &str) -> Option<(&str, Absent<'_>)> {
    let end = inner.find(|found: char| !is_name(found)).unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    let absent = match rest.chars().next() {
        None => Absent::Unsaid,
        Some('?') if rest.len() == 1 => Absent::Empty,
        Some(':' | '|') => Absent::Text(&rest[1..]),
        Some(_) => return None,
    };
    (!name.is_empty()).then_some((name, absent))
}

/// Tells whether an input's name may hold `character`.
pub(in crate::format) const fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

/// Returns the name in each `${…}` of a text; `None` where it is not closed.
pub(in crate::format) fn variables(text: &str) -> impl Iterator<Item = Option<&str>> {
    text.split("${").skip(1).map(|rest| rest.split_once('}').map(|(name, _)| name.trim()))
}

/// Fills in the `${variable}`s of a hook's input, once: values are never scanned again. An absent value is left empty.
///
/// # Errors
///
/// Fails when there is no room left.
pub fn render_variables(text: &str, variables: &Variables, room: &Room) -> Result<String, TooLong> {
    let mut parts = text.split("${");
    let mut filled = String::new();
    room.push(&mut filled, parts.next().unwrap_or_default())?;
    for part in parts {
        let Some((name, rest)) = part.split_once('}') else {
            room.push(&mut filled, "${")?;
            room.push(&mut filled, part)?;
            continue;
        };
        match variables.value(&name.trim().split('.').collect::<Vec<_>>()) {
            Some(Value::String(text)) => room.push(&mut filled, text)?,
            Some(value) if !value.is_null() => room.push(&mut filled, &value.to_string())?,
            _ => {}
        }
        room.push(&mut filled, rest)?;
    }
    Ok(filled)
}
