//! A directive's text: title, xml block, process zone.
//!
//! The block holds what machines read, the zone after it what an agent follows. Nothing is dropped silently: see
//! `elements` for unknown parts and known ones that are not interpreted.

use super::elements::{Shape, check, group, leaf};
use super::process::Process;
use super::{context, declarations, hooks, placeholders, practice, process, pure_xml};
use crate::format::span::Findings;
use crate::format::syntax::fence::{self, Fence, Outline};
use crate::format::syntax::prose;
use crate::format::syntax::xml::{self, Element};
use crate::format::{Anchors, Span, no_effect, rules};
use crate::item::{Directive, Input, Item, Messages, Model};

const ROOT: Shape =
    group(&["name", "version", "extends"], &["metadata", "inputs", "outputs", "process", "success_criteria"]);
const METADATA: Shape = group(
    &[],
    &[
        "description",
        "category",
        "author",
        "model",
        "permissions",
        "limits",
        "cost",
        "context",
        "hooks",
        "continuation_directive",
    ],
);
/// Elements of the process, which are in the xml in the oldest form only.
const PURE: [&str; 2] = ["process", "success_criteria"];
const MODEL: Shape = leaf(&["tier", "id", "fallback", "fallback_id"], true);

/// Reads a directive.
pub(in crate::format) fn read(text: &str, findings: &mut Findings<'_>) -> (Option<Item>, Anchors) {
    let outline = fence::outline(text);
    let Some(zones) = zones(text, &outline, findings) else { return (None, Anchors::default()) };
    let element = match xml::parse(text, zones.block) {
        Ok(element) => element,
        Err(fault) => {
            // The rest is read all the same: all findings come in one pass.
            process::read(text, zones.process, findings);
            findings.at(&rules::MALFORMED_XML, fault.span, fault.message, fault.hint);
            return (None, Anchors::default());
        }
    };
    let (process, body) = instructions(text, &zones, &element, findings);
    if body.is_empty() {
        let hint = "write the steps after the closing fence: `<process><step name=\"…\">…</step></process>`";
        findings.at(&rules::EMPTY_PROCESS, zones.shown, "nothing follows the xml block", hint);
    }
    let mut reader = Reader { findings };
    let directive = reader.directive(&element).map(|directive| Directive {
        title: fence::title(text, outline.heading),
        preamble: preamble(text, &outline, zones.shown),
        steps: process.steps,
        criteria: process.criteria,
        body,
        ..directive
    });
    // Behind a byte order mark, which has its own finding, a heading does not count.
    if outline.heading.is_none() && zones.is_fenced && !text.starts_with('\u{FEFF}') {
        findings.at(&rules::NO_TITLE, zones.shown, "the directive has no title", "put `# Title` above the xml block");
    }
    if let Some(directive) = &directive {
        placeholders::check(text, &templates(&element, zones.process), directive, &element, findings);
        declarations::check_sources(directive, &element, findings);
        practice::check(text, zones.process, &element, directive, findings);
    }
    let anchors = anchors(text, &element).with_call(text, practice::written_call(text, zones.process));
    (directive.map(|directive| Item::Directive(Box::new(directive))), anchors)
}

/// Reads the element alone.
pub(in crate::format) fn root(text: &str, findings: &mut Findings<'_>) -> Option<Element> {
    let zones = zones(text, &fence::outline(text), findings)?;
    xml::parse(text, zones.block).ok()
}

/// The parts of a directive's file.
struct Zones {
    /// The fence with its lines, or the element without a fence.
    shown: Span,
    /// The strict XML.
    block: Span,
    /// What follows.
    process: Span,
    is_fenced: bool,
}

