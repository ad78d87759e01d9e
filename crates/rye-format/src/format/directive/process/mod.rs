//! Steps, action elements and success criteria of the process zone.
//!
//! A machine over the tags in order; `meaning` has the meaning of each at its place. A known tag where it means nothing
//! is text; an element that is never closed, and an action where none can be run, are findings.

mod action;
mod calls;
mod markdown;
mod meaning;

use std::collections::BTreeSet;

use self::action::{attribute, know};
use self::meaning::{Element, Meaning, OpenStep, meaning};
use crate::format::directive::step_results;
use crate::format::span::Findings;
use crate::format::syntax::tags::{Kind, Token, scan};
use crate::format::{Span, no_effect, rules};
use crate::item::{Action, OnError, Step};

pub(in crate::format) use self::action::{EXTRA, action_fault, attribute_fault};

/// What a process zone holds.
#[derive(Debug, Default)]
pub(in crate::format) struct Process {
    pub(in crate::format) steps: Vec<Step>,
    pub(in crate::format) criteria: Vec<String>,
    /// Where each step ends: an offset into the text.
    ends: Vec<usize>,
}

/// Reads the process zone.
pub(in crate::format) fn read(text: &str, zone: Span, findings: &mut Findings<'_>) -> Process {
    let scan = scan(text, zone);
    for (span, expected) in &scan.malformed {
        let tag = span.of(text);
        let message = match expected {
            Some(expected) => format!("malformed tag `{tag}`: expected {expected}"),
            None => format!("unknown tag `{tag}>`: tags are in lower case"),
        };
        findings.at(&rules::MALFORMED_TAG, *span, message, "mend the tag, or put it in backticks if it is text");
    }
    let calls = read_calls(text, &scan.calls, findings);
    let mut machine = Machine {
        text,
        findings,
        open: Vec::new(),
        seen_process: false,
        step_names: BTreeSet::new(),
        process: Process::default(),
        at: zone.start,
    };
    let mut cursor = zone.start;
    let mut ahead = calls.iter().peekable();
    for token in &scan.tokens {
        while let Some((_, action)) = ahead.next_if(|(span, _)| span.start < token.span.start) {
            machine.take_call(action);
        }
        machine.take(token, &mut cursor);
    }
    for (_, action) in ahead {
        machine.take_call(action);
    }
    while !machine.open.is_empty() {
        machine.abandon(cursor, zone.end);
        cursor = zone.end;
    }
    let mut process = machine.process;
    if !machine.seen_process {
        (process.steps, process.ends) = markdown::steps(text, zone, calls).into_iter().unzip();
    }
    step_results::check(text, zone, &process.steps, &process.ends, findings);
    process
}

/// Reads the calls in backticks; unreadable ones stay text.
fn read_calls(text: &str, calls: &[Span], findings: &mut Findings<'_>) -> Vec<(Span, Action)> {
    let mut read = Vec::new();
    for span in calls {
        match calls::read(span.of(text)) {
            Ok(action) => {
                action::check_name(&action, *span, findings);
                read.push((*span, action));
            }
            Err(why) => {
                let message = format!("this call is taken as text: {why}");
                let hint = "write it out, or describe the task in words";
                findings.at(&rules::UNREAD_CALL, *span, message, hint);
            }
        }
    }
    read
}

/// An open element.
struct Frame {
    element: Element,
    span: Span,
    /// The text so far, for elements that hold text.
    text: String,
}

struct Machine<'t, 'f, 'l> {
    text: &'t str,
    findings: &'f mut Findings<'l>,
    open: Vec<Frame>,
    seen_process: bool,
    step_names: BTreeSet<String>,
    process: Process,
    /// The end of the tag that is acted on.
    at: usize,
}

impl<'t> Machine<'t, '_, '_> {
    /// Acts on one tag; `cursor` is where text not yet taken starts.
    fn take(&mut self, token: &Token<'t>, cursor: &mut usize) {
        self.at = token.span.end;
        loop {
            match meaning(self.open.last().map(|frame| &frame.element), token) {
                Meaning::Text => return,
                Meaning::Abandon => {
                    self.abandon(*cursor, token.span.start);
                    *cursor = token.span.start;
                    continue;
                }
                Meaning::Misplaced(where_it_belongs) => {
                    let message = format!("`{}` is not allowed here", shown(token.span.of(self.text)));
                    self.findings.at(&rules::ACTION_OUTSIDE_STEP, token.span, message, where_it_belongs);
                }
                Meaning::Enter => {
                    self.take_text(*cursor, token.span.start);
                    self.enter(token);
                }
                Meaning::Leave => {
                    self.take_text(*cursor, token.span.start);
                    self.leave();
                }
            }
            *cursor = token.span.end;
            return;
        }
    }

    /// Gives a call in backticks to its step; inside of a parameter it is text.
    fn take_call(&mut self, action: &Action) {
        let inside = |frame: &&mut Frame| !matches!(frame.element, Element::Description);
        if let Some(Frame { element: Element::Step(step), .. }) = self.open.iter_mut().rev().find(inside) {
            step.actions.push(action.clone());
        }
    }

    fn enter(&mut self, token: &Token<'t>) {
        let element = match token.name {
            "process" => self.process_element(token),
            "step" => Element::Step(self.step(token)),
            "description" => Element::Description,
            "param" => Element::Param {
                name: self.named(token, "a parameter"),
                value: attribute(token, "value").map(str::to_owned),
            },
            "success_criteria" => Element::Criteria,
            "criterion" => Element::Criterion,
            _ => Element::Action(action::read(token, self.findings)),
        };
        self.open.push(Frame { element, span: token.span, text: String::new() });
        if token.kind == Kind::Empty {
            self.leave();
        }
    }

