//! Endpoints without reasoning: the fields of a request that ask for it, and what a server says that does not know them.

use serde_json::Value;

/// The fields of a request's body that ask for reasoning, on every wire format.
const FIELDS: [&str; 4] = ["thinking", "output_config", "reasoning", "reasoning_effort"];
/// What the plugin `openai` asks for by itself, to have reasoning back.
const INCLUDE: &str = "include";
/// What servers say of a field that they do not know, or that their model does not have.
const UNKNOWN: [&str; 11] = [
    "unknown",
    "unsupported",
    "not supported",
    "does not support",
    "doesn't support",
    "unrecognized",
    "unexpected",
    "extra inputs",
    "extra fields",
    "not permitted",
    "not allowed",
];

/// Tells whether a server refused a request, in these words, because it knows no reasoning.
#[must_use]
pub fn knows_no_reasoning(message: &str) -> bool {
    let message = message.to_lowercase();
    let says = |words: &[&str]| words.iter().any(|words| message.contains(words));
    // A value that is refused is the document's fault.
    says(&UNKNOWN)
        && says(&["thinking", "reasoning", "output_config", "effort parameter"])
        && !says(&["value", "level"])
}

/// Returns the fields of a request that ask for reasoning.
#[must_use]
pub fn reasoning_fields(body: &str) -> Vec<&'static str> {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let included = body.get(INCLUDE).is_some_and(|include| include.to_string().contains("reasoning"));
    let asked = FIELDS.into_iter().filter(|field| body.get(field).is_some());
    asked.chain(included.then_some(INCLUDE)).collect()
}

/// Takes the fields out of what a provider document adds to requests.
pub fn leave_out_of_params(document: &mut Value, fields: &[String]) {
    let Some(document) = document.as_object_mut() else { return };
    let params = document.entry("params").or_insert_with(|| Value::Object(serde_json::Map::new()));
    let Some(params) = params.as_object_mut() else { return };
    for field in fields {
        params.shift_remove(field);
        if field == INCLUDE {
            // The plugin writes it, unless the document takes it away.
            params.insert(field.clone(), Value::Null);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_refusal_of_reasoning_is_told_from_one_of_its_values() {
        let body = json!({"model": "m", "thinking": {"type": "adaptive"}, "include": ["reasoning.encrypted_content"]});
        assert_eq!(reasoning_fields(&body.to_string()), ["thinking", "include"]);
        assert!(reasoning_fields("{}").is_empty());
        for message in [
            "litellm.UnsupportedParamsError: ollama does not support parameters: ['thinking']",
            "thinking: Extra inputs are not permitted",
            "adaptive thinking is not supported on this model",
            "Unrecognized request argument supplied: reasoning_effort",
            "Unknown parameter: 'reasoning'.",
            "This model does not support the effort parameter.",
        ] {
            assert!(knows_no_reasoning(message), "{message}");
        }
        for message in [
            "thinking.budget_tokens: must be at least 1024",
            "Unsupported value: 'reasoning_effort' does not support 'max' with this model.",
            "messages.1.content.0: Invalid `signature` in `thinking` block",
            "Unknown parameter: 'metadata'.",
            "This model does not support the effort parameter at the level 'max'.",
        ] {
            assert!(!knows_no_reasoning(message), "{message}");
        }
    }

    #[test]
    fn fields_are_left_out_of_the_parameters_alone() {
        let mut document = json!({"plugin": "x", "params": {"thinking": {"type": "adaptive"}, "seed": 1}});
        leave_out_of_params(&mut document, &["thinking".to_owned(), "include".to_owned()]);
        assert_eq!(document, json!({"plugin": "x", "params": {"seed": 1, "include": null}}));
    }
}
