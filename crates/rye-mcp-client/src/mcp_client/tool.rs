//! A tool as a server lists it.

use serde_json::{Map, Value};

use super::error::Error;
use crate::trust::{ContentHash, canonical_json};

/// The longest name of a tool, in bytes.
const MOST_NAME: usize = 256;

/// What of a listed tool is its definition: all that a model is told, and all that says what a call means.
const DEFINITION: [&str; 6] = ["name", "title", "description", "inputSchema", "outputSchema", "annotations"];

/// A tool as a server lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedTool {
    /// Its name at the server.
    pub name: String,
    /// What it says it does.
    pub description: String,
    /// The schema of its parameters.
    pub input_schema: Value,
    /// The SHA-256 of its definition.
    pub digest: ContentHash,
}

impl ListedTool {
    pub(super) fn read(server: &str, listed: &Value) -> Result<Self, Error> {
        let wrong = |reason: String| Error::Malformed { server: server.to_owned(), reason };
        let name = listed["name"].as_str().filter(|name| !name.is_empty() && name.len() <= MOST_NAME);
        let name =
            name.ok_or_else(|| wrong("it lists a tool without a name, or with one that is too long".to_owned()))?;
        let schema = &listed["inputSchema"];
        if !schema.is_object() {
            return Err(wrong(format!("the tool `{name}` has no `inputSchema`")));
        }
        let members = DEFINITION.iter().filter_map(|key| Some(((*key).to_owned(), listed.get(*key)?.clone())));
        let bytes = canonical_json(&Value::Object(members.collect::<Map<_, _>>()));
        let bytes = bytes.map_err(|_| wrong(format!("the definition of the tool `{name}` has no canonical form")))?;
        Ok(Self {
            name: name.to_owned(),
            description: listed["description"].as_str().or(listed["title"].as_str()).unwrap_or_default().to_owned(),
            input_schema: schema.clone(),
            digest: ContentHash::of(&bytes),
        })
    }
}
