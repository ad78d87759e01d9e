//! Holding a rewritten text against the one it was made of: it means the same, and has no fault the other had not.
//!
//! Every pass is held to this, so a mistake in one of them leaves a form as it is instead of changing what an item does.

use std::collections::BTreeSet;

use serde_json::Value;

use super::capabilities::parts;
use super::permissions::REASON;
use crate::capability::Capability;
use crate::format::{Finding, Severity, capabilities, parse, validate};
use crate::item::{Directive, InputKind, Item, Output, Tool};
use crate::trust::Subject;

/// What an item means, while it is rewritten.
pub(super) struct Meaning<'s> {
    subject: &'s Subject,
    /// The last text that was read, with the result.
    last: Option<(String, Read)>,
}

impl<'s> Meaning<'s> {
    pub(super) const fn of(subject: &'s Subject) -> Self {
        Self { subject, last: None }
    }

    /// Returns what a rewritten text says otherwise than the one before; `fold` makes the spellings of one name one.
    pub(super) fn difference(&mut self, old: &str, new: &str, fold: impl Fn(&str) -> String) -> Option<String> {
        let last = self.last.take().filter(|(text, _)| text == old);
        let (text, before) = last.unwrap_or_else(|| (old.to_owned(), Read::of(self.subject, old)));
        let after = Read::of(self.subject, new);
        let difference = before.difference(&after, fold);
        self.last = Some(if difference.is_some() { (text, before) } else { (new.to_owned(), after) });
        difference
    }
}

/// Returns what a rewritten capability document says otherwise.
pub(super) fn document_difference(old: &str, new: &str, fold: impl Fn(&str) -> String) -> Option<String> {
    let permitted = |text: &str| {
        let calls: Vec<_> = capabilities(text).capabilities.calls.iter().map(spelled_as_elements).collect();
        let mut value = plain(&calls);
        folded(&mut value, &fold);
        value
    };
    (permitted(old) != permitted(new)).then(|| "its capabilities".to_owned())
}

/// A text as it was read.
struct Read {
    /// Errors and warnings that are not about legacy forms.
    faults: Vec<Finding>,
    meaning: Value,
}

impl Read {
    fn difference(&self, other: &Self, fold: impl Fn(&str) -> String) -> Option<String> {
        let known: BTreeSet<_> = self.faults.iter().map(|fault| (fault.rule, fold(&fault.message))).collect();
        let added = other.faults.iter().find(|fault| !known.contains(&(fault.rule, fold(&fault.message))));
        if let Some(fault) = added {
            return Some(format!("{}: {}", fault.rule, fault.message));
        }
        let (mut old, mut new) = (self.meaning.clone(), other.meaning.clone());
        folded(&mut old, &fold);
        folded(&mut new, &fold);
        if untitled(&old) {
            new["title"] = old["title"].clone();
        }
        (old != new).then(|| differing(&old, &new))
    }

    fn of(subject: &Subject, text: &str) -> Self {
        let parsed = parse(subject.item_type, &subject.extension, text);
        let mut faults = parsed.findings;
        faults.retain(|fault| fault.severity != Severity::Advice);
        let meaning = match parsed.item {
            Some(Item::Directive(directive)) => plain(&current(*directive)),
            Some(Item::Tool(tool)) => plain(&spelled_out(*tool, text)),
            Some(Item::Knowledge(knowledge)) => plain(&knowledge),
            Some(Item::Skill(manifest)) => plain(&manifest),
            None => Value::Null,
        };
        Self { faults, meaning }
    }
}

/// Returns a directive as its current form says it.
fn current(mut directive: Directive) -> Directive {
    directive.name = validate::snake_case(&directive.name);
    if let Some(permissions) = &mut directive.permissions {
        permissions.calls.iter_mut().for_each(|call| *call = spelled_as_elements(call));
        permissions.calls.sort();
        permissions.calls.dedup();
    }
    directive.acknowledged.retain(|named| !named.reason.is_empty() && named.reason != REASON);
    let messages = std::mem::take(&mut directive.messages);
    let said = [("success", messages.success), ("failure", messages.failure)];
    directive.outputs.extend(said.into_iter().filter_map(|(name, message)| Some(output(name, message?))));
    directive.outputs.sort_by(|a, b| a.name.cmp(&b.name));
    directive
}

/// Returns a capability as elements say it: a search names no item, so `rye.search.tool` is `rye.search.tool.*`.
fn spelled_as_elements(call: &Capability) -> Capability {
    let spelled =
        parts(call).and_then(|(primary, item)| Capability::of(primary, item.as_ref()?.0, &item.as_ref()?.1).ok());
    spelled.unwrap_or_else(|| call.clone())
}

/// Returns the output that a message is declared as.
fn output(name: &str, description: String) -> Output {
    Output { name: name.to_owned(), kind: InputKind::String, required: false, from: None, description }
}

/// Returns a tool whose list of capabilities is spelled out, whichever way it is written.
fn spelled_out(mut tool: Tool, text: &str) -> Tool {
    let permitted: Vec<_> = capabilities(text).capabilities.calls.iter().map(spelled_as_elements).collect();
    if !permitted.is_empty() {
        tool.rest.insert("capabilities".to_owned(), plain(&permitted));
    }
    tool
}

fn plain(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

/// Folds every text in a value; line ends are one.
fn folded(value: &mut Value, fold: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = fold(&text.replace("\r\n", "\n")),
        Value::Array(list) => list.iter_mut().for_each(|value| folded(value, fold)),
        Value::Object(map) => map.values_mut().for_each(|value| folded(value, fold)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Tells whether a directive had no title: it gets one with its fence.
fn untitled(directive: &Value) -> bool {
    directive.get("title").is_some_and(|title| title == "")
}

/// Names the first part that differs.
fn differing(old: &Value, new: &Value) -> String {
    let parts = old.as_object().into_iter().flatten();
    let part = parts.map(|(part, value)| (part, new.get(part) == Some(value))).find(|(_, same)| !same);
    part.map_or_else(|| "it as a whole".to_owned(), |(part, _)| format!("its `{part}`"))
}
