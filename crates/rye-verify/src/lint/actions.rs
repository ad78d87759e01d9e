//! Whether the tools that a directive's steps call exist, take what they are given, and may touch the paths that are spelled out.
//!
//! Only what a step spells out is looked at: a value with a placeholder is known when the directive runs. Nothing has to be signed here.

use rye_plugin_abi::numbers;
use serde_json::{Map, Value};

use crate::capability::{Primary, ProjectPath, aliases, check_path, shell};
use crate::format::template::placeholders;
use crate::format::{self, Finding, Rule, Span, rules, schema};
use crate::id::{ItemId, ItemType, nearest};
use crate::item::{Action, Builtin, Directive, Item, OnError, Step, Tool, Touch};
use crate::locate::{LocateError, Purpose};
use crate::project::Project;

/// The most findings about the steps of one directive.
const MOST: usize = 100;

/// Returns the faults in the calls of a directive's steps; `text` is its file's.
pub(super) fn findings<'a>(project: &Project, directive: &'a Directive, text: &str) -> Vec<Finding> {
    let in_step = |step: &'a Step| step.actions.iter().map(move |action| (action, step.on_error));
    let (actions, on_error): (Vec<&Action>, Vec<OnError>) = directive.steps.iter().flat_map(in_step).unzip();
    let calls = actions.iter().zip(on_error).enumerate();
    let calls = calls.filter_map(|(index, (action, on_error))| Some((index, *action, on_error, literal_tool(action)?)));
    let mut found = Vec::new();
    for (index, action, on_error, id) in calls {
        let before = &actions[..index];
        found.extend(of_call(project, directive, &Place { text, action, on_error, before }, id));
        if found.len() >= MOST {
            break;
        }
    }
    found.truncate(MOST);
    found
}

/// The tool that an action calls, if its id is spelled out.
fn literal_tool(action: &Action) -> Option<ItemId> {
    match (action.primary, action.item_type) {
        (Primary::Execute, Some(ItemType::Tool)) => {
            Some(aliases::resolve(ItemType::Tool, action.item_id.as_deref()?.trim().parse().ok()?))
        }
        (Primary::Execute | Primary::Search | Primary::Load | Primary::Sign, _) => None,
    }
}

fn of_call(project: &Project, directive: &Directive, place: &Place<'_>, id: ItemId) -> Vec<Finding> {
    let value = |name: &str, text: &str| match name {
        shell::ARGS => numbers::parse(text).unwrap_or_else(|_| text.into()),
        _ => Value::from(text),
    };
    let given: Map<String, Value> =
        place.action.params.iter().map(|(name, text)| (name.clone(), value(name, text))).collect();
    let (called, given) = match shell::as_run(&id, &given) {
        None => (id.clone(), given),
        Some(Ok(given)) => (shell::RUN.parse().unwrap_or_else(|_| id.clone()), given),
        // A list can come from a placeholder.
        Some(Err(_)) if place.action.params.iter().any(|(_, text)| has_placeholder(text)) => return Vec::new(),
        Some(Err(message)) => return vec![place.finding(&rules::STEP_PARAMETER, None, message, "mend the parameter")],
    };
    match tool(project, &called) {
        Found::Tool(tool) => {
            let mut found = parameters(place, &id, &tool, &given);
            found.extend(paths(directive, place, &called, &given));
            found
        }
        Found::Unreadable => Vec::new(),
        Found::Nothing(nearest) => {
            let hint = match nearest {
                Some(id) => format!("did you mean `{id}`?"),
                None => "write that tool, or run `rye list tool` to list them".to_owned(),
            };
            vec![place.finding(&rules::STEP_TOOL, None, format!("unknown tool `{id}`"), &hint)]
        }
    }
}

/// What an id leads to.
enum Found {
    Tool(Box<Tool>),
    /// Something that has findings of its own.
    Unreadable,
    /// Nothing, and the id that was probably meant.
    Nothing(Option<String>),
}

fn tool(project: &Project, id: &ItemId) -> Found {
    match project.locate(ItemType::Tool, id, None, Purpose::Use) {
        Ok(located) => {
            let parsed = format::parse_bytes(ItemType::Tool, &located.candidate.extension, located.signed.content());
            match parsed.item {
                Some(Item::Tool(tool)) => Found::Tool(tool),
                Some(Item::Directive(_) | Item::Knowledge(_) | Item::Skill(_)) | None => Found::Unreadable,
            }
        }
        Err(LocateError::Unknown { suggestion, .. }) => Found::Nothing(suggestion.map(|id| id.to_string())),
        Err(_) => Found::Unreadable,
    }
}

