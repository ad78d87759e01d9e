//! `search`: the results, their order and form, and secrets that it never shows.

mod current;
mod finding;
mod permissions;
mod relevance;
mod threads;
mod words;

use serde_json::Value;

use crate::support::Sandbox;

/// Searches and returns the outcome, or the error.
fn search(sandbox: &Sandbox, args: &[&str]) -> Value {
    let args = [&["search", "--json"], args].concat();
    serde_json::from_slice(&sandbox.rye(&args).stdout()).unwrap()
}

/// The ids of the results, in their order.
fn ids(outcome: &Value) -> Vec<&str> {
    outcome["results"].as_array().unwrap().iter().map(|hit| hit["item_id"].as_str().unwrap()).collect()
}

/// Writes knowledge of the project.
fn knowledge(sandbox: &Sandbox, id: &str, title: &str, body: &str) {
    sandbox.put(&format!(".ai/knowledge/{id}.md"), &entry(id, title, body));
}

/// A knowledge entry as it is written.
fn entry(id: &str, title: &str, body: &str) -> String {
    let (category, name) = id.rsplit_once('/').unwrap_or(("", id));
    format!(
        "```yaml\nname: {name}\nversion: \"1.0.0\"\ntitle: \"{title}\"\ncategory: \"{category}\"\nauthor: ada\ntags: [alpha]\n```\n\n{body}\n"
    )
}
