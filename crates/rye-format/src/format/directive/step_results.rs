//! `{step:NAME.path}`: the result of an earlier step, in the process zone.
//!
//! It holds a step's name and, behind a dot, a path into the result of the step's last call. In a parameter the provider
//! `steps` fills the result in; a model reads "the result of step NAME". Found in the written text, before inputs are
//! filled in: a value that looks like one is a value.

use std::collections::BTreeSet;

use super::template::{Room, TemplateError, render};
use crate::format::span::Findings;
use crate::format::{Span, rules};
use crate::item::{Inputs, Step};

const OPENING: &str = "{step:";

/// The longest use of a result, in bytes between the braces: looking up a name must be cheap.
const LONGEST: usize = 200;

/// How many steps a hint names.
const NAMED: usize = 20;

/// The use of a result, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct StepResult<'t> {
    /// The text between `{step:` and `}`; `None` if it is not closed on its line.
    written: Option<&'t str>,
    /// Its place.
    span: Span,
}

/// A piece of a text, with the inputs filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// The result of a step, or a part of it.
    Result {
        /// The step's name.
        step: String,
        /// The path into its result; empty for the whole.
        path: String,
    },
}

/// Fills inputs in and takes the uses of results out. A text without the name of a step stays text.
///
/// # Errors
///
/// Fails on the first placeholder of an input that is malformed or names an undeclared one, and when there is no room left.
pub fn pieces(text: &str, inputs: &Inputs, steps: &[Step], room: &Room) -> Result<Vec<Piece>, TemplateError> {
    let (mut pieces, mut done) = (Vec::new(), 0);
    let push = |pieces: &mut Vec<Piece>, text: &str| {
        if !text.is_empty() {
            pieces.push(Piece::Text(render(text, inputs, room)?));
        }
        Ok::<_, TemplateError>(())
    };
    for found in step_results(text) {
        let is_step = |name: &str| steps.iter().any(|step| step.name == name);
        let Some((step, path)) = found.written.and_then(|written| named(written, is_step)) else { continue };
        push(&mut pieces, &text[done..found.span.start])?;
        pieces.push(Piece::Result { step: step.to_owned(), path: path.to_owned() });
        done = found.span.end;
    }
    push(&mut pieces, &text[done..])?;
    Ok(pieces)
}

/// Says pieces to a model: it knows the results.
#[must_use]
pub fn in_words(pieces: &[Piece]) -> String {
    let words = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Result { step, .. } => format!("the result of step {step}"),
    };
    pieces.iter().map(words).collect()
}

/// Files a finding for every use in `zone` that names no step which ends before it. `ends` tells where each step ends.
pub(super) fn check(text: &str, zone: Span, steps: &[Step], ends: &[usize], findings: &mut Findings<'_>) {
    if !zone.of(text).contains(OPENING) {
        return;
    }
    let mut later: Vec<(usize, &str)> =
        ends.iter().copied().zip(steps.iter().map(|step| step.name.as_str())).rev().collect();
    let all: BTreeSet<&str> = steps.iter().map(|step| step.name.as_str()).collect();
    let mut earlier = BTreeSet::new();
    for found in step_results(zone.of(text)) {
        if findings.is_full() {
            return;
        }
        let span = Span::new(zone.start + found.span.start, zone.start + found.span.end);
        while let Some((_, name)) = later.pop_if(|(end, _)| *end <= span.start) {
            earlier.insert(name);
        }
        let shown: String = span.of(text).chars().take(60).collect();
        let message = match found.written {
            None => format!("`{shown}` is not closed on its line"),
            Some(written) if named(written, |name| earlier.contains(name)).is_some() => continue,
            Some(written) if named(written, |name| all.contains(name)).is_some() => {
                format!("`{shown}` uses the result of a step that is not done before it")
            }
            Some(_) => format!("`{shown}` names a step that does not exist"),
        };
        let names: Vec<&str> =
            steps.iter().map(|step| step.name.as_str()).filter(|name| earlier.contains(name)).collect();
        let hint = match names.as_slice() {
            [] => "remove it: no step is done before it".to_owned(),
            names => format!("write `{{step:NAME}}` or `{{step:NAME.path}}` with an earlier step: {}", listed(names)),
        };
        findings.at(&rules::STEP_RESULT, span, message, hint);
    }
}

fn listed(names: &[&str]) -> String {
    names.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ")
}

/// Finds every use of a result, those that are not closed included, in order.
fn step_results(text: &str) -> impl Iterator<Item = StepResult<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(OPENING)?;
        let inner_start = start + OPENING.len();
        let inner = &text[inner_start..];
        let stop = inner.find(['}', '{', '\n', '\r']).unwrap_or(inner.len());
        let is_closed = stop <= LONGEST && inner[stop..].starts_with('}');
        from = inner_start + stop + usize::from(is_closed);
        Some(StepResult { written: is_closed.then_some(&inner[..stop]), span: Span::new(start, from) })
    })
}

/// Tells which step is named, the longest name that fits, and the path behind it.
fn named(written: &str, is_step: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let dots = written.rmatch_indices('.').map(|(at, _)| (&written[..at], &written[at + 1..]));
    let mut fitting = [(written, "")].into_iter().chain(dots.filter(|(_, path)| !path.is_empty()));
    fitting.find(|(name, _)| is_step(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_are_found_where_they_are_closed_on_their_line() {
        let text = "a {step:one.b} {step:two {step:three}\n{step:four\n} {input:x}";
        let found: Vec<_> = step_results(text).map(|found| (found.written, found.span.of(text))).collect();
        assert_eq!(
            found,
            [
                (Some("one.b"), "{step:one.b}"),
                (None, "{step:two "),
                (Some("three"), "{step:three}"),
                (None, "{step:four"),
            ]
        );
    }

    #[test]
    fn the_longest_name_of_a_step_counts() {
        let is_step = |name: &str| ["a", "a.b", "c"].contains(&name);
        assert_eq!(named("a.b.d.0", is_step), Some(("a.b", "d.0")));
        assert_eq!(named("a.bd", is_step), Some(("a", "bd")));
        assert_eq!(named("c", is_step), Some(("c", "")));
        for wrong in ["", "ab", "c.", ".c", "d"] {
            assert_eq!(named(wrong, is_step), None, "{wrong}");
        }
    }
}
