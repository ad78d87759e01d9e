//! Directives of pure XML, the oldest form: one element that holds the process too.
//!
//! Read into the same two zones as the current form: the process is written out as a zone and read as such, so that
//! both mean the same. `<action>` holds what to do as text, usually in CDATA. Text in the element stays text in the
//! zone: a tag in it is an error, as it would become one.

use super::elements::{Shape, check, check_children, leaf, list};
use super::process::{self, Process};
use crate::format::span::Findings;
use crate::format::syntax::prose;
use crate::format::syntax::tags::{self, Kind};
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};

const STEP: Shape = Shape {
    attributes: &["name", "on_error"],
    children: &["description", "action", "execute", "search", "load", "sign"],
    repeats: true,
    text: true,
};
const ACTIONS: [&str; 4] = ["execute", "search", "load", "sign"];

/// Returns the part of the file that is the directive when no fence holds it: from its first to its last tag.
pub(in crate::format) fn bare(text: &str) -> Option<Span> {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("<directive") {
            let start = offset + line.len() - line.trim_start().len();
            let close = "</directive>";
            let end = text.rfind(close).map_or(text.len(), |at| at + close.len());
            return Some(Span::new(start, end.max(start)));
        }
        offset += line.len();
    }
    None
}

/// Says that a directive is of the old form, at the element that shows it.
pub(in crate::format) fn warn(span: Span, findings: &mut Findings<'_>) {
    let message = "the process is inside of the xml: a legacy form";
    let hint = "run `rye migrate` to move it below a fence of metadata, inputs and outputs";
    findings.at(&rules::PURE_XML, span, message, hint);
}

/// Reads the process of a pure directive; returns it with the zone that says the same.
pub(in crate::format) fn read(root: &Element, findings: &mut Findings<'_>) -> (Process, String) {
    let mut zone = Zone::default();
    for child in &root.children {
        match child.name.as_str() {
            "process" => zone.process(child, findings),
            "success_criteria" => zone.criteria(child, findings),
            _ => {}
        }
    }
    let place = root.child("process").map_or(root.span, |process| process.span);
    zone.check(place, findings);
    let mut inner = Findings::about(&zone.text);
    let process = process::read(&zone.text, Span::new(0, zone.text.len()), &mut inner);
    for finding in inner.into_list() {
        // The zone is not in the file: a fault in it is reported at the process.
        if let Some(rule) = rules::ALL.iter().find(|rule| rule.id == finding.rule) {
            findings.at(rule, place, finding.message, finding.hint.unwrap_or_default());
        }
    }
    (process, zone.text)
}

/// The zone being written out, with the tags that were written on purpose.
#[derive(Default)]
struct Zone {
    text: String,
    tags: Vec<(String, Kind)>,
}

impl Zone {
    fn process(&mut self, element: &Element, findings: &mut Findings<'_>) {
        check(element, &list(&["step"]), findings);
        self.part();
        self.open("", element.name.as_str(), "", "\n");
        for step in element.children.iter().filter(|child| child.name == "step") {
            check(step, &STEP, findings);
            self.step(step, findings);
        }
        self.close("", &element.name, "");
    }

    fn step(&mut self, step: &Element, findings: &mut Findings<'_>) {
        self.open("  ", &step.name, &attributes(step), "\n");
        self.lines(&prose::dedented(&step.text));
        for part in &step.children {
            self.part_of_step(part, findings);
        }
        self.close("  ", &step.name, "\n");
    }

    fn part_of_step(&mut self, part: &Element, findings: &mut Findings<'_>) {
        let text = prose::dedented(&part.text);
        match part.name.as_str() {
            "description" => {
                check(part, &leaf(&[], true), findings);
                self.leaf("    ", part, "", &text);
            }
            "action" => {
                check(part, &leaf(&[], true), findings);
                self.lines(&text);
            }
            name if ACTIONS.contains(&name) => {
                check_children(part, &list(&["param"]), findings);
                self.open("    ", name, &attributes(part), "\n");
                self.lines(&text);
                for param in part.children.iter().filter(|child| child.name == "param") {
                    check_children(param, &leaf(&[], true), findings);
                    self.leaf("      ", param, &attributes(param), &prose::dedented(&param.text));
                }
                self.close("    ", name, "\n");
            }
            // `check` has filed the finding.
            _ => {}
        }
    }

    fn criteria(&mut self, element: &Element, findings: &mut Findings<'_>) {
        check(element, &list(&["criterion"]), findings);
        self.part();
        self.open("", &element.name, "", "\n");
        for child in element.children.iter().filter(|child| child.name == "criterion") {
            check(child, &leaf(&[], true), findings);
            self.leaf("  ", child, "", &prose::one_line(&child.text));
        }
        self.close("", &element.name, "");
    }

    /// Begins a further part of the zone.
    fn part(&mut self) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }

    fn leaf(&mut self, indent: &str, element: &Element, attributes: &str, text: &str) {
        self.open(indent, &element.name, attributes, text);
        self.close("", &element.name, "\n");
    }

    fn open(&mut self, indent: &str, name: &str, attributes: &str, then: &str) {
        self.tags.push((name.to_owned(), Kind::Open));
        self.text.push_str(&format!("{indent}<{name}{attributes}>{then}"));
    }

    fn close(&mut self, indent: &str, name: &str, then: &str) {
        self.tags.push((name.to_owned(), Kind::Close));
        self.text.push_str(&format!("{indent}</{name}>{then}"));
    }

    fn lines(&mut self, text: &str) {
        for line in text.lines() {
            self.text.push_str(&if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") });
        }
    }

    /// Holds the tags that a reader of the zone finds against those that were written: text of the element, escaped or in
    /// CDATA, neither adds a tag nor hides one.
    fn check(&self, place: Span, findings: &mut Findings<'_>) {
        let found = tags::scan(&self.text, Span::new(0, self.text.len())).tokens;
        let differs = |(at, (name, kind)): &(usize, &(String, Kind))| {
            found.get(*at).is_none_or(|token| (token.name, token.kind) != (name, *kind))
        };
        let first = self.tags.iter().enumerate().find(differs).map(|(at, _)| at);
        let Some(at) = first.or((found.len() > self.tags.len()).then_some(self.tags.len())) else { return };
        let shown = found.get(at).map_or("a backtick", |token| token.span.of(&self.text));
        let message = format!("`{shown}` is text here, and would be read as part of the process");
        findings.at(&rules::TEXT_AS_ELEMENT, place, message, "write it as an element, or put it in backticks as text");
    }
}

fn attributes(element: &Element) -> String {
    let escaped = |value: &str| value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    element.attributes.iter().map(|one| format!(" {}=\"{}\"", one.name, escaped(&one.value))).collect()
}
