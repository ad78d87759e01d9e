//! Checks the placeholders of a directive's instructions against the declared inputs.

use std::collections::BTreeMap;

use super::template::{self, Absent, Placeholder, placeholders};
use crate::format::span::Findings;
use crate::format::syntax::xml::Element;
use crate::format::{Span, rules};
use crate::id::nearest;
use crate::item::{Directive, Expression, Hook, Input};

/// Files a finding for every placeholder in `zones` that would fail, or render as nothing unnoticed.
pub(super) fn check(text: &str, zones: &[Span], directive: &Directive, root: &Element, findings: &mut Findings<'_>) {
    let declared: BTreeMap<&str, &Input> = directive.inputs.iter().map(|input| (input.name.as_str(), input)).collect();
    let mut used = std::collections::BTreeSet::new();
    for zone in zones {
        for found in placeholders(zone.of(text)) {
            if findings.is_full() {
                return;
            }
            let span = Span::new(zone.start + found.span.start, zone.start + found.span.end);
            used.insert(found.name);
            judge(&found, span, &declared, text, findings);
        }
    }
    for name in directive.hooks.iter().flat_map(read_by) {
        // A hook reads inputs by their bare names.
        used.extend(declared.get_key_value(name.as_str()).map(|(declared, _)| *declared));
    }
    let unused = directive.inputs.iter().filter(|input| !used.contains(input.name.as_str()));
    for input in unused {
        if findings.is_full() {
            return;
        }
        let message = format!("the input `{}` is not used", input.name);
        let hint = format!("write `{{input:{}}}` where it belongs, or remove the input", input.name);
        findings.at(&rules::UNUSED_INPUT, declaration(root, &input.name), message, hint);
    }
}

/// Returns the first words of the variables that a hook reads.
fn read_by(hook: &Hook) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(when) = &hook.when {
        // Every part is checked.
        when.expression().any(&mut |part| {
            if let Expression::Variable(path) = part {
                names.extend(path.first().cloned());
            }
            false
        });
    }
    let variables = hook.inputs.iter().flat_map(|(_, value)| template::variables(value)).flatten();
    names.extend(variables.map(|name| name.split('.').next().unwrap_or(name).to_owned()));
    names
}

fn judge(
    found: &Placeholder<'_>,
    span: Span,
    declared: &BTreeMap<&str, &Input>,
    text: &str,
    findings: &mut Findings<'_>,
) {
    let shown: String = span.of(text).chars().take(60).collect();
    match (found.absent, declared.get(found.name)) {
        (Absent::Malformed, _) => {
            let hint = "write `{input:name}`, `{input:name?}` or `{input:name:default}`";
            findings.at(&rules::MALFORMED_PLACEHOLDER, span, format!("`{shown}` is not a placeholder"), hint);
        }
        (_, None) => {
            let message = format!("`{shown}` names an input that is not declared");
            findings.at(&rules::UNDECLARED_INPUT, span, message, declare(found.name, declared));
        }
        (Absent::Unsaid, Some(input)) if !input.required && input.default.is_none() => {
            let message = format!("the optional input `{}` renders as nothing when it is not given", input.name);
            let hint = format!("write `{{input:{name}?}}` or `{{input:{name}:default}}`", name = input.name);
            findings.at(&rules::OPTIONAL_WITHOUT_DEFAULT, span, message, hint);
        }
        _ => {}
    }
}

/// How many declared inputs a name is compared with: a hostile list must not be gone through for each placeholder.
const MOST_COMPARED: usize = 200;

fn declare(name: &str, declared: &BTreeMap<&str, &Input>) -> String {
    let name: String = name.chars().take(40).collect();
    match nearest(&name, declared.keys().copied().take(MOST_COMPARED)) {
        Some(near) => format!("did you mean `{{input:{near}}}`?"),
        None => format!("add `<input name=\"{name}\" type=\"string\">` to the inputs"),
    }
}

fn declaration(root: &Element, name: &str) -> Span {
    let inputs = root.child("inputs").map(|inputs| inputs.children.as_slice()).unwrap_or_default();
    inputs.iter().find(|input| input.value("name") == Some(name)).map_or(root.span, |input| input.span)
}
