//! Legacy permissions in the hierarchical form.
//!
//! `<cap>`, `<execute resource="…">`, acknowledgements without `risk`. Runs of legacy elements become one block, in
//! their order, below their comments. Grants without an element stay as they are and are named.

use super::capabilities::{Parts, parts};
use super::edits::{Edits, indentation};
use super::work::{Work, shown};
use crate::capability::{Capability, Primary};
use crate::format::Span;
use crate::format::directive::permissions::legacy;
use crate::format::syntax::prose;
use crate::format::syntax::xml::Element;
use crate::item::Risk;

const CHANGE: &str = "write permissions in the hierarchical form";
/// The reason of an acknowledgement that was written without one.
pub(super) const REASON: &str =
    "Carried over from a legacy form that asked for no reason: narrow it, or say why it is needed.";

pub(super) fn rewrite(work: &mut Work<'_>) {
    let Some(block) = work.block() else { return };
    let metadata = block.root.child("metadata");
    let Some(permissions) = metadata.and_then(|metadata| metadata.child("permissions")) else { return };
    let text = work.text.clone();
    let mut rewriting = Rewriting { text: &text, work, edits: Edits::default(), everything: false };
    rewriting.element(permissions);
    let edits = rewriting.edits;
    work.apply(edits, CHANGE);
}

/// What a legacy element says, in the current form.
enum Now {
    /// The whole of `<permissions>`.
    Everything,
    /// Every item under one primary action, or items of a type.
    Part(Parts),
}

struct Rewriting<'t, 'w, 'f> {
    text: &'t str,
    work: &'w mut Work<'f>,
    edits: Edits,
    /// Whether `*` was written already.
    everything: bool,
}

