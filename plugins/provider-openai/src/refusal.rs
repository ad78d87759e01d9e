//! Why an answer was declined: what the model said, or the categories for which a filter stopped it.

use serde_json::Value;

use crate::server_error::one_line;

/// The categories for which a filter stopped an answer, as Azure names them.
pub(crate) fn categories(results: &Value) -> Vec<String> {
    let categories = results.as_object().into_iter().flatten();
    let filtered = categories.filter(|(_, result)| result["filtered"] == true);
    filtered.map(|(category, _)| one_line(category)).collect()
}

/// The reason: the model's own words, or else that a filter stopped the answer.
pub(crate) fn reason(refusal: &str, filtered: &[String]) -> String {
    match (one_line(refusal), filtered) {
        (refusal, _) if !refusal.is_empty() => refusal,
        (_, []) => "the provider's content filter stopped the answer".to_owned(),
        (_, filtered) => format!("the provider's content filter stopped the answer ({})", filtered.join(", ")),
    }
}
