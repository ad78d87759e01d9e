//! The parameters of a tool as callers see them: without those that the tool fixes.

use serde_json::Value;

use super::Tool;

/// Keywords whose schemas say more of the same object.
const SAME_OBJECT: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];

/// How deep such schemas are followed.
const MOST_DEPTH: usize = 16;

impl Tool {
    /// Tells whether the tool fixes a parameter: a caller neither sees nor gives it.
    #[must_use]
    pub fn fixes(&self, parameter: &str) -> bool {
        match &self.params_key {
            // The caller's parameters are nested under this key, so the others are the tool's own.
            Some(key) => self.fixed_params.contains_key(key),
            None => self.fixed_params.contains_key(parameter),
        }
    }

    /// Returns the schema of the parameters that a caller gives.
    #[must_use]
    pub fn offered_schema(&self) -> Option<Value> {
        let whole = self.schema.as_ref()?;
        if self.fixed_params.is_empty() {
            return Some(whole.clone());
        }
        let mut schema = whole.clone();
        self.hide(&mut schema, MOST_DEPTH);
        let mut next = reference(whole);
        for _ in 0..MOST_DEPTH {
            let Some(pointer) = next.take() else { break };
            next = whole.pointer(&pointer).and_then(reference);
            if let Some(target) = schema.pointer_mut(&pointer) {
                self.hide(target, MOST_DEPTH);
            }
        }
        Some(schema)
    }

    /// Takes the fixed parameters out of a schema of the parameters.
    fn hide(&self, schema: &mut Value, depth: usize) {
        let Some(members) = schema.as_object_mut().filter(|_| depth > 0) else { return };
        for key in ["properties", "dependentRequired", "dependentSchemas"] {
            if let Some(by_name) = members.get_mut(key).and_then(Value::as_object_mut) {
                by_name.retain(|name, _| !self.fixes(name));
            }
        }
        if let Some(required) = members.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| !name.as_str().is_some_and(|name| self.fixes(name)));
        }
        for key in SAME_OBJECT {
            match members.get_mut(key) {
                Some(Value::Array(schemas)) => schemas.iter_mut().for_each(|schema| self.hide(schema, depth - 1)),
                Some(schema) => self.hide(schema, depth - 1),
                None => {}
            }
        }
    }
}

/// Returns the pointer of a schema that stands for this one.
fn reference(schema: &Value) -> Option<String> {
    Some(schema.get("$ref")?.as_str()?.strip_prefix('#')?.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(schema: Value, fixed: Value, params_key: Option<&str>) -> Tool {
        let fixed_params = fixed.as_object().cloned().unwrap_or_default();
        Tool { schema: Some(schema), fixed_params, params_key: params_key.map(str::to_owned), ..Tool::default() }
    }

    #[test]
    fn a_fixed_parameter_is_in_no_part_of_the_schema() {
        let schema = json!({
            "properties": {"text": {"type": "string"}, "times": {"type": "integer"}},
            "required": ["text", "times"],
            "allOf": [{"if": {"properties": {"times": {"const": 3}}}, "then": {"required": ["times"]}}],
            "dependentRequired": {"times": ["text"]},
            "$ref": "#/$defs/all",
            "$defs": {"all": {"properties": {"times": {}}}, "inner": {"properties": {"x": {}}}},
        });
        let offered = tool(schema.clone(), json!({"times": 3}), None).offered_schema();
        let expected = json!({
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "allOf": [{"if": {"properties": {}}, "then": {"required": []}}],
            "dependentRequired": {},
            "$ref": "#/$defs/all",
            "$defs": {"all": {"properties": {}}, "inner": {"properties": {"x": {}}}},
        });
        assert_eq!(offered, Some(expected));
        // Under a key, the caller's parameter is another one.
        assert_eq!(tool(schema.clone(), json!({"times": 3}), Some("body")).offered_schema(), Some(schema.clone()));
        let all = tool(schema, json!({"body": {}}), Some("body")).offered_schema();
        assert_eq!(all.map(|all| all["properties"].clone()), Some(json!({})));
    }
}
