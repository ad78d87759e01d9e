//! Steps of a process zone that is plain Markdown: its headings, or else the entries of its top numbered list.
//!
//! Only for zones without `<process>`. The instructions stay the zone as written; the steps are a view of it, with the
//! calls in backticks as their actions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::format::Span;
use crate::format::syntax::prose;
use crate::item::{Action, OnError, Step};

/// A part of the zone that is a step.
struct Part {
    title: String,
    range: Range<usize>,
}

/// Reads the steps of `zone`, each with the place where it ends; `calls` are the actions in it with their places, in order.
pub(super) fn steps(text: &str, zone: Span, calls: Vec<(Span, Action)>) -> Vec<(Step, usize)> {
    let source = zone.of(text);
    let mut parts = headed(source);
    if parts.is_empty() {
        parts = numbered(source);
    }
    let mut names = Names::default();
    let mut calls = calls.into_iter().peekable();
    let mut steps = Vec::new();
    for part in parts {
        let end = zone.start + part.range.end;
        while calls.next_if(|(span, _)| span.start < zone.start + part.range.start).is_some() {}
        let mut actions = Vec::new();
        while let Some((_, action)) = calls.next_if(|(span, _)| span.start < end) {
            actions.push(action);
        }
        let name = names.unique(&name_of(&part.title));
        let text = prose::dedented(source.get(part.range).unwrap_or_default());
        steps.push((Step { name, text, actions, on_error: OnError::End, acts_alone: false }, end));
    }
    steps
}

/// Cuts a zone at its top headings: everything up to the next is the step's text.
fn headed(source: &str) -> Vec<Part> {
    let mut headings: Vec<(String, Range<usize>)> = Vec::new();
    let mut open: Option<(String, Range<usize>)> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(source, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { .. }) if depth == 0 => open = Some((String::new(), range)),
            Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
            Event::Start(_) if open.is_none() => depth += 1,
            Event::End(_) if open.is_none() => depth = depth.saturating_sub(1),
            Event::Text(text) | Event::Code(text) => {
                if let Some((title, _)) = &mut open {
                    title.push_str(&text);
                }
            }
            _ => {}
        }
    }
    let ends: Vec<usize> = headings.iter().skip(1).map(|(_, range)| range.start).chain([source.len()]).collect();
    headings.into_iter().zip(ends).map(|((title, range), end)| Part { title, range: range.end..end }).collect()
}

/// Takes the entries of the first numbered list at the top.
fn numbered(source: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut depth, mut inside) = (0_usize, false);
    for (event, range) in Parser::new_ext(source, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::List(Some(_))) if depth == 0 && parts.is_empty() => inside = true,
            Event::Start(Tag::Item) if depth == 1 && inside => {
                let written = source.get(range.clone()).unwrap_or_default();
                let mark = written.find(['.', ')']).map_or(0, |at| at + 1);
                let line = written[mark..].lines().next().unwrap_or_default();
                let title = line.split('`').find(|part| !part.trim().is_empty()).unwrap_or_default().to_owned();
                parts.push(Part { title, range: range.start + mark..range.end });
            }
            Event::End(TagEnd::List(_)) if depth == 1 => inside = false,
            _ => {}
        }
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    parts
}

/// Makes a step's name of its title: `Step 2: Write the file` becomes `write_the_file`.
fn name_of(title: &str) -> String {
    let words = title.split(|found: char| !found.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<String> = words.take(6).map(str::to_ascii_lowercase).collect();
    let is_number = |word: &String| word.bytes().all(|byte| byte.is_ascii_digit());
    if words.len() > 2 && words[0] == "step" && is_number(&words[1]) {
        words.drain(..2);
    } else if words.len() > 1 && is_number(&words[0]) {
        words.remove(0);
    }
    if words.is_empty() { "step".to_owned() } else { words.join("_") }
}

/// The names given so far.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    /// How often each name was asked for: numbers that are taken are not tried again.
    asked: BTreeMap<String, usize>,
}

impl Names {
    fn unique(&mut self, name: &str) -> String {
        let asked = self.asked.entry(name.to_owned()).or_default();
        loop {
            *asked += 1;
            let candidate = if *asked == 1 { name.to_owned() } else { format!("{name}_{asked}") };
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
        }
    }
}
