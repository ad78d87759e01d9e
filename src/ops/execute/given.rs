//! Inputs and parameters as they were given.

use serde_json::{Map, Value};

/// Inputs as they were given, before anything is known of their types.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// A whole JSON object.
    pub object: Map<String, Value>,
    /// Single values as text: each is typed by its declaration and beats the object's.
    pub pairs: Vec<(String, String)>,
}

impl Given {
    /// Joins both forms; `typed` reads one value's text by its declaration.
    pub fn join(&self, typed: impl Fn(&str, &str) -> Value) -> Map<String, Value> {
        let mut joined = self.object.clone();
        for (name, text) in &self.pairs {
            joined.insert(name.clone(), typed(name, text));
        }
        joined
    }

    /// Joins both forms, with single values as the text they were given as.
    #[must_use]
    pub fn as_text(&self) -> Map<String, Value> {
        self.join(|_, text| text.into())
    }
}

impl From<Map<String, Value>> for Given {
    fn from(object: Map<String, Value>) -> Self {
        Self { object, pairs: Vec::new() }
    }
}
