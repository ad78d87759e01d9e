//! The tools a model is offered, and what each call of one means.
//!
//! A call is parsed once into an [`Action`]; the token chain turns it into a [`Permitted`] action or a denial; only
//! a permitted action can be performed. So what is checked is the very value that is dispatched (hole 6 of the threat
//! model). Names are flat and injective: two tools never share one (hole 12).

mod names;
mod offer;
mod search;
mod touched;

use std::collections::BTreeMap;
use std::fmt;

use rye_plugin_abi::provider::{ToolCall, ToolSpec};
use serde_json::{Map, Value, json};

use crate::capability::{Access, Call, Capability, Consent, Denial, Primary, ProjectPath, TokenChain, aliases};
use crate::id::{ItemId, ItemType};

use offer::{primary_spec, spec};
pub use search::Search;
use touched::touched_path;

/// The name of the call that ends a directive.
pub const RETURN: &str = "directive_return";

/// The name of the call by which a model says that its work leaves the declared way.
pub const DEVIATION: &str = "rye_deviation";

/// What a call asks for, parsed.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Run a tool.
    Tool {
        /// The tool.
        id: ItemId,
        /// Its parameters.
        parameters: Map<String, Value>,
        /// The path it touches, for the built-in file tools.
        path: Option<(Access, ProjectPath)>,
    },
    /// Take in a directive's instructions or knowledge.
    TakeIn {
        /// Directive or knowledge.
        item_type: ItemType,
        /// The item.
        id: ItemId,
        /// Inputs of a directive.
        parameters: Map<String, Value>,
    },
    /// Read an item's raw bytes.
    Load {
        /// The item's type.
        item_type: ItemType,
        /// The item.
        id: ItemId,
    },
    /// Find items by what they say.
    Search(Search),
    /// Sign an item, with the agent key.
    Sign {
        /// The item's type.
        item_type: ItemType,
        /// The item.
        id: ItemId,
    },
}

/// An action that every token of the chain allows. It can be made only by the check.
#[derive(Debug, Clone, PartialEq)]
pub struct Permitted {
    action: Action,
    ask: Option<(Call, Capability)>,
}

/// What a model's call came to before anything was performed.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolved {
    /// The outputs of the directive.
    Return(Map<String, Value>),
    /// The model says that its work leaves the declared way.
    Deviation {
        /// What kind of deviation.
        kind: String,
        /// What happened.
        message: String,
    },
    /// An action to check and perform.
    Action(Action),
    /// A call that means nothing: the sentence the model gets to see.
    Fault {
        /// A stable word: `unknown_tool` or `bad_arguments`.
        code: &'static str,
        /// What is wrong.
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
#[derive(Debug, Clone, PartialEq)]
pub struct Toolbox {
    specs: Vec<ToolSpec>,
    flat: BTreeMap<String, ItemId>,
}

impl Action {
    /// Returns what a permission check judges; a search is judged item by item, as it finds them.
    #[must_use]
    pub fn call(&self) -> Option<Call> {
        match self {
            Self::Tool { id, .. } => Some(Call::on(Primary::Execute, ItemType::Tool, id.clone())),
            Self::TakeIn { item_type, id, .. } => Some(Call::on(Primary::Execute, *item_type, id.clone())),
            Self::Load { item_type, id } => Some(Call::on(Primary::Load, *item_type, id.clone())),
            Self::Sign { item_type, id } => Some(Call::on(Primary::Sign, *item_type, id.clone())),
            Self::Search(_) => None,
        }
    }

    /// Returns the capability that would cover the action.
    #[must_use]
    pub fn needed(&self) -> String {
        match self {
            Self::Search(search) => search.needed(),
            action => action.call().map_or_else(String::new, |call| call.needed()),
        }
    }

    /// Returns the item the action is on; a search is on none.
    #[must_use]
    pub const fn item_id(&self) -> Option<&ItemId> {
        match self {
            Self::Tool { id, .. } | Self::TakeIn { id, .. } | Self::Load { id, .. } | Self::Sign { id, .. } => Some(id),
            Self::Search(_) => None,
        }
    }

    /// Checks the action against every token of the chain. What a search may find is checked again for each item.
    ///
    /// # Errors
    ///
    /// Returns the denial the model gets to see.
    pub fn permit(self, chain: &TokenChain) -> Result<Permitted, Denial> {
        if let Self::Search(search) = &self {
            chain.check_search(search.item_type)?;
        }
        let Some(call) = self.call() else { return Ok(Permitted { action: self, ask: None }) };
        let consent = chain.check(&call)?;
        if let Self::Tool { path: Some((access, path)), .. } = &self {
            chain.check_path(*access, path)?;
        }
        let ask = match consent {
            Consent::Given => None,
            Consent::Needed { pattern } => Some((call, pattern)),
        };
        Ok(Permitted { action: self, ask })
    }

    fn tool(id: ItemId, parameters: Map<String, Value>) -> Result<Self, String> {
        let path = touched_path(&id, &parameters)?;
        Ok(Self::Tool { id, parameters, path })
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self, self.call()) {
            (Self::Search(search), _) => search.fmt(f),
            (_, call) => call.map_or(Ok(()), |call| call.fmt(f)),
        }
    }
}

