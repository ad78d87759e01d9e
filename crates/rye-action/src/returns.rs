//! The outputs a directive declares, as a contract with the model.
//!
//! A model that returns without them is told the missing outputs, twice; then the thread ends in error.

use serde_json::{Map, Value, json};

use crate::item::Output;

/// How often a model may return too little before the thread ends in error.
const ATTEMPTS: u32 = 3;

/// The declared outputs and how often the model failed to return them.
#[derive(Debug, Clone, PartialEq)]
pub struct Returns {
    outputs: Vec<Output>,
    failed: u32,
    last: Option<String>,
}

impl Returns {
    /// Takes in a directive's declaration.
    #[must_use]
    pub const fn new(outputs: Vec<Output>) -> Self {
        Self { outputs, failed: 0, last: None }
    }

    /// Returns the declaration.
    #[must_use]
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Returns the schema of `directive_return`; none when the directive declares no outputs.
    #[must_use]
    pub fn schema(&self) -> Option<Value> {
        if self.outputs.is_empty() {
            return None;
        }
        let property = |output: &Output| {
            (output.name.clone(), json!({"type": output.kind.as_str(), "description": output.description}))
        };
        let properties: Map<String, Value> = self.outputs.iter().map(property).collect();
        let required: Vec<&str> =
            self.outputs.iter().filter(|output| output.required).map(|output| output.name.as_str()).collect();
        Some(json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false}))
    }

    /// Checks what the model returned.
    ///
    /// # Errors
    ///
    /// Returns the sentence the model gets to see, and counts the attempt.
    pub fn accept(&mut self, given: &Map<String, Value>) -> Result<(), String> {
        let faults: Vec<String> = self.outputs.iter().filter_map(|output| fault(output, given)).collect();
        let unknown = given.keys().filter(|name| !self.outputs.iter().any(|output| output.name == **name));
        let faults: Vec<String> =
            faults.into_iter().chain(unknown.map(|name| format!("`{name}` is not declared"))).collect();
        if faults.is_empty() { Ok(()) } else { Err(self.refuse(faults.join("; "))) }
    }

    /// Judges a model that stopped without returning: the reminder it gets, or none if nothing is required.
    pub fn missing_at_end(&mut self) -> Option<String> {
        let missing: Vec<String> =
            self.outputs.iter().filter(|output| output.required).map(|output| format!("`{}`", output.name)).collect();
        if missing.is_empty() {
            return None;
        }
        let sentence = format!("the directive is not done: call `directive_return` with {}", missing.join(", "));
        Some(self.refuse(sentence))
    }

    /// Returns why the thread must end, once the model has failed often enough.
    #[must_use]
    pub fn exhausted(&self) -> Option<String> {
        let last = self.last.as_deref().filter(|_| self.failed >= ATTEMPTS)?;
        Some(format!("the declared outputs were not returned after {ATTEMPTS} attempts: {last}"))
    }

    fn refuse(&mut self, sentence: String) -> String {
        self.failed += 1;
        self.last = Some(sentence.clone());
        sentence
    }
}

fn fault(output: &Output, given: &Map<String, Value>) -> Option<String> {
    match given.get(&output.name) {
        None | Some(Value::Null) if output.required => Some(format!("`{}` is missing", output.name)),
        Some(value) if !value.is_null() && !output.kind.fits(value) => {
            Some(format!("`{}` must be of type {}", output.name, output.kind))
        }
        _ => None,
    }
}
