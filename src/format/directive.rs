//! A directive's text: title, xml block, process zone.
//!
//! The block holds what machines read, the zone after it what an agent follows. Nothing is dropped silently: see
//! `elements` for what is unknown and what is known but not interpreted.

use super::elements::{Shape, check, group, leaf, list};
use super::fence::{self, Fence, Outline};
use super::span::Findings;
use super::xml::{self, Element};
use super::{Anchors, Span, declarations, placeholders, process, prose, rules};
use crate::item::{Directive, Item, Model};

const ROOT: Shape = group(&["name", "version"], &["metadata", "inputs", "outputs"]);
const METADATA: Shape = group(&[], &["description", "category", "author", "model", "permissions", "limits", "cost"]);
const MODEL: Shape = leaf(&["tier", "id", "fallback", "fallback_id"], true);

/// Reads a directive.
pub(super) fn read(text: &str, findings: &mut Findings<'_>) -> (Option<Item>, Anchors) {
    let outline = fence::outline(text);
    let Some(fence) = directive_fence(text, &outline, findings) else { return (None, Anchors::default()) };
    let zone = Span::new(fence.block.end, text.len());
    let read = process::read(text, zone, findings);
    let element = match xml::parse(text, fence.content) {
        Ok(element) => element,
        Err(fault) => {
            findings.at(&rules::MALFORMED_XML, fault.span, fault.message, fault.hint);
            return (None, Anchors::default());
        }
    };
    let body = zone.of(text).trim();
    if body.is_empty() {
        let hint = "write the steps after the closing fence: `<process><step name=\"…\">…</step></process>`";
        findings.at(&rules::EMPTY_PROCESS, fence.block, "nothing follows the xml block", hint);
    }
    let mut reader = Reader { findings };
    let directive = reader.directive(&element).map(|directive| Directive {
        title: fence::title(text, outline.heading),
        preamble: preamble(text, &outline, fence),
        steps: read.steps,
        criteria: read.criteria,
        body: body.to_owned(),
        ..directive
    });
    if outline.heading.is_none() {
        findings.at(&rules::NO_TITLE, fence.block, "the directive has no title", "put `# Title` above the xml block");
    }
    if let Some(directive) = &directive {
        placeholders::check(text, zone, directive, &element, findings);
        declarations::check_sources(directive, &element, findings);
    }
    (directive.map(|directive| Item::Directive(Box::new(directive))), anchors(text, &element))
}

/// Finds the one fence that holds the directive element.
fn directive_fence<'o>(text: &str, outline: &'o Outline, findings: &mut Findings<'_>) -> Option<&'o Fence> {
    let holds = |fence: &&Fence| fence.language == "xml" && fence.content.of(text).contains("<directive");
    let mut holding = outline.fences.iter().filter(holds);
    let Some(first) = holding.next() else {
        no_fence(text, findings);
        return None;
    };
    for further in holding {
        let message = "a second xml block holds a `<directive` element";
        let hint = "keep one; fence an example with four backticks";
        findings.at(&rules::MANY_FENCES, further.block, message, hint);
    }
    if !first.closed {
        let opening = Span::new(first.block.start, first.content.start);
        findings.at(&rules::UNCLOSED_FENCE, opening, "the xml block is not closed", "end it with a line of ```");
        return None;
    }
    Some(first)
}

fn no_fence(text: &str, findings: &mut Findings<'_>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with("<directive") {
            let message = "a directive of pure XML is not supported by this version";
            let hint = "fence metadata, inputs and outputs with ```xml, and put `<process>` after the fence";
            let span = Span::new(offset, offset + line.trim_end().len());
            return findings.at(&rules::PURE_XML, span, message, hint);
        }
        offset += line.len();
    }
    let hint = "write ```xml, a `<directive name=\"…\" version=\"1.0.0\">` element, and ```";
    findings.whole(&rules::NO_FENCE, "no xml block holds a `<directive>` element", hint);
}

/// Returns the text between the heading (or a leading comment) and the fence.
fn preamble(text: &str, outline: &Outline, fence: &Fence) -> String {
    let start = outline.heading.map_or(0, |heading| heading.end);
    let between = Span::new(start, fence.block.start.max(start)).of(text).trim();
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
        let outputs = root.child("outputs").map(|element| declarations::outputs(element, self.findings));
        let directive = self.metadata(metadata?);
        Some(Directive {
            name: name?,
            version: version?,
            inputs: inputs.unwrap_or_default(),
            outputs: outputs.unwrap_or_default(),
            ..directive
        })
    }

    /// Reads everything in the metadata; what stands elsewhere is left empty.
    fn metadata(&mut self, metadata: &Element) -> Directive {
        check(metadata, &METADATA, self.findings);
        let description = self.text(metadata, "description");
        let category = self.text(metadata, "category");
        let author = self.text(metadata, "author");
        let model = metadata.child("model").and_then(|element| self.model(element));
        let permissions = metadata.child("permissions").map(|element| super::permissions::read(element, self.findings));
        let limits = metadata.child("limits").map(|element| super::budget::limits(element, self.findings));
        let cost = metadata.child("cost").and_then(|element| super::budget::cost(element, self.findings));
        let (permissions, acknowledged) = permissions.unzip();
        let limits = limits.unwrap_or_default();
        if let (Err(error), Some(element)) = (limits.effective(cost.as_ref()), metadata.child("cost")) {
            let hint = "give both in one currency";
            self.findings.at(&rules::LIMITS_CONFLICT, element.span, error.to_string(), hint);
        }
        Directive {
            name: String::new(),
            version: crate::id::Version { major: 0, minor: 0, patch: 0 },
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
            inputs: Vec::new(),
            outputs: Vec::new(),
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

/// The shape of `<inputs>` and `<outputs>`.
pub(super) const INPUTS: Shape = list(&["input"]);
/// The shape of `<outputs>`.
pub(super) const OUTPUTS: Shape = list(&["output"]);
