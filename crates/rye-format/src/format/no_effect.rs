//! Warns about parts of an item that have no effect in this version, one sentence each (docs/formats.md, section 2.9).
//!
//! Repeated elements are named once, so that warnings do not add up to the error of too many findings.

use serde_json::Value;

use super::header::Header;
use super::span::Findings;
use super::syntax::xml::Element;
use super::{Rule, Span, rules};
use crate::capability::{Capability, Primary};
use crate::id::{ItemType, nearest};
use crate::item::{Action, Tool};

const NO_THREADS: &str = "threads do not start other threads in this version";
const REMOVE: &str = "remove it";

/// Keys of a tool that say how it is run.
pub(super) const RUN_KEYS: [&str; 8] = [
    "executor_id",
    "parameters",
    "schema",
    "config_schema",
    "input_schema",
    "fixed_params",
    "params_key",
    "companions",
];
/// Further keys of every tool. Search reads the last two.
pub(super) const TOOL_KEYS: [&str; 7] =
    ["version", "description", "category", "tool_type", "tool_id", "author", "tags"];

/// Keys of a tool that runs others.
const RUNTIME_KEYS: [&str; 3] = ["env_config", "anchor", "verify_deps"];

/// Warns of what the metadata of a directive says without effect.
pub(super) fn metadata(metadata: &Element, findings: &mut Findings<'_>) {
    if let Some(limits) = metadata.child("limits") {
        attributes(limits, &["spawns", "depth"], &rules::SPAWN_LIMIT, NO_THREADS, findings);
        let spends = ["spend", "max_spend"].iter().any(|name| limits.attribute(name).is_some());
        if let (false, Some(currency)) = (spends, limits.attribute("spend_currency")) {
            let message = "`spend_currency` has no effect: the limits have no `spend`";
            findings.at(&rules::IDLE_CURRENCY, currency.span, message, "add `spend`, or remove it");
        }
    }
    if let Some(context) = metadata.child("cost").and_then(|cost| cost.child("context")) {
        attributes(context, &["spawn_threshold"], &rules::SPAWN_THRESHOLD, NO_THREADS, findings);
    }
}

fn attributes(element: &Element, names: &[&str], rule: &Rule, why: &str, findings: &mut Findings<'_>) {
    for attribute in names.iter().filter_map(|name| element.attribute(name)) {
        findings.at(rule, attribute.span, format!("`{}` has no effect yet: {why}", attribute.name), REMOVE);
    }
}

/// Warns of a capability that can only be about the tools that start threads.
pub(super) fn capability(capability: &Capability, span: Span, findings: &mut Findings<'_>) {
    let Some((Primary::Execute, Some((ItemType::Tool, specifics)))) = capability.parts() else { return };
    if specifics.starts_with("rye.agent.threads.") {
        let message = format!("`{capability}` has no effect yet: {NO_THREADS}");
        findings.at(&rules::SPAWN_PERMISSION, span, message, REMOVE);
    }
}

/// Warns of arguments that an action of a step does not take. An unsupported argument of a search is refused when it is
/// called.
pub(super) fn arguments(action: &Action, span: Span, findings: &mut Findings<'_>) {
    match action.primary {
        Primary::Load | Primary::Sign => {}
        Primary::Execute | Primary::Search => return,
    }
    let idle = action.attributes.keys().filter(|name| matches!(name.as_str(), "query" | "max" | "offset" | "sort"));
    // A load may copy the item.
    let is_taken = |name: &str| action.primary == Primary::Load && name == "to";
    let params = action.params.iter().map(|(name, _)| name).filter(|name| !is_taken(name));
    if let Some(name) = idle.chain(params).next() {
        let message = format!("`{}` has no effect: `<{}>` takes no parameters", shortened(name), action.primary);
        findings.at(&rules::ACTION_ARGUMENT, span, message, REMOVE);
    }
}

/// Warns of inputs for a hook's action that takes none.
pub(super) fn inputs(primary: Primary, span: Span, findings: &mut Findings<'_>) {
    match primary {
        Primary::Load | Primary::Sign => {
            let message = format!("`<inputs>` has no effect: the action `{primary}` takes no parameters");
            findings.at(&rules::ACTION_ARGUMENT, span, message, REMOVE);
        }
        Primary::Execute | Primary::Search => {}
    }
}

/// Warns of what the header of a tool says without effect, before its keys are taken out.
pub(super) fn tool(header: &mut Header<'_, '_>) {
    let is_there = |key: &&str| header.keys.get(*key).is_some_and(|value| !value.is_null());
    let is_runtime = header.keys.get("tool_type").is_some_and(|tool_type| tool_type == "runtime");
    let executor = header.keys.get("executor_id").and_then(Value::as_str);
    // A script's kind looks at the script alone.
    let is_of_kind = executor.is_some_and(|executor| Tool::kind_named_by(executor).is_some());
    let settings: Vec<(&str, &str)> =
        [("config", "a script does not get it"), ("capabilities", "the permissions of the directive decide")]
            .into_iter()
            .filter(|(key, _)| is_there(key) && !((is_runtime || is_of_kind) && *key == "config"))
            .collect();
    for (key, why) in settings {
        warn(header, &rules::TOOL_SETTING, key, format!("`{key}` has no effect yet: {why}"), REMOVE.to_owned());
    }
    tool_keys(header, if is_runtime { &RUNTIME_KEYS } else { &[] });
}

fn tool_keys(header: &mut Header<'_, '_>, further: &'static [&'static str]) {
    let known = || {
        TOOL_KEYS.into_iter().chain(RUN_KEYS).chain(further.iter().copied()).chain(["config", "env", "capabilities"])
    };
    let unknown: Vec<String> = header.keys.keys().filter(|key| known().all(|known| known != *key)).cloned().collect();
    for key in unknown {
        let name = shortened(&key);
        let hint = match nearest(&name, known()) {
            _ if key == "name" => "write `tool_id` for the id, or remove it".to_owned(),
            Some(near) => format!("did you mean `{near}`?"),
            None => REMOVE.to_owned(),
        };
        warn(header, &rules::TOOL_KEY, &key, format!("`{name}` has no effect: it is not a key of a tool"), hint);
    }
}

fn warn(header: &mut Header<'_, '_>, rule: &Rule, key: &str, message: String, hint: String) {
    let place = header.place(key);
    header.findings.at(rule, place, message, hint);
}

/// Keeps hostile names out of messages and the edit distance short.
fn shortened(name: &str) -> String {
    name.chars().take(80).collect()
}
