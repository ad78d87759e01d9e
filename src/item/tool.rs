//! A tool as its header declares it, read without running anything.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::id::Version;

/// A tool's header.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Tool {
    /// The `tool_id` key, when there is one: the id or its last segment.
    pub name: Option<String>,
    /// Its version; a tool without one does not validate.
    pub version: Option<Version>,
    /// One line that says what it does; empty when not said.
    pub description: String,
    /// The folder below `.ai/tools`, when declared.
    pub category: Option<String>,
    /// What kind of tool it says it is.
    pub tool_type: Option<String>,
    /// What runs it; without one the extension decides.
    pub executor_id: Option<String>,
    /// JSON Schema 2020-12 of its parameters.
    pub schema: Option<Value>,
    /// Parameters the caller cannot change.
    pub fixed_params: Map<String, Value>,
    /// The key under which the caller's parameters are nested.
    pub params_key: Option<String>,
    /// Settings of the tool, `null` when there are none.
    pub config: Value,
    /// Environment variables the tool asks for.
    pub env: BTreeMap<String, String>,
    /// Every other key, as advice only.
    pub rest: Map<String, Value>,
}