/// Tells the zones apart: by the fence, or in a file of pure XML by the element.
fn zones(text: &str, outline: &Outline, findings: &mut Findings<'_>) -> Option<Zones> {
    if !outline.fences.iter().any(|fence| holds_directive(fence, text)) {
        if let Some(other) = outline.fences.iter().find(|fence| shows_directive(fence, text)) {
            let opening = Span::new(other.block.start, other.content.start);
            let hint = "start the block with ```xml";
            findings.at(&rules::NO_FENCE, opening, "the block of the directive is not fenced as `xml`", hint);
            return None;
        }
        let Some(element) = pure_xml::bare(text) else {
            let hint = "write ```xml, a `<directive name=\"…\" version=\"1.0.0\">` element, and ```";
            findings.whole(&rules::NO_FENCE, "no xml block contains a `<directive>` element", hint);
            return None;
        };
        let process = Span::new(element.end, text.len());
        pure_xml::warn(Span::new(element.start, element.start + "<directive".len()), findings);
        return Some(Zones { shown: element, block: element, process, is_fenced: false });
    }
    let fence = directive_fence(text, outline, findings)?;
    let process = Span::new(fence.block.end, text.len());
    Some(Zones { shown: fence.block, block: fence.content, process, is_fenced: true })
}

/// Reads the instructions: the text after the block, after a process in the block.
fn instructions(text: &str, zones: &Zones, root: &Element, findings: &mut Findings<'_>) -> (Process, String) {
    let process = process::read(text, zones.process, findings);
    let body = zones.process.of(text).trim().to_owned();
    let Some(inside) = root.children.iter().find(|child| PURE.contains(&child.name.as_str())) else {
        return (process, body);
    };
    if zones.is_fenced {
        pure_xml::warn(inside.span, findings);
    }
    let (mut whole, zone) = pure_xml::read(root, findings);
    whole.steps.extend(process.steps);
    whole.criteria.extend(process.criteria);
    (whole, format!("{zone}\n\n{body}").trim().to_owned())
}

/// Returns the places of placeholders.
fn templates(root: &Element, process: Span) -> Vec<Span> {
    let outputs = root.child("outputs").into_iter().flat_map(|outputs| &outputs.children);
    let inside = root.children.iter().filter(|child| PURE.contains(&child.name.as_str()));
    inside.chain(outputs).map(|element| element.whole).chain([process]).collect()
}

fn holds_directive(fence: &Fence, text: &str) -> bool {
    fence.language == "xml" && fence.content.of(text).contains("<directive")
}

/// Tells whether a block of another language starts with the element.
fn shows_directive(fence: &Fence, text: &str) -> bool {
    fence.content.of(text).trim_start().starts_with("<directive")
}

/// Finds the one fence that holds the directive element.
fn directive_fence<'o>(text: &str, outline: &'o Outline, findings: &mut Findings<'_>) -> Option<&'o Fence> {
    let mut holding = outline.fences.iter().filter(|fence| holds_directive(fence, text));
    let first = holding.next()?;
    for further in holding {
        let message = "a second xml block contains a `<directive` element";
        let hint = "keep one; fence an example with four backticks";
        findings.at(&rules::MANY_FENCES, further.block, message, hint);
    }
    if !first.closed {
        let opening = Span::new(first.block.start, first.content.start);
        findings.at(
            &rules::UNCLOSED_FENCE,
            opening,
            "the xml block is not closed",
            "put a line of ``` below `</directive>`",
        );
        return None;
    }
    Some(first)
}