impl Rewriting<'_, '_, '_> {
    fn element(&mut self, permissions: &Element) {
        let mut accepted = Risk::Write;
        let mut asked = Risk::Safe;
        let mut runs: Vec<Vec<(&Element, Now)>> = vec![Vec::new()];
        for child in &permissions.children {
            if child.name == "acknowledge" {
                accepted = accepted.max(self.acknowledge(child).unwrap_or(Risk::Safe));
            }
            let read = self.legacy(child);
            let adjoins = |run: &Vec<(&Element, Now)>| run.last().is_none_or(|(last, _)| self.adjoin(last, child));
            if read.is_none() || !runs.last().is_some_and(adjoins) {
                runs.push(Vec::new());
            }
            if let (Some((capability, now)), Some(run)) = (read, runs.last_mut()) {
                asked = asked.max(Risk::of(&capability));
                run.push((child, now));
            }
        }
        runs.retain(|run| !run.is_empty());
        let last = runs.len();
        for (number, run) in runs.into_iter().enumerate() {
            let acknowledged = (number + 1 == last && asked > accepted).then_some(asked);
            self.write(&run, acknowledged);
        }
    }

    /// Tells whether only blanks stand between two elements.
    fn adjoin(&self, a: &Element, b: &Element) -> bool {
        Span::new(a.whole.end, b.whole.start).of(self.text).trim().is_empty()
    }

    /// Reads a legacy element.
    fn legacy(&mut self, element: &Element) -> Option<(Capability, Now)> {
        let capability = match (element.name.as_str(), element.attribute("resource")) {
            ("cap", _) => element.text.trim().parse().ok(),
            (name @ ("execute" | "search" | "load" | "sign"), Some(_)) => {
                legacy::resource(name.parse().ok()?, |attribute| element.value(attribute)).ok().and_then(Result::ok)
            }
            _ => return None,
        };
        let now = capability.as_ref().and_then(now);
        if now.is_none() {
            let form = shown(element.whole.of(self.text));
            let message = format!("`{form}` has no form of its own: spell out action, type and pattern");
            self.work.stays(element.whole.start, message);
        }
        Some((capability?, now?))
    }

    /// Writes a run of legacy elements as current ones.
    fn write(&mut self, run: &[(&Element, Now)], acknowledged: Option<Risk>) {
        let (Some((first, _)), Some((last, _))) = (run.first(), run.last()) else { return };
        let indent = indentation(self.text, first.whole.start);
        let comments = run.iter().flat_map(|(element, _)| &element.comments);
        let mut lines: Vec<String> = comments.map(|comment| comment.of(self.text).to_owned()).collect();
        for (primary, patterns) in self.blocks(run) {
            lines.extend(block(primary, patterns, indent));
        }
        if let Some(risk) = acknowledged {
            lines.push(format!("<acknowledge risk=\"{risk}\">{REASON}</acknowledge>"));
            let message = format!("the permissions are {risk}: say why in `<acknowledge>`, or narrow them");
            self.work.look(first.whole.start, message);
        }
        let between = indent.map_or_else(String::new, |indent| format!("\n{indent}"));
        self.edits.replace(Span::new(first.whole.start, last.whole.end), lines.join(&between));
    }

    /// Groups neighbors under one action.
    fn blocks(&mut self, run: &[(&Element, Now)]) -> Vec<(Option<Primary>, Vec<String>)> {
        let mut blocks: Vec<(Option<Primary>, Vec<String>)> = Vec::new();
        for (_, now) in run {
            match now {
                Now::Everything if self.everything => {}
                Now::Everything => {
                    self.everything = true;
                    blocks.push((None, vec!["*".to_owned()]));
                }
                Now::Part((primary, None)) => blocks.push((None, vec![format!("<{primary}>*</{primary}>")])),
                Now::Part((primary, Some((item_type, pattern)))) => {
                    let line = format!("<{item_type}>{pattern}</{item_type}>");
                    match blocks.last_mut() {
                        Some((open, lines)) if *open == Some(*primary) => lines.push(line),
                        _ => blocks.push((Some(*primary), vec![line])),
                    }
                }
            }
        }
        blocks
    }

    /// Gives an acknowledgement its attribute, and returns what it accepts.
    fn acknowledge(&mut self, element: &Element) -> Option<Risk> {
        if let Some(risk) = element.value("risk") {
            return risk.parse().ok();
        }
        let at = element.whole.start;
        let Some(named) = legacy::acknowledge(&prose::one_line(&element.text)) else {
            let form = shown(element.whole.of(self.text));
            self.work.stays(
                at,
                format!("`{form}` names no risk: write `<acknowledge risk=\"elevated\">reason</acknowledge>`"),
            );
            return None;
        };
        if named.reason.is_empty() {
            self.work.look(at, "the acknowledgement gives no reason: say why in it");
        }
        let reason = if named.reason.is_empty() { REASON.to_owned() } else { escaped(&named.reason) };
        let comments: String = element.comments.iter().map(|comment| comment.of(self.text)).collect();
        let risk = named.risk;
        self.edits.replace(element.whole, format!("<acknowledge risk=\"{risk}\">{comments}{reason}</acknowledge>"));
        Some(risk)
    }
}

fn now(capability: &Capability) -> Option<Now> {
    if *capability == Capability::everything() {
        return Some(Now::Everything);
    }
    parts(capability).map(Now::Part)
}

/// Puts patterns into the element of their action: one on its line, several on lines of their own.
fn block(primary: Option<Primary>, lines: Vec<String>, indent: Option<&str>) -> Vec<String> {
    let Some(primary) = primary else { return lines };
    if lines.len() == 1 || indent.is_none() {
        return vec![format!("<{primary}>{}</{primary}>", lines.concat())];
    }
    let step = if indent.is_some_and(|indent| indent.contains('\t')) { "\t" } else { "  " };
    let inner = lines.into_iter().map(|line| format!("{step}{line}"));
    std::iter::once(format!("<{primary}>")).chain(inner).chain([format!("</{primary}>")]).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