    fn process_element(&mut self, token: &Token<'_>) -> Element {
        if self.seen_process {
            let message = "a second `<process>` follows the first";
            self.findings.at(&rules::REPEATED_ELEMENT, token.span, message, "put all steps into one `<process>`");
        }
        self.seen_process = true;
        Element::Process
    }

    fn step(&mut self, token: &Token<'_>) -> OpenStep {
        let name = self.step_name(token);
        let on_error = match attribute(token, "on_error") {
            None => OnError::End,
            Some("continue") => OnError::Continue,
            Some(other) => {
                let message = format!("`on_error` cannot be `{}`", other.chars().take(40).collect::<String>());
                let hint = "write `on_error=\"continue\"`, or remove it: a step that fails ends the thread";
                self.findings.at(&rules::BAD_ON_ERROR, token.span, message, hint);
                OnError::End
            }
        };
        OpenStep { name, on_error, actions: Vec::new(), has_prose: false }
    }

    fn step_name(&mut self, token: &Token<'_>) -> String {
        let name = self.named(token, "a step");
        if !name.is_empty() && !self.step_names.insert(name.clone()) {
            let message = format!("two steps have the name `{name}`");
            self.findings.at(&rules::DUPLICATE_NAME, token.span, message, "give each step a name of its own");
        }
        name
    }

    fn named(&mut self, token: &Token<'_>, what: &str) -> String {
        let name = attribute(token, "name").unwrap_or_default().to_owned();
        if name.is_empty() {
            let message = format!("{what} has no name");
            self.findings.at(&rules::MISSING_ATTRIBUTE, token.span, message, "add `name=\"…\"`");
        }
        let known: &[&str] = if token.name == "param" { &["name", "value"] } else { &["name", "on_error"] };
        know(token, known, self.findings);
        name
    }

    /// Gives the text between two offsets to the innermost element.
    fn take_text(&mut self, start: usize, end: usize) {
        let text = Span::new(start, end).of(self.text);
        let Some(top) = self.open.last_mut() else { return };
        if let Element::Step(step) = &mut top.element {
            step.has_prose |= !text.trim().is_empty();
        }
        match top.element {
            Element::Action(_) if !text.trim().is_empty() => {
                let lead = text.len() - text.trim_start().len();
                let span = Span::new(start + lead, start + lead + text.trim().len());
                let message = format!("text is in `<{}>`, outside of its parameters", top.element.name());
                self.findings.at(
                    &rules::STRAY_TEXT,
                    span,
                    message,
                    "put it into `<param name=\"…\">`, or close the action",
                );
            }
            Element::Process | Element::Criteria | Element::Action(_) => {}
            Element::Step(_) | Element::Description | Element::Param { .. } | Element::Criterion => {
                top.text.push_str(text)
            }
        }
    }

    /// Closes the innermost element and files what it held.
    fn leave(&mut self) {
        let Some(Frame { element, span, text }) = self.open.pop() else { return };
        match element {
            Element::Process | Element::Criteria => {}
            Element::Criterion => self.process.criteria.push(text.trim().to_owned()),
            Element::Step(OpenStep { name, on_error, actions, has_prose }) => {
                let acts_alone = !has_prose && !actions.is_empty();
                let text = crate::format::syntax::prose::dedented(&text);
                self.process.steps.push(Step { name, text, actions, on_error, acts_alone });
                self.process.ends.push(self.at);
            }
            Element::Description => self.with_parent(|parent| parent.text.push_str(&text)),
            Element::Action(action) => {
                no_effect::arguments(&action, span, self.findings);
                self.with_parent(|parent| {
                    if let Element::Step(step) = &mut parent.element {
                        step.actions.push(action);
                    }
                });
            }
            Element::Param { name, value } => {
                let value = self.parameter(value, &text, span);
                self.file_parameter(name, value, span);
            }
        }
    }

    /// Gives the open action a parameter; a second one of its name would silently win or lose.
    fn file_parameter(&mut self, name: String, value: String, span: Span) {
        let Some(Frame { element: Element::Action(action), .. }) = self.open.last_mut() else { return };
        if !name.is_empty() && action.params.iter().any(|(other, _)| *other == name) {
            let message = format!("the parameter `{name}` is given twice");
            self.findings.at(&rules::DUPLICATE_NAME, span, message, "keep one of them");
        } else {
            action.params.push((name, value));
        }
    }

    /// A parameter's value is in its attribute, or is its text.
    fn parameter(&mut self, value: Option<String>, text: &str, span: Span) -> String {
        if value.is_some() && !text.trim().is_empty() {
            let message = "a parameter has both a `value` and a text";
            self.findings.at(&rules::STRAY_TEXT, span, message, "keep one of them");
        }
        value.unwrap_or_else(|| crate::format::syntax::prose::dedented(text))
    }

    fn with_parent(&mut self, act: impl FnOnce(&mut Frame)) {
        if let Some(parent) = self.open.last_mut() {
            act(parent);
        }
    }

    /// Closes the innermost element, which has no end tag.
    fn abandon(&mut self, start: usize, end: usize) {
        self.take_text(start, end);
        self.at = end;
        if let Some(top) = self.open.last() {
            let name = top.element.name();
            let message = format!("`<{name}>` is never closed: expected `</{name}>`");
            let hint = format!("add `</{name}>`; an unclosed code fence (```) before it also hides it");
            self.findings.at(&rules::UNCLOSED_TAG, top.span, message, hint);
        }
        self.leave();
    }
}

fn shown(tag: &str) -> String {
    tag.chars().take(60).collect()
}