/// Returns the text between the heading (or a leading comment) and the fence.
fn preamble(text: &str, outline: &Outline, block: Span) -> String {
    let start = outline.heading.map_or(0, |heading| heading.end);
    let between = Span::new(start, block.start.max(start)).of(text).trim();
    let is_comment = |line: &&str| line.starts_with("<!--") || line.starts_with("#!");
    between.lines().skip_while(is_comment).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn anchors(text: &str, element: &Element) -> Anchors {
    let place = |attribute: &str| element.attribute(attribute).map_or(element.span, |found| found.span);
    let category = element.child("metadata").and_then(|metadata| metadata.child("category"));
    Anchors::new(text, element.span, place("name"), category.map_or(element.span, Element::text_place))
}

struct Reader<'t, 'f> {
    findings: &'f mut Findings<'t>,
}

impl Reader<'_, '_> {
    fn directive(&mut self, root: &Element) -> Option<Directive> {
        if root.name != "directive" {
            let message = format!("the xml block starts with `<{}>`", root.name.chars().take(40).collect::<String>());
            self.findings.at(&rules::NO_FENCE, root.span, message, "its one element is `<directive>`");
            return None;
        }
        check(root, &ROOT, self.findings);
        let name = declarations::required(root, "name", self.findings);
        let version = declarations::version(root, self.findings);
        let metadata = root.child("metadata");
        if metadata.is_none() {
            let hint = "add `<metadata>` with description, category and author";
            self.findings.at(&rules::MISSING_ELEMENT, root.span, "the directive has no `<metadata>`", hint);
        }
        let inputs = root.child("inputs").map(|element| declarations::inputs(element, self.findings));
        let inputs = inputs.unwrap_or_default();
        let outputs = root.child("outputs").map(|element| declarations::outputs(element, self.findings));
        let (outputs, messages) = outputs.unwrap_or_default();
        let extends = root.attribute("extends");
        let extends = extends.and_then(|found| context::item_id(found.value.trim(), found.span, self.findings));
        let directive = self.metadata(metadata?, &inputs);
        Some(Directive { name: name?, version: version?, extends, inputs, outputs, messages, ..directive })
    }

    /// Reads everything in the metadata; other parts are left empty.
    fn metadata(&mut self, metadata: &Element, inputs: &[Input]) -> Directive {
        check(metadata, &METADATA, self.findings);
        no_effect::metadata(metadata, self.findings);
        let description = self.text(metadata, "description");
        let category = self.text(metadata, "category");
        let author = self.text(metadata, "author");
        let model = metadata.child("model").and_then(|element| self.model(element));
        let permissions = metadata.child("permissions").map(|element| super::permissions::read(element, self.findings));
        let limits = metadata.child("limits").map(|element| super::budget::limits(element, self.findings));
        let cost = metadata.child("cost").and_then(|element| super::budget::cost(element, self.findings));
        let context = metadata.child("context").map(|element| context::read(element, self.findings));
        let hooks = metadata.child("hooks").map(|element| hooks::read(element, inputs, self.findings));
        let continuation = metadata.child("continuation_directive").and_then(|element| {
            check(element, &leaf(&[], true), self.findings);
            context::item_id(element.text.trim(), element.text_place(), self.findings)
        });
        let (permissions, acknowledged) = permissions.unzip();
        let limits = limits.unwrap_or_default();
        if let (Err(error), Some(element)) = (limits.effective(cost.as_ref()), metadata.child("cost")) {
            let hint = "give both in one currency";
            self.findings.at(&rules::LIMITS_CONFLICT, element.span, error.to_string(), hint);
        }
        Directive {
            name: String::new(),
            version: crate::id::Version { major: 0, minor: 0, patch: 0 },
            extends: None,
            title: String::new(),
            preamble: String::new(),
            description,
            category,
            author: Some(author).filter(|author| !author.is_empty()),
            model,
            permissions,
            acknowledged: acknowledged.unwrap_or_default(),
            limits,
            cost,
            context: context.unwrap_or_default(),
            hooks: hooks.unwrap_or_default(),
            continuation,
            inputs: Vec::new(),
            outputs: Vec::new(),
            messages: Messages::default(),
            steps: Vec::new(),
            criteria: Vec::new(),
            body: String::new(),
        }
    }

    /// Reads a required element of plain text.
    fn text(&mut self, metadata: &Element, name: &str) -> String {
        let child = metadata.child(name);
        if let Some(child) = child {
            check(child, &leaf(&[], true), self.findings);
        }
        let text = child.map(|child| prose::one_line(&child.text)).unwrap_or_default();
        if text.is_empty() && !(name == "category" && child.is_some()) {
            let span = child.map_or(metadata.span, |child| child.span);
            let message = format!("the metadata has no `<{name}>`");
            self.findings.at(&rules::MISSING_ELEMENT, span, message, format!("add `<{name}>…</{name}>`"));
        }
        text
    }

    fn model(&mut self, element: &Element) -> Option<Model> {
        check(element, &MODEL, self.findings);
        let own = |name: &str| element.value(name).map(str::to_owned);
        Some(Model {
            tier: declarations::required(element, "tier", self.findings)?,
            id: own("id"),
            fallback: own("fallback"),
            fallback_id: own("fallback_id"),
            text: prose::one_line(&element.text),
        })
    }
}
