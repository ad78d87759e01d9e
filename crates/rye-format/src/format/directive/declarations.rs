//! The declared inputs and outputs of a directive, and the attributes that elements must have.

use std::collections::BTreeSet;

use super::elements::{Shape, check, leaf, list};
use super::template;
use crate::format::rules;
use crate::format::span::Findings;
use crate::format::syntax::prose;
use crate::format::syntax::xml::Element;
use crate::id::Version;
use crate::item::{Directive, Input, InputKind, Messages, Output, typed};

const INPUTS: Shape = list(&["input"]);
const OUTPUTS: Shape = list(&["output", "success", "failure"]);
const INPUT: Shape = leaf(&["name", "type", "required", "default"], true);
/// Elements of the older form of outputs.
pub(in crate::format) const MESSAGES: [&str; 2] = ["success", "failure"];
const OUTPUT: Shape = leaf(&["name", "type", "required", "from"], true);

/// Returns a required attribute that is not blank.
pub(in crate::format) fn required(element: &Element, name: &str, findings: &mut Findings<'_>) -> Option<String> {
    let value = element.value(name).map(str::trim).filter(|value| !value.is_empty());
    if value.is_none() {
        let message = format!("`<{}>` has no `{name}`", element.name);
        let example = if name == "version" { "1.0.0" } else { "…" };
        findings.at(&rules::MISSING_ATTRIBUTE, element.span, message, format!("add `{name}=\"{example}\"`"));
    }
    value.map(str::to_owned)
}

/// Reads the `version` attribute.
pub(in crate::format) fn version(element: &Element, findings: &mut Findings<'_>) -> Option<Version> {
    let text = required(element, "version", findings)?;
    let span = element.attribute("version").map_or(element.span, |attribute| attribute.span);
    text.parse()
        .map_err(|error: crate::id::VersionError| {
            findings.at(&rules::BAD_VERSION, span, error.to_string(), "write `version=\"1.0.0\"`");
        })
        .ok()
}

/// Reads `<inputs>`.
pub(in crate::format) fn inputs(element: &Element, findings: &mut Findings<'_>) -> Vec<Input> {
    check(element, &INPUTS, findings);
    named(element, "input", findings, input)
}

/// Reads `<outputs>`, with the messages of the older form.
pub(in crate::format) fn outputs(element: &Element, findings: &mut Findings<'_>) -> (Vec<Output>, Messages) {
    check(element, &OUTPUTS, findings);
    let mut messages = Messages::default();
    for child in element.children.iter().filter(|child| MESSAGES.contains(&child.name.as_str())) {
        check(child, &leaf(&[], true), findings);
        let message = format!("`<{}>` is a legacy form of an output", child.name);
        let hint = "declare the output, `<output name=\"…\">description</output>`, or say it in the steps";
        findings.at(&rules::LEGACY_OUTPUTS, child.span, message, hint);
        let place = if child.name == "success" { &mut messages.success } else { &mut messages.failure };
        if place.replace(prose::one_line(&child.text)).is_some() {
            let message = format!("`<{}>` appears twice in `<outputs>`", child.name);
            findings.at(&rules::REPEATED_ELEMENT, child.span, message, "keep one of them");
        }
    }
    (named(element, "output", findings, output), messages)
}

