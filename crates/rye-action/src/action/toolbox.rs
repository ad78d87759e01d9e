//! The tools that a thread's model is offered, and what each call of one means.
//!
//! Names are flat and injective: two tools never share one (hole 12 of the threat model).

use std::collections::BTreeMap;

use rye_plugin_abi::provider::{ToolCall, ToolSpec};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::names::{DEVIATION, RECALL, RETURN, flat_names, is_name_of, spec};
use super::permit::Action;
use super::primary::{parse_primary, primary_spec};
use super::recall::{self, Recall};
use crate::capability::{Primary, aliases};
use crate::execute::{self, Given};
use crate::id::{ItemId, ItemType};

/// What a model's call came to before anything was performed.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// The outputs of the directive.
    Return(Map<String, Value>),
    /// The model says that its work leaves the declared way.
    Deviation {
        /// The kind of deviation.
        kind: String,
        /// The event.
        message: String,
    },
    /// A part of an earlier result of this thread, which the model saw abridged or sees no more.
    Recall(Recall),
    /// An action to check and perform.
    Action(Action),
    /// A call that means nothing: the sentence the model gets to see.
    Fault {
        /// A stable word: `unknown_tool`, `nameless_call` or `bad_arguments`.
        code: &'static str,
        /// The fault.
        message: String,
    },
}

/// A tool the model may be offered.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedTool {
    /// Its id.
    pub id: ItemId,
    /// What it does.
    pub description: String,
    /// The schema of its parameters.
    pub schema: Value,
}

/// Everything a thread's model can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Toolbox {
    specs: Vec<ToolSpec>,
    /// The tools among them, by the names they are offered under.
    #[serde(rename = "items")]
    flat: BTreeMap<String, ItemId>,
    /// Permitted tools that are not offered, by the names they would have.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    withheld: BTreeMap<String, ItemId>,
    /// Every other tool that exists: one that is not permitted, or that cannot be used.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    others: Vec<ItemId>,
}

impl Toolbox {
    /// Gathers the tools a model is offered: permitted tools by flat names, the permitted primaries, and
    /// `directive_return` when there is something to return.
    #[must_use]
    pub fn new(tools: &[OfferedTool], primaries: &[Primary], returns: Option<Value>) -> Self {
        let flat = flat_names(tools.iter().map(|tool| &tool.id));
        let mut specs: Vec<ToolSpec> = flat
            .iter()
            .filter_map(|(name, id)| Some((name, tools.iter().find(|tool| tool.id == *id)?)))
            .map(|(name, tool)| spec(name, &tool.description, tool.schema.clone()))
            .collect();
        specs.extend(primaries.iter().map(|primary| primary_spec(*primary)));
        specs.extend(returns.map(|schema| spec(RETURN, "Returns the directive's outputs and ends the work.", schema)));
        Self { specs, flat, withheld: BTreeMap::new(), others: Vec::new() }
    }

    /// Knows permitted tools that are not offered: a call of one is a call of that tool, and is refused with the reason.
    #[must_use]
    pub fn withholding(mut self, ids: &[ItemId]) -> Self {
        let names = flat_names(self.flat.values().chain(ids));
        self.withheld =
            names.into_iter().filter(|(name, id)| ids.contains(id) && !self.flat.contains_key(name)).collect();
        self
    }

    /// Knows the tools that exist: a call of one that is not permitted is a call of that tool, and is denied.
    #[must_use]
    pub fn knowing(mut self, ids: Vec<ItemId>) -> Self {
        self.others = ids.into_iter().filter(|id| !self.tools().any(|known| known == id)).collect();
        self
    }

    /// Returns every permitted tool, offered or not.
    pub fn tools(&self) -> impl Iterator<Item = &ItemId> {
        self.flat.values().chain(self.withheld.values())
    }

    /// Offers `rye_deviation` too, for a thread with a hook that listens to it.
    #[must_use]
    pub fn with_deviation(mut self) -> Self {
        let text = json!({"type": "string"});
        let properties = json!({"type": text, "message": text});
        let schema = json!({"type": "object", "properties": properties, "required": ["type", "message"]});
        self.specs.push(spec(DEVIATION, "Says that the work leaves the way the directive declares.", schema));
        self
    }

