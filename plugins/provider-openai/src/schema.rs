//! The schema of a tool's parameters, as the server takes it.

use serde_json::{Map, Value};

/// Completes a schema: the server refuses an object that does not list its properties, as of a tool that takes none.
pub(crate) fn parameters(schema: &Value) -> Value {
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    schema.entry("type").or_insert_with(|| "object".into());
    schema.entry("properties").or_insert_with(|| Map::new().into());
    schema.into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_schema_lists_its_properties() {
        assert_eq!(parameters(&json!({"type": "object"})), json!({"type": "object", "properties": {}}));
        assert_eq!(parameters(&json!({})), json!({"type": "object", "properties": {}}));
        assert_eq!(parameters(&json!(true)), json!({"type": "object", "properties": {}}));
        let own = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
        assert_eq!(parameters(&own), own);
    }
}
