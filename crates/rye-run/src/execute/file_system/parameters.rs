//! The parameters of a call, which its tool's schema has checked.

use serde_json::{Map, Value};

use crate::capability::ProjectPath;

/// What a built-in tool was called with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameters<'p>(pub(super) &'p Map<String, Value>);

impl<'p> Parameters<'p> {
    /// Returns a text that must be there.
    pub(super) fn text(self, name: &str) -> Result<&'p str, String> {
        self.0.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` is missing or not a string"))
    }

    /// Returns a path; that of the project's folder if none is given.
    pub(super) fn path(self, name: &str) -> Result<ProjectPath, String> {
        let text = self.0.get(name).and_then(Value::as_str).unwrap_or_default();
        text.parse().map_err(|error| format!("{error}"))
    }

    /// Tells whether something is asked for.
    pub(super) fn flag(self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    /// Returns a whole number, if one is given.
    pub(super) fn number(self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
    }
}