    /// Offers to read what is left out of long results, where a call can have one.
    #[must_use]
    pub fn with_recall(mut self) -> Self {
        let can_be_long = |spec: &ToolSpec| ![RETURN, DEVIATION].contains(&spec.name.as_str());
        if self.specs.iter().any(can_be_long) {
            self.specs.push(recall::spec());
        }
        self
    }

    /// Tells whether the model can read results of its thread back.
    #[must_use]
    pub fn reads_results(&self) -> bool {
        self.specs.iter().any(|spec| spec.name == RECALL)
    }

    /// Returns the tools as the model is offered them.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Returns the name and arguments by which the model calls an action of a directive's step.
    #[must_use]
    pub fn call_for(&self, primary: Primary, item_type: ItemType, id: &ItemId, parameters: Value) -> (String, Value) {
        let id = aliases::resolve(item_type, id.clone());
        let run = match (primary, item_type, &parameters) {
            (Primary::Execute, ItemType::Tool, Value::Object(given)) => {
                execute::as_run(id.clone(), given.clone().into())
            }
            _ => Ok((id.clone(), Given::default())),
        };
        // Invalid parameters are reported when they are called.
        let (id, parameters) = match run {
            Ok((run, given)) if run != id => (run, Value::Object(given.object)),
            Ok(_) | Err(_) => (id, parameters),
        };
        let id = &id;
        let flat = (primary == Primary::Execute && item_type == ItemType::Tool)
            .then(|| self.flat.iter().find(|(_, known)| *known == id))
            .flatten();
        match flat {
            Some((name, _)) => (name.clone(), parameters),
            None if primary == Primary::Execute => {
                ("rye_execute".to_owned(), json!({"item_type": item_type, "item_id": id, "parameters": parameters}))
            }
            None => {
                // The other parameters of the action go along, so that unsupported ones are refused, not dropped.
                let mut input = json!({"item_type": item_type, "item_id": id});
                if let (Value::Object(input), Value::Object(more)) = (&mut input, parameters) {
                    input.extend(more);
                }
                (format!("rye_{primary}"), input)
            }
        }
    }

    /// Parses a model's call.
    #[must_use]
    pub fn resolve(&self, call: &ToolCall) -> Resolved {
        let Value::Object(input) = &call.input else {
            return bad_arguments(format!("the arguments of `{}` must be a JSON object", call.name));
        };
        if call.name == RETURN && self.specs.iter().any(|spec| spec.name == RETURN) {
            return Resolved::Return(input.clone());
        }
        if call.name == DEVIATION && self.specs.iter().any(|spec| spec.name == DEVIATION) {
            return deviation(input);
        }
        if call.name == RECALL && self.specs.iter().any(|spec| spec.name == RECALL) {
            return Recall::parse(input).map_or_else(bad_arguments, Resolved::Recall);
        }
        if let Some(id) = self.flat.get(&call.name).or_else(|| self.withheld.get(&call.name)) {
            return Action::tool(id.clone(), input.clone().into()).map_or_else(bad_arguments, Resolved::Action);
        }
        match call.name.strip_prefix("rye_").and_then(|word| word.parse::<Primary>().ok()) {
            Some(primary) => self.resolve_primary(primary, input),
            None => match self.others.iter().find(|id| is_name_of(&call.name, id)) {
                Some(id) => Resolved::Action(Action::of_other(id.clone(), input.clone().into())),
                None => self.unknown(&call.name),
            },
        }
    }

    fn resolve_primary(&self, primary: Primary, input: &Map<String, Value>) -> Resolved {
        match parse_primary(primary, input) {
            Ok(action) => Resolved::Action(action),
            Err(message) => bad_arguments(message),
        }
    }

