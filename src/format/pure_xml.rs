//! Directives of pure XML, the oldest form: one element that holds the process too.
//!
//! Read into the same two zones as the current form: the process is written out as a zone and read as such, so that
//! both mean the same. `<action>` holds what to do as text, usually in CDATA.

use super::elements::{Shape, check, leaf, list};
use super::process::{self, Process};
use super::span::Findings;
use super::xml::Element;
use super::{Span, prose, rules};

const STEP: Shape = Shape {
    attributes: &["name"],
    children: &["description", "action", "execute", "search", "load", "sign"],
    repeats: true,
    text: true,
};
const ACTIONS: [&str; 4] = ["execute", "search", "load", "sign"];

/// Returns the part of the file that is the directive when no fence holds it: from its first to its last tag.
pub(super) fn bare(text: &str) -> Option<Span> {
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
pub(super) fn warn(span: Span, findings: &mut Findings<'_>) {
    let message = "the process stands inside of the xml: a legacy form";
    let hint = "run `rye migrate` to move it below a fence of metadata, inputs and outputs";
    findings.at(&rules::PURE_XML, span, message, hint);
}

/// Reads the process of a pure directive; returns it with the zone that says the same.
pub(super) fn read(root: &Element, findings: &mut Findings<'_>) -> (Process, String) {
    let zone = root
        .children
        .iter()
        .filter_map(|child| match child.name.as_str() {
            "process" => Some(steps(child, findings)),
            "success_criteria" => Some(criteria(child, findings)),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join("\n\n");
    let place = root.child("process").map_or(root.span, |process| process.span);
    let mut inner = Findings::about(&zone);
    let process = process::read(&zone, Span::new(0, zone.len()), &mut inner);
    for finding in inner.into_list() {
        // The zone is not in the file: what is wrong in it stands somewhere in the process.
        if let Some(rule) = rules::ALL.iter().find(|rule| rule.id == finding.rule) {
            findings.at(rule, place, finding.message, finding.hint.unwrap_or_default());
        }
    }
    (process, zone)
}

fn steps(element: &Element, findings: &mut Findings<'_>) -> String {
    check(element, &list(&["step"]), findings);
    let mut zone = "<process>\n".to_owned();
    for step in element.children.iter().filter(|child| child.name == "step") {
        check(step, &STEP, findings);
        zone.push_str(&format!("  <step{}>\n", attributes(step)));
        let text = prose::dedented(&step.text);
        if !text.is_empty() {
            zone.push_str(&indented(&text));
        }
        for part in &step.children {
            zone.push_str(&part_of_step(part, findings));
        }
        zone.push_str("  </step>\n");
    }
    zone.push_str("</process>");
    zone
}

fn part_of_step(part: &Element, findings: &mut Findings<'_>) -> String {
    let text = prose::dedented(&part.text);
    match part.name.as_str() {
        "description" => {
            check(part, &leaf(&[], true), findings);
            format!("    <description>{text}</description>\n")
        }
        "action" => {
            check(part, &leaf(&[], true), findings);
            indented(&text)
        }
        name if ACTIONS.contains(&name) => {
            let params: String = part.children.iter().map(param).collect();
            format!("    <{name}{}>\n{}{params}    </{name}>\n", attributes(part), indented_or_nothing(&text))
        }
        // `check` has filed the finding.
        _ => String::new(),
    }
}

fn param(element: &Element) -> String {
    format!("      <{}{}>{}</{}>\n", element.name, attributes(element), prose::dedented(&element.text), element.name)
}

fn criteria(element: &Element, findings: &mut Findings<'_>) -> String {
    check(element, &list(&["criterion"]), findings);
    let mut zone = "<success_criteria>\n".to_owned();
    for child in element.children.iter().filter(|child| child.name == "criterion") {
        check(child, &leaf(&[], true), findings);
        zone.push_str(&format!("  <criterion>{}</criterion>\n", prose::one_line(&child.text)));
    }
    zone.push_str("</success_criteria>");
    zone
}

fn attributes(element: &Element) -> String {
    let escaped = |value: &str| value.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    element.attributes.iter().map(|one| format!(" {}=\"{}\"", one.name, escaped(&one.value))).collect()
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

fn indented_or_nothing(text: &str) -> String {
    if text.is_empty() { String::new() } else { indented(text) }
}