impl Permitted {
    /// Returns the action.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.action
    }

    /// Returns the call and the configured pattern for which a person must agree to it first.
    #[must_use]
    pub fn must_ask(&self) -> Option<(&Call, &Capability)> {
        self.ask.as_ref().map(|(call, pattern)| (call, pattern))
    }
}

impl Toolbox {
    /// Gathers the tools a model is offered: permitted tools by flat names, the permitted primaries, and
    /// `directive_return` when there is something to return.
    #[must_use]
    pub fn new(tools: &[OfferedTool], primaries: &[Primary], returns: Option<Value>) -> Self {
        let flat = names::flat_names(tools);
        let mut specs: Vec<ToolSpec> = flat
            .iter()
            .filter_map(|(name, id)| Some((name, tools.iter().find(|tool| tool.id == *id)?)))
            .map(|(name, tool)| spec(name, &tool.description, tool.schema.clone()))
            .collect();
        specs.extend(primaries.iter().map(|primary| primary_spec(*primary)));
        specs.extend(returns.map(|schema| spec(RETURN, "Returns the directive's outputs and ends the work.", schema)));
        Self { specs, flat }
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

    /// Returns the tools as the model is offered them.
    #[must_use]
    pub fn specs(&self) -> &[ToolSpec] {
        &self.specs
    }

    /// Returns the name and arguments by which the model calls an action of a directive's step.
    #[must_use]
    pub fn call_for(&self, primary: Primary, item_type: ItemType, id: &ItemId, parameters: Value) -> (String, Value) {
        let id = &aliases::resolve(item_type, id.clone());
        let flat = (primary == Primary::Execute && item_type == ItemType::Tool)
            .then(|| self.flat.iter().find(|(_, known)| *known == id))
            .flatten();
        match flat {
            Some((name, _)) => (name.clone(), parameters),
            None if primary == Primary::Execute => {
                ("rye_execute".to_owned(), json!({"item_type": item_type, "item_id": id, "parameters": parameters}))
            }
            None => {
                // What the action says besides goes along, so that what cannot be served is refused, not dropped.
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
        if let Some(id) = self.flat.get(&call.name) {
            return Action::tool(id.clone(), input.clone()).map_or_else(bad_arguments, Resolved::Action);
        }
        match call.name.strip_prefix("rye_").and_then(|word| word.parse::<Primary>().ok()) {
            Some(primary) => self.resolve_primary(primary, input),
            None => self.unknown(&call.name),
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
        let message = format!("there is no tool `{name}`; there are: {}", names.join(", "));
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

fn parse_primary(primary: Primary, input: &Map<String, Value>) -> Result<Action, String> {
    if primary == Primary::Search {
        return search::parse(input).map(Action::Search);
    }
    let word =
        |name: &str| input.get(name).and_then(Value::as_str).ok_or_else(|| format!("`{name}` is missing or no string"));
    let item_type: ItemType = word("item_type")?.parse().map_err(|error| format!("{error}"))?;
    let id: ItemId = word("item_id")?.parse().map_err(|error| format!("{error}"))?;
    let id = aliases::resolve(item_type, id);
    let parameters = match input.get("parameters") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(parameters)) => parameters.clone(),
        Some(_) => return Err("`parameters` must be a JSON object".to_owned()),
    };
    // What cannot be done must not look as if it had been: no call copies, or chooses a space.
    if let Some(name) = ["from", "to", "space", "force"].into_iter().find(|name| input.contains_key(*name)) {
        return Err(format!("`rye_{primary}` takes no `{name}`"));
    }
    action(primary, item_type, id, parameters)
}

/// Makes the action that a call or a hook asks for.
pub(super) fn action(
    primary: Primary,
    item_type: ItemType,
    id: ItemId,
    parameters: Map<String, Value>,
) -> Result<Action, String> {
    match (primary, item_type) {
        (Primary::Execute, ItemType::Tool) => Action::tool(id, parameters),
        (Primary::Execute, _) => Ok(Action::TakeIn { item_type, id, parameters }),
        (Primary::Load, _) => Ok(Action::Load { item_type, id }),
        (Primary::Sign, _) => Ok(Action::Sign { item_type, id }),
        (Primary::Search, _) => Err("a search acts on no item: let a directive or the model search".to_owned()),
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
            ("rye_load", json!({"item_type": "tool", "item_id": "x", "to": "project"})),
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
