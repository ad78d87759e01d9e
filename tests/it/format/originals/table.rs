//! The rows of the tables: one for each example, named by its line and its first words, with what its document means.

use serde_json::{Value, json};

/// One example and what it means.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) begins: &'static str,
    pub(super) says: Says,
}

/// What an example says.
pub(super) enum Says {
    /// Not a form of an item: a picture, a result, a form with words instead of values. With the reason.
    Nothing(&'static str),
    /// Something that another test holds the program to: its name.
    Elsewhere(&'static str),
    /// These values, and their findings: rules, in order.
    Values { value: Value, found: &'static [&'static str] },
}

impl Row {
    /// Names the findings in an example next to its meaning.
    pub(super) fn found(mut self, rules: &'static [&'static str]) -> Self {
        let Says::Values { found, .. } = &mut self.says else { panic!("{} says nothing", self.begins) };
        *found = rules;
        self
    }
}

pub(super) const fn nothing(line: usize, begins: &'static str, why: &'static str) -> Row {
    Row { line, begins, says: Says::Nothing(why) }
}

pub(super) const fn elsewhere(line: usize, begins: &'static str, test: &'static str) -> Row {
    Row { line, begins, says: Says::Elsewhere(test) }
}

pub(super) const fn means(line: usize, begins: &'static str, value: Value) -> Row {
    Row { line, begins, says: Says::Values { value, found: &[] } }
}

/// Capabilities, in order.
pub(super) fn calls<const N: usize>(calls: [&str; N]) -> Value {
    json!({"calls": calls.as_slice()})
}

pub(super) fn usd(amount: &str) -> Value {
    json!({"amount": amount, "currency": "USD"})
}

/// A hook of the form with `<when>`.
pub(super) fn hook<const N: usize>(when: &str, item_type: &str, item_id: &str, inputs: [(&str, &str); N]) -> Value {
    let mut hook = json!({"when": when, "action": action("execute", item_type, item_id)});
    if N > 0 {
        hook["inputs"] = json!(inputs.as_slice());
    }
    hook
}

pub(super) fn action(primary: &str, item_type: &str, item_id: &str) -> Value {
    json!({"primary": primary, "item_type": item_type, "item_id": item_id})
}

/// An action with parameters.
pub(super) fn with<const N: usize>(mut action: Value, params: [(&str, &str); N]) -> Value {
    action["params"] = json!(params.as_slice());
    action
}

pub(super) fn search(item_type: &str, query: &str) -> Value {
    json!({"primary": "search", "item_type": item_type, "attributes": {"query": query}})
}

/// A step with at most one action.
pub(super) fn step(name: &str, text: &str, action: Option<Value>) -> Value {
    let mut step = json!({"name": name, "text": text});
    if let Some(action) = action {
        step["actions"] = json!([action]);
    }
    step
}

pub(super) fn input(name: &str, required: bool, description: &str) -> Value {
    json!({"name": name, "type": "string", "required": required, "description": description})
}

pub(super) fn output(name: &str, description: &str) -> Value {
    input(name, true, description)
}