/// Reads every child of a name, and files a finding when two declare the same name.
fn named<T>(
    element: &Element,
    name: &str,
    findings: &mut Findings<'_>,
    read: impl Fn(&Element, String, &mut Findings<'_>) -> Option<T>,
) -> Vec<T> {
    let mut seen = BTreeSet::new();
    let mut list = Vec::new();
    for child in element.children.iter().filter(|child| child.name == name) {
        let Some(own) = required(child, "name", findings) else { continue };
        let span = child.attribute("name").map_or(child.span, |attribute| attribute.span);
        if !own.chars().all(template::is_name) {
            let message = format!("`{}` is not a name of an {name}", own.chars().take(40).collect::<String>());
            findings.at(&rules::BAD_VALUE, span, message, "use letters, digits, `_` and `-`");
        }
        if !seen.insert(own.clone()) {
            let message = format!("the {name} `{own}` is declared twice");
            findings.at(&rules::DUPLICATE_NAME, span, message, "keep one of them, or give the second another name");
        }
        list.extend(read(child, own, findings));
    }
    list
}

fn input(element: &Element, name: String, findings: &mut Findings<'_>) -> Option<Input> {
    check(element, &INPUT, findings);
    required(element, "type", findings);
    // An input of an unknown type is declared all the same: its placeholders are not further mistakes.
    let kind = kind(element, findings).unwrap_or(InputKind::String);
    let default = element.value("default").map(|text| typed(kind, text));
    if let Some(value) = default.as_ref().filter(|value| !kind.fits(value)) {
        let span = element.attribute("default").map_or(element.span, |attribute| attribute.span);
        let message = format!("the default of `{name}` is {value}, expected {kind}");
        findings.at(&rules::BAD_DEFAULT, span, message, format!("write a default that is a JSON {kind}"));
    }
    let default = default.filter(|value| kind.fits(value));
    let required = flag(element, false, findings);
    Some(Input { name, kind, required, default, description: prose::one_line(&element.text) })
}

fn output(element: &Element, name: String, findings: &mut Findings<'_>) -> Option<Output> {
    check(element, &OUTPUT, findings);
    let from = element.value("from").map(str::to_owned);
    let required = flag(element, true, findings);
    Some(Output {
        name,
        kind: kind(element, findings).unwrap_or(InputKind::String),
        required,
        from,
        description: prose::one_line(&element.text),
    })
}

/// Reads the `type` attribute; `string` without one.
fn kind(element: &Element, findings: &mut Findings<'_>) -> Option<InputKind> {
    let Some(attribute) = element.attribute("type") else { return Some(InputKind::String) };
    attribute
        .value
        .parse()
        .map_err(|error: crate::item::InputKindError| {
            let hint = format!("write `type=\"{}\"` or another of them", meant(&attribute.value));
            findings.at(&rules::BAD_VALUE, attribute.span, error.to_string(), hint);
        })
        .ok()
}

/// Returns the type for the word of another language.
fn meant(word: &str) -> InputKind {
    match word.to_ascii_lowercase().as_str() {
        "int" | "long" | "uint" => InputKind::Integer,
        "float" | "double" | "decimal" => InputKind::Number,
        "bool" => InputKind::Boolean,
        "dict" | "map" | "json" => InputKind::Object,
        "list" | "tuple" | "set" => InputKind::Array,
        _ => InputKind::String,
    }
}

fn flag(element: &Element, otherwise: bool, findings: &mut Findings<'_>) -> bool {
    let Some(attribute) = element.attribute("required") else { return otherwise };
    match attribute.value.as_str() {
        "true" => true,
        "false" => false,
        other => {
            let message = format!("`{other}` is neither `true` nor `false`");
            findings.at(&rules::BAD_VALUE, attribute.span, message, "write `required=\"true\"` or leave it out");
            otherwise
        }
    }
}

/// Checks that every `from` of an output names a step.
pub(in crate::format) fn check_sources(directive: &Directive, root: &Element, findings: &mut Findings<'_>) {
    let steps: BTreeSet<&str> = directive.steps.iter().map(|step| step.name.as_str()).collect();
    for output in &directive.outputs {
        if findings.is_full() {
            return;
        }
        let Some(from) = &output.from else { continue };
        let step = from.split('.').next().unwrap_or(from);
        if steps.contains(step) {
            continue;
        }
        let declared = root.child("outputs").and_then(|outputs| {
            outputs
                .children
                .iter()
                .find_map(|child| child.attribute("from").filter(|attribute| attribute.value == *from))
        });
        let names: Vec<&str> = directive.steps.iter().take(20).map(|step| step.name.as_str()).collect();
        let message = format!("the output `{}` comes from the step `{step}`, which is not there", output.name);
        let hint = format!("name one of the steps: {}", names.join(", "));
        findings.at(&rules::OUTPUT_FROM, declared.map_or(root.span, |attribute| attribute.span), message, hint);
    }
}
