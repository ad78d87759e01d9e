//! Steps, action elements and success criteria of the process zone.
//!
//! A machine over the tags in order: what a tag means depends on the innermost open element alone. A known tag where
//! it means nothing is text; an element that is never closed, and an action where none can be run, are findings.

use std::collections::{BTreeMap, BTreeSet};

use super::span::Findings;
use super::tags::{Kind, Token, scan};
use super::{Span, rules};
use crate::capability::Primary;
use crate::item::{Action, Step};

/// Attributes of action elements, beside those that say what is acted on.
pub(super) const EXTRA: [&str; 8] = ["query", "space", "from", "to", "force", "max", "offset", "sort"];

/// What a process zone holds.
#[derive(Debug, Default)]
pub(super) struct Process {
    pub(super) steps: Vec<Step>,
    pub(super) criteria: Vec<String>,
}

/// Reads the process zone.
pub(super) fn read(text: &str, zone: Span, findings: &mut Findings<'_>) -> Process {
    let scan = scan(text, zone);
    for (span, expected) in &scan.malformed {
        let message = format!("`{}` starts no well-formed tag: expected {expected}", span.of(text));
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
        process.steps = super::markdown::steps(text, zone, calls);
    }
    process
}

/// Reads the calls in backticks; what cannot be read stays text.
fn read_calls(text: &str, calls: &[Span], findings: &mut Findings<'_>) -> Vec<(Span, Action)> {
    let mut read = Vec::new();
    for span in calls {
        match super::calls::read(span.of(text)) {
            Ok(action) => read.push((*span, action)),
            Err(why) => {
                let message = format!("this call is taken as text: {why}");
                let hint = "write it out, or say in words what is to be done";
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

enum Element {
    Process,
    Step { name: String, actions: Vec<Action> },
    Description,
    Action(Action),
    Param { name: String, value: Option<String> },
    Criteria,
    Criterion,
}

/// What a tag means where it stands.
enum Meaning {
    Text,
    Enter,
    Leave,
    /// The open element was never closed; look at the tag again outside of it.
    Abandon,
    /// The tag may not stand here.
    Misplaced(&'static str),
}

struct Machine<'t, 'f, 'l> {
    text: &'t str,
    findings: &'f mut Findings<'l>,
    open: Vec<Frame>,
    seen_process: bool,
    step_names: BTreeSet<String>,
    process: Process,
}

impl Element {
    const fn name(&self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Step { .. } => "step",
            Self::Description => "description",
            Self::Action(action) => action.primary.as_str(),
            Self::Param { .. } => "param",
            Self::Criteria => "success_criteria",
            Self::Criterion => "criterion",
        }
    }
}

impl<'t> Machine<'t, '_, '_> {
    /// Acts on one tag; `cursor` is where text not yet taken starts.
    fn take(&mut self, token: &Token<'t>, cursor: &mut usize) {
        loop {
            match self.meaning(token) {
                Meaning::Text => return,
                Meaning::Abandon => {
                    self.abandon(*cursor, token.span.start);
                    *cursor = token.span.start;
                    continue;
                }
                Meaning::Misplaced(where_it_belongs) => {
                    let message = format!("`{}` cannot stand here", shown(token.span.of(self.text)));
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

    /// Gives a call in backticks to the step it stands in; inside of a parameter it is text.
    fn take_call(&mut self, action: &Action) {
        let inside = |frame: &&mut Frame| !matches!(frame.element, Element::Description);
        if let Some(Frame { element: Element::Step { actions, .. }, .. }) = self.open.iter_mut().rev().find(inside) {
            actions.push(action.clone());
        }
    }

    fn meaning(&self, token: &Token<'_>) -> Meaning {
        let opens = token.kind != Kind::Close;
        let is_action = token.name.parse::<Primary>().is_ok();
        let Some(top) = self.open.last() else { return Self::meaning_outside(token, is_action) };
        if !opens && token.name == top.element.name() {
            return Meaning::Leave;
        }
        // These end whatever is open inside of them.
        let ends_step = matches!((token.name, opens), ("step", _) | ("process", false));
        match &top.element {
            Element::Process => match (token.name, opens) {
                ("step" | "success_criteria", true) => Meaning::Enter,
                _ if is_action && opens => Meaning::Misplaced("put the action into a `<step name=\"…\">`"),
                ("step", false) => Meaning::Misplaced("remove the end tag: no step is open"),
                _ => Meaning::Text,
            },
            Element::Step { .. } if token.name == "description" && opens => Meaning::Enter,
            Element::Step { .. } if is_action && opens => Meaning::Enter,
            Element::Step { .. } if is_action => {
                Meaning::Misplaced("remove the end tag: no action of this name is open")
            }
            Element::Step { .. } if token.name == "param" && opens => {
                Meaning::Misplaced("put it into the action it is for, before that one's end tag")
            }
            Element::Description if is_action && opens => Meaning::Misplaced("put the action after the description"),
            Element::Action(_) if token.name == "param" && opens => Meaning::Enter,
            Element::Action(_) => Meaning::Abandon,
            Element::Param { .. } if is_action && !opens => Meaning::Abandon,
            Element::Step { .. } | Element::Description | Element::Param { .. } if ends_step => Meaning::Abandon,
            Element::Criteria if token.name == "criterion" && opens => Meaning::Enter,
            Element::Criteria | Element::Criterion if matches!(token.name, "process" | "step") => Meaning::Abandon,
            Element::Criterion if token.name == "success_criteria" || opens && token.name == "criterion" => {
                Meaning::Abandon
            }
            _ => Meaning::Text,
        }
    }

    fn meaning_outside(token: &Token<'_>, is_action: bool) -> Meaning {
        match (token.name, token.kind) {
            ("process" | "success_criteria", Kind::Open | Kind::Empty) => Meaning::Enter,
            ("step", Kind::Open | Kind::Empty) => Meaning::Misplaced("put the step into `<process>`"),
            ("process" | "step" | "success_criteria", Kind::Close) => {
                Meaning::Misplaced("remove the end tag: nothing is open")
            }
            (_, Kind::Open | Kind::Empty) if is_action => {
                Meaning::Misplaced("put the action into a `<step name=\"…\">` of the `<process>`")
            }
            _ => Meaning::Text,
        }
    }

    fn enter(&mut self, token: &Token<'t>) {
        let element = match token.name {
            "process" => self.process_element(token),
            "step" => Element::Step { name: self.step_name(token), actions: Vec::new() },
            "description" => Element::Description,
            "param" => Element::Param {
                name: self.named(token, "a parameter"),
                value: attribute(token, "value").map(str::to_owned),
            },
            "success_criteria" => Element::Criteria,
            "criterion" => Element::Criterion,
            _ => self.action(token),
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
        let known: &[&str] = if token.name == "param" { &["name", "value"] } else { &["name"] };
        self.know(token, known);
        name
    }

    fn know(&mut self, token: &Token<'_>, known: &[&str]) {
        for (name, _) in token.attributes.iter().filter(|(name, _)| !known.contains(name)) {
            let message = format!("`<{}>` has no attribute `{name}`", token.name);
            let hint = format!("use one of {}", known.join(", "));
            self.findings.at(&rules::UNKNOWN_ATTRIBUTE, token.span, message, hint);
        }
    }

    fn action(&mut self, token: &Token<'_>) -> Element {
        let known: Vec<&str> = ["item_type", "item_id"].into_iter().chain(EXTRA).collect();
        self.know(token, &known);
        // The tokens that come here have the name of a primary action.
        let primary = token.name.parse().unwrap_or(Primary::Search);
        let item_type = attribute(token, "item_type");
        let item_id = attribute(token, "item_id");
        if let Some((message, hint)) = action_fault(primary, item_type, item_id, attribute(token, "query")) {
            self.findings.at(&rules::BAD_ACTION, token.span, message, hint);
        }
        let extra = token.attributes.iter().filter(|(name, _)| EXTRA.contains(name));
        Element::Action(Action {
            primary,
            item_type: item_type.and_then(|word| word.parse().ok()),
            item_id: item_id.map(str::to_owned),
            attributes: extra.map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<BTreeMap<_, _>>(),
            params: Vec::new(),
        })
    }

    /// Gives the text between two offsets to the innermost element.
    fn take_text(&mut self, start: usize, end: usize) {
        let text = Span::new(start, end).of(self.text);
        let Some(top) = self.open.last_mut() else { return };
        match top.element {
            Element::Action(_) if !text.trim().is_empty() => {
                let lead = text.len() - text.trim_start().len();
                let span = Span::new(start + lead, start + lead + text.trim().len());
                let message = format!("text stands in `<{}>`, outside of its parameters", top.element.name());
                self.findings.at(
                    &rules::STRAY_TEXT,
                    span,
                    message,
                    "put it into `<param name=\"…\">`, or close the action",
                );
            }
            Element::Process | Element::Criteria | Element::Action(_) => {}
            Element::Step { .. } | Element::Description | Element::Param { .. } | Element::Criterion => {
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
            Element::Step { name, actions } => {
                self.process.steps.push(Step { name, text: super::prose::dedented(&text), actions });
            }
            Element::Description => self.with_parent(|parent| parent.text.push_str(&text)),
            Element::Action(action) => self.with_parent(|parent| {
                if let Element::Step { actions, .. } = &mut parent.element {
                    actions.push(action);
                }
            }),
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

    /// A parameter's value stands in its attribute or as its text.
    fn parameter(&mut self, value: Option<String>, text: &str, span: Span) -> String {
        if value.is_some() && !text.trim().is_empty() {
            let message = "a parameter has both a `value` and a text";
            self.findings.at(&rules::STRAY_TEXT, span, message, "keep one of them");
        }
        value.unwrap_or_else(|| super::prose::dedented(text))
    }

    fn with_parent(&mut self, act: impl FnOnce(&mut Frame)) {
        if let Some(parent) = self.open.last_mut() {
            act(parent);
        }
    }

    /// Closes the innermost element, which has no end tag.
    fn abandon(&mut self, start: usize, end: usize) {
        self.take_text(start, end);
        if let Some(top) = self.open.last() {
            let name = top.element.name();
            let message = format!("`<{name}>` is never closed: expected `</{name}>`");
            let hint = format!("add `</{name}>`; an unclosed code fence (```) before it also hides it");
            self.findings.at(&rules::UNCLOSED_TAG, top.span, message, hint);
        }
        self.leave();
    }
}

fn attribute<'a>(token: &'a Token<'_>, name: &str) -> Option<&'a str> {
    token.attributes.iter().find(|(found, _)| *found == name).map(|(_, value)| value.as_str())
}

fn shown(tag: &str) -> String {
    tag.chars().take(60).collect()
}

/// Says what keeps an action from naming what it acts on, and what to write.
pub(super) fn action_fault(
    primary: Primary,
    item_type: Option<&str>,
    item_id: Option<&str>,
    query: Option<&str>,
) -> Option<(String, String)> {
    let searches = primary == Primary::Search;
    match (item_type, item_id) {
        (Some(word), _) if word.parse::<crate::id::ItemType>().is_err() => {
            Some((format!("`{word}` is no item type"), "write `directive`, `tool` or `knowledge`".to_owned()))
        }
        (None, _) if !searches => {
            let hint = "add `item_type=\"tool\"`, or put the tag in backticks if it is text";
            Some((format!("`<{primary}>` does not say which type of item it acts on"), hint.to_owned()))
        }
        (_, None) if !searches => {
            Some((format!("`<{primary}>` does not name its item"), "add `item_id=\"…\"`".to_owned()))
        }
        (_, Some(id)) if !id.contains("{input:") => {
            let error = id.parse::<crate::id::ItemId>().err()?;
            Some((error.to_string(), super::context::id_hint(id)))
        }
        _ if searches && query.is_none() => {
            Some(("`<search>` has no query".to_owned(), "add `query=\"…\"`".to_owned()))
        }
        _ => None,
    }
}