/// Holds parameters against the tool's schema.
fn parameters(place: &Place<'_>, id: &ItemId, tool: &Tool, given: &Map<String, Value>) -> Vec<Finding> {
    let Some(schema) = &tool.offered_schema() else { return Vec::new() };
    let properties = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
    let known = || properties.keys().map(String::as_str);
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let finding =
        |name: Option<&str>, message: String, hint: &str| place.finding(&rules::STEP_PARAMETER, name, message, hint);
    let mut found = Vec::new();
    let is_wrong = |name: &&String| tool.fixes(name) || (is_closed && !properties.contains_key(*name));
    for name in given.keys().filter(is_wrong) {
        let hint = match nearest(name, known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("it takes: {}", known().collect::<Vec<_>>().join(", ")),
        };
        found.push(finding(Some(name), format!("`{id}` takes no `{name}`"), &hint));
    }
    // The following model gives the parameters that a step leaves out. One at a time, so that those with placeholders
    // are not faults; the rest of the schema may have definitions.
    let mut alone = schema.clone();
    alone.as_object_mut().map(|alone| alone.remove("required"));
    for (name, value) in given.iter().filter(|(name, _)| properties.contains_key(*name)) {
        let typed = match value {
            Value::String(text) if has_placeholder(text) => continue,
            Value::String(text) => schema::typed(Some(schema), name, text),
            other if has_placeholder(&other.to_string()) => continue,
            other => other.clone(),
        };
        if let Err(faults) = schema::check(&alone, &Value::Object(Map::from_iter([(name.clone(), typed)]))) {
            let fault = faults.first().map(|fault| fault.message.as_str()).unwrap_or_default();
            found.push(finding(Some(name), format!("`{name}` is not what `{id}` takes: {fault}"), "mend the value"));
        }
    }
    found
}

/// Checks literal paths of built-in tools: each is in the project, and the directive's own path rules, if any, allow it.
fn paths(directive: &Directive, place: &Place<'_>, id: &ItemId, given: &Map<String, Value>) -> Vec<Finding> {
    let Some(builtin) = Builtin::of(id) else { return Vec::new() };
    let text = |name: &&'static str| Some((*name, given.get(*name)?.as_str()?));
    let (open, literal): (Vec<_>, Vec<_>) =
        builtin.paths().iter().filter_map(text).partition(|(_, text)| has_placeholder(text));
    let outside = |(name, text): &(&str, &str)| {
        let error = text.parse::<ProjectPath>().err()?;
        let hint = "name a path inside of the project, without `..`";
        Some(place.finding(&rules::STEP_PATH, Some(name), error.to_string(), hint))
    };
    let outside: Vec<Finding> = literal.iter().filter_map(outside).collect();
    // A step that continues without a denied call expects the denial.
    let may_be_denied = match place.on_error {
        OnError::End => false,
        OnError::Continue => true,
    };
    let own = directive.permissions.as_ref().map(|permissions| &permissions.paths).filter(|own| !own.is_empty());
    let Some(own) = own.filter(|_| outside.is_empty() && open.is_empty() && !may_be_denied) else {
        return outside;
    };
    // A missing parameter names no path.
    let touches = builtin.touches(given).unwrap_or_default();
    let is_denied = |touch: &Touch| check_path([own], touch.access, &touch.path).is_err();
    let finding = |touch: Touch| {
        let message = format!("no path rule of this directive lets `{id}` {} `{}`", touch.access, touch.path);
        place.finding(&rules::STEP_PATH, None, message, "add a rule for the path, or name another path")
    };
    touches.into_iter().filter(is_denied).map(finding).collect()
}

fn has_placeholder(text: &str) -> bool {
    placeholders(text).next().is_some()
}

/// The place of a call in the text.
struct Place<'a> {
    text: &'a str,
    action: &'a Action,
    /// What its step does when it is denied.
    on_error: OnError,
    /// The calls before it.
    before: &'a [&'a Action],
}

impl Place<'_> {
    /// Makes a finding about the call, or about one of its parameters.
    fn finding(&self, rule: &Rule, parameter: Option<&str>, message: String, hint: &str) -> Finding {
        let id = self.action.item_id.as_deref().unwrap_or_default();
        let named = format!("item_id=\"{id}\"");
        let first = self.find(0, &named);
        let same = self.before.iter().filter(|before| before.item_id == self.action.item_id).count();
        let own = (0..same).try_fold(first, |call, _| Some(self.find(call?.end, &named))).flatten();
        let Some(call) = own.or(first) else { return Finding::whole(rule, message, hint) };
        let name = parameter.and_then(|name| self.find(call.end, &format!("name=\"{name}\"")));
        Finding::at(rule, self.text, name.unwrap_or(call), message, hint)
    }

    fn find(&self, from: usize, words: &str) -> Option<Span> {
        let start = from + self.text.get(from..)?.find(words)?;
        Some(Span { start, end: start + words.len() })
    }
}
