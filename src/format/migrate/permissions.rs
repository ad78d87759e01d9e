//! Legacy permissions in the hierarchical form.
//!
//! `<cap>`, `<execute resource="…">`, whole capabilities in pattern elements, acknowledgements without `risk`. Runs of
//! legacy elements become one block, in their order. What no element can say stays as it is and is named for review.

use super::Work;
use super::edits::{Edits, indentation};
use crate::capability::{Capability, Primary};
use crate::format::xml::{self, Element};
use crate::format::{Span, legacy, prose};
use crate::id::ItemType;
use crate::item::Risk;

const CHANGE: &str = "write permissions in the hierarchical form";
const REASON: &str = "Carried over from a legacy form that asked for no reason: narrow it, or say why it is needed.";

pub(super) fn rewrite(work: &mut Work) {
    let text = work.text.clone();
    let Some(zone) = super::directive_zone(&text) else { return };
    let root = match xml::parse(&text, zone) {
        Ok(root) => root,
        Err(fault) => {
            let line = crate::format::Position::of(&text, fault.span.start).line;
            return work
                .review
                .push(format!("the xml cannot be read, so its forms stay: line {line}: {}", fault.message));
        }
    };
    let Some(permissions) = root.child("metadata").and_then(|metadata| metadata.child("permissions")) else { return };
    let mut rewriting = Rewriting { text: &text, edits: Edits::default(), review: Vec::new(), everything: false };
    rewriting.element(permissions);
    let Rewriting { edits, review, .. } = rewriting;
    work.review.extend(review);
    work.apply(edits, CHANGE);
}

/// What a legacy element says, in the current form.
enum Now {
    /// The whole of `<permissions>`.
    Everything,
    /// Every item under one primary action.
    All(Primary),
    /// Items of a type.
    Some(Primary, ItemType, String),
}

struct Rewriting<'t> {
    text: &'t str,
    edits: Edits,
    review: Vec<String>,
    /// Whether `*` was written already.
    everything: bool,
}

impl Rewriting<'_> {
    fn element(&mut self, permissions: &Element) {
        let mut accepted = Risk::Write;
        let mut run: Vec<(&Element, Now)> = Vec::new();
        let mut runs = Vec::new();
        let mut asked = Risk::Safe;
        for child in &permissions.children {
            let adjoins = run.last().is_some_and(|(last, _)| self.adjoin(last, child));
            if !adjoins && !run.is_empty() {
                runs.push(std::mem::take(&mut run));
            }
            match child.name.as_str() {
                "acknowledge" => accepted = accepted.max(self.acknowledge(child).unwrap_or(Risk::Safe)),
                _ => {
                    if let Some((capability, now)) = self.legacy(child) {
                        asked = asked.max(Risk::of(&capability));
                        run.push((child, now));
                    }
                }
            }
        }
        runs.extend(Some(run).filter(|run| !run.is_empty()));
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
            let shown: String = prose::one_line(element.whole.of(self.text)).chars().take(120).collect();
            self.review.push(format!("`{shown}` has no form of its own: spell out action, type and pattern"));
        }
        Some((capability?, now?))
    }

    /// Writes a run of legacy elements as current ones.
    fn write(&mut self, run: &[(&Element, Now)], acknowledged: Option<Risk>) {
        let (Some((first, _)), Some((last, _))) = (run.first(), run.last()) else { return };
        let indent = indentation(self.text, first.whole.start);
        let mut blocks: Vec<(Option<Primary>, Vec<String>)> = Vec::new();
        for (_, now) in run {
            match now {
                Now::Everything if self.everything => {}
                Now::Everything => {
                    self.everything = true;
                    blocks.push((None, vec!["*".to_owned()]));
                }
                Now::All(primary) => blocks.push((None, vec![format!("<{primary}>*</{primary}>")])),
                Now::Some(primary, item_type, pattern) => {
                    let line = format!("<{item_type}>{pattern}</{item_type}>");
                    match blocks.last_mut() {
                        Some((open, lines)) if *open == Some(*primary) => lines.push(line),
                        _ => blocks.push((Some(*primary), vec![line])),
                    }
                }
            }
        }
        let mut lines: Vec<String> =
            blocks.into_iter().flat_map(|(primary, lines)| block(primary, lines, indent)).collect();
        if let Some(risk) = acknowledged {
            lines.push(format!("<acknowledge risk=\"{risk}\">{REASON}</acknowledge>"));
            self.review.push(format!("the permissions are {risk}: say why in `<acknowledge>`, or narrow them"));
        }
        let between = indent.map_or_else(String::new, |indent| format!("\n{indent}"));
        self.edits.replace(Span::new(first.whole.start, last.whole.end), lines.join(&between));
    }

    /// Gives an acknowledgement its attribute, and returns what it accepts.
    fn acknowledge(&mut self, element: &Element) -> Option<Risk> {
        if let Some(risk) = element.value("risk") {
            return risk.parse().ok();
        }
        let named = legacy::acknowledge(&prose::one_line(&element.text))?;
        let reason = if named.reason.is_empty() { REASON.to_owned() } else { escaped(&named.reason) };
        let risk = named.risk;
        self.edits.replace(element.whole, format!("<acknowledge risk=\"{risk}\">{reason}</acknowledge>"));
        Some(risk)
    }
}

fn now(capability: &Capability) -> Option<Now> {
    if *capability == Capability::everything() {
        return Some(Now::Everything);
    }
    if let Some(item_type) = capability.as_str().strip_prefix("rye.search.").and_then(|rest| rest.parse().ok()) {
        return Some(Now::Some(Primary::Search, item_type, "*".to_owned()));
    }
    Some(match capability.parts()? {
        (primary, None) => Now::All(primary),
        (primary, Some((item_type, pattern))) => Now::Some(primary, item_type, pattern.to_owned()),
    })
}

/// Puts patterns into the element of their action: one on its line, several on lines of their own.
fn block(primary: Option<Primary>, lines: Vec<String>, indent: Option<&str>) -> Vec<String> {
    let Some(primary) = primary else { return lines };
    if lines.len() == 1 || indent.is_none() {
        return vec![format!("<{primary}>{}</{primary}>", lines.concat())];
    }
    let inner = lines.into_iter().map(|line| format!("  {line}"));
    std::iter::once(format!("<{primary}>")).chain(inner).chain([format!("</{primary}>")]).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
