//! Inputs and parameters as they were given.

use rye_plugin_abi::numbers;
use serde_json::{Map, Value, json};

use crate::capability::shell;
use crate::format;
use crate::id::{ItemId, ItemType};
use crate::item::Takes;
use crate::workspace::BUILTIN;

/// Inputs as they were given, before anything is known of their types.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Given {
    /// A whole JSON object.
    pub object: Map<String, Value>,
    /// Single values as text: each is typed by its declaration and beats the object's.
    pub pairs: Vec<(String, String)>,
}

impl Given {
    /// Joins both forms; `typed` reads one value's text by its declaration.
    pub fn join(&self, typed: impl Fn(&str, &str) -> Value) -> Map<String, Value> {
        let mut joined = self.object.clone();
        for (name, text) in &self.pairs {
            joined.insert(name.clone(), typed(name, text));
        }
        joined
    }

    /// Joins both forms, with single values as the text they were given as.
    #[must_use]
    pub fn as_text(&self) -> Map<String, Value> {
        self.join(|_, text| text.into())
    }
}

/// Takes a call of `rye/shell/PROGRAM` as the call of `rye/shell/run` that it means, and any other as it is.
///
/// # Errors
///
/// Says what is wrong with its parameters.
pub fn as_run(id: ItemId, given: Given) -> Result<(ItemId, Given), String> {
    let (own, pairs): (Vec<_>, Vec<_>) =
        given.pairs.iter().cloned().partition(|(name, _)| shell::PROGRAM_PARAMETERS.contains(&name.as_str()));
    let typed = |name: &str, text: &str| match name {
        // A list is given as JSON.
        shell::ARGS => numbers::parse(text).unwrap_or_else(|_| text.into()),
        _ => text.into(),
    };
    let given_here = Given { object: given.object.clone(), pairs: own }.join(typed);
    let Some(run) = shell::as_run(&id, &given_here) else { return Ok((id, given)) };
    let run = run?;
    // Here, where the error names the program: its parameters are not those of what runs it.
    let others = run.keys().filter(|name| *name != shell::ARGV).chain(pairs.iter().map(|(name, _)| name));
    let others: Vec<_> = others.collect();
    if !others.is_empty() {
        let known = takes_of_builtin(&id);
        if let Some(name) = others.into_iter().find(|name| known.iter().all(|takes| takes.name != **name)) {
            return Err(format!("unknown parameter `{name}`"));
        }
    }
    let id = shell::RUN.parse().map_err(|error| format!("{error}"))?;
    Ok((id, Given { object: run, pairs }))
}

/// Lists what a built-in tool takes, or a call of `rye/shell/PROGRAM`, under which no item lies; nothing for other ids.
#[must_use]
pub fn takes_of_builtin(id: &ItemId) -> Vec<Takes> {
    let declared = |id: &str| {
        let mut files = BUILTIN.iter().filter(|file| file.item_type == ItemType::Tool && file.id == id);
        let item =
            files.find_map(|file| format::parse_bytes(ItemType::Tool, &file.extension.parse().ok()?, file.bytes).item);
        item.as_ref().map(Takes::of).unwrap_or_default()
    };
    if !shell::is_program(id) {
        return declared(id.as_str());
    }
    // `argv` is made of these two.
    let own = json!({"properties": {shell::COMMAND: {"type": "string"}, shell::ARGS: {"type": "array"}}});
    let others = declared(shell::RUN).into_iter().filter(|takes| takes.name != shell::ARGV);
    Takes::of_schema(&own).into_iter().chain(others).collect()
}

impl From<Map<String, Value>> for Given {
    fn from(object: Map<String, Value>) -> Self {
        Self { object, pairs: Vec::new() }
    }
}