    fn unknown(&self, name: &str) -> Resolved {
        let names: Vec<&str> = self.specs.iter().map(|spec| spec.name.as_str()).collect();
        if name.trim().is_empty() {
            let message = format!("the call names no tool (expected {}); make it again with a name", names.join(", "));
            return Resolved::Fault { code: "nameless_call", message };
        }
        let message = format!("unknown tool `{name}` (expected {})", names.join(", "));
        Resolved::Fault { code: "unknown_tool", message }
    }
}

const fn bad_arguments(message: String) -> Resolved {
    Resolved::Fault { code: "bad_arguments", message }
}

fn deviation(input: &Map<String, Value>) -> Resolved {
    let word = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    match (word("type"), word("message")) {
        (Some(kind), Some(message)) => Resolved::Deviation { kind, message },
        _ => bad_arguments("`type` and `message` must be strings".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn offered(id: &str) -> OfferedTool {
        OfferedTool { id: id.parse().unwrap(), description: String::new(), schema: json!({}) }
    }

    fn call(name: &str, input: Value) -> ToolCall {
        ToolCall { call_id: "1".to_owned(), name: name.to_owned(), input }
    }

    /// Hole 12 of the threat model: two tools that shared one name.
    #[test]
    fn names_are_injective() {
        let long = format!("a/{}", "x".repeat(100));
        let tools = ["a/b-c", "a/b_c", "a-b/c", "plain/one", "directive/return", &long].map(offered);
        let toolbox = Toolbox::new(&tools, &[], None);
        let names: Vec<&str> = toolbox.specs().iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| name.len() <= 64), "{names:?}");
        assert!(names.contains(&"plain_one") && !names.contains(&"a_b_c") && !names.contains(&RETURN), "{names:?}");
        for tool in &tools {
            let (name, _) = toolbox.call_for(Primary::Execute, ItemType::Tool, &tool.id, json!({}));
            let Resolved::Action(action) = toolbox.resolve(&call(&name, json!({}))) else { panic!("{name}") };
            assert_eq!(action.item_id(), Some(&tool.id));
        }
    }

    #[test]
    fn calls_are_parsed_once_and_wrong_ones_say_why() {
        let toolbox = Toolbox::new(&[offered("rye/file-system/write")], &[Primary::Load], None);
        let write = |path: &str| toolbox.resolve(&call("rye_file_system_write", json!({"path": path})));
        let Resolved::Action(action) = write("./a//b") else { panic!() };
        assert_eq!(action.needed(), "rye.execute.tool.rye.file-system.write");
        for (name, input) in [
            ("rye_file_system_write", json!({"path": "../a"})),
            ("rye_file_system_write", json!({})),
            ("rye_file_system_write", json!("text")),
            ("rye_load", json!({"item_type": "tool", "item_id": "../x"})),
            ("rye_load", json!({"item_type": "thing", "item_id": "x"})),
            ("rye_execute", json!({"item_type": "tool", "item_id": "x", "parameters": 3})),
            ("rye_load", json!({"item_type": "tool", "item_id": "x", "to": "user"})),
            ("rye_load", json!({"item_type": "tool", "item_id": "x", "from": "user"})),
            ("rye_load", json!({"item_type": "tool", "item_id": "x", "to": "project", "force": true})),
            ("rye_load", json!({"item_type": "tool", "item_id": "x", "parameters": {}})),
            ("rye_sign", json!({"item_type": "tool", "item_id": "x", "key": "mine"})),
            ("rye_execute", json!({"item_type": "tool", "item_id": "x", "dry_run": true})),
            ("rye_search", json!({"item_type": "tool"})),
            ("rye_search", json!({"query": "x", "item_type": "thread"})),
            ("rye_search", json!({"query": "x", "threads": true})),
            ("rye_search", json!({"query": "x", "max": -1})),
        ] {
            let resolved = toolbox.resolve(&call(name, input.clone()));
            assert!(matches!(resolved, Resolved::Fault { code: "bad_arguments", .. }), "{name} {input}");
        }
        for name in ["rye_publish", "shell", RETURN] {
            let resolved = toolbox.resolve(&call(name, json!({"item_type": "tool"})));
            assert!(matches!(resolved, Resolved::Fault { code: "unknown_tool", .. }), "{name}");
        }
    }
}
