//! What a runtime says: the command that runs a script, read from its header. Unknown settings are refused.

use std::collections::BTreeMap;

use rye_plugin_abi::tool_kind::{PROJECT, SCRIPT};
use serde_json::{Map, Value};

use crate::id::ItemId;
use crate::item::Tool;

/// How a script is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// The chain, from what the tool names to the last before the primitive.
    pub links: Vec<ItemId>,
    /// The interpreter's names, or absolute paths, in order.
    pub interpreter: Vec<String>,
    /// Its arguments, with the marks of the plugin contract for the script and the project.
    pub args: Vec<String>,
    /// Variables for the script: of the nearest runtime that sets one.
    pub env: BTreeMap<String, String>,
    /// How many seconds a run may take, if it says.
    pub timeout: Option<u64>,
}

/// Marks of other programs' runtimes that would put data where other processes see it, or unverified code.
const REFUSED_MARKS: [&str; 5] = ["{params_json}", "{command}", "{anchor_path}", "{runtime_lib}", "${"];

impl Runtime {
    pub(super) fn of(links: Vec<ItemId>, tools: &[Tool]) -> Result<Self, String> {
        let mut env = BTreeMap::new();
        for (id, tool) in links.iter().zip(tools).rev() {
            env.extend(variables(id, tool)?);
        }
        let own = links.iter().zip(tools).find(|(_, tool)| tool.config.get("command").is_some());
        let (id, tool) = own.ok_or_else(|| format!("its runtime `{}` has no `config` with a `command`", links[0]))?;
        let config = tool.config.as_object().cloned().unwrap_or_default();
        known(id, "config", &config, &["command", "args", "input_data", "timeout"])?;
        if config.get("input_data").is_some_and(|data| data != "{params_json}") {
            return Err(wrong(id, "`input_data` can be nothing but `{params_json}`"));
        }
        let timeout = config
            .get("timeout")
            .map(|value| value.as_u64().ok_or_else(|| wrong(id, "`timeout` is not a number of seconds")));
        let (interpreter, args) = (interpreter(id, tool, &config)?, arguments(id, &config)?);
        Ok(Self { links, interpreter, args, env, timeout: timeout.transpose()? })
    }
}

fn wrong(id: &ItemId, why: &str) -> String {
    format!("its runtime `{id}` cannot be used: {why}")
}

fn known(id: &ItemId, whose: &str, map: &Map<String, Value>, names: &[&str]) -> Result<(), String> {
    let unknown = map.keys().find(|key| !names.contains(&key.as_str()));
    unknown.map_or(Ok(()), |key| Err(wrong(id, &format!("`{whose}.{key}` has no effect in this version"))))
}

/// The interpreter: named, or by the variable for which `env_config` has candidates.
fn interpreter(id: &ItemId, tool: &Tool, config: &Map<String, Value>) -> Result<Vec<String>, String> {
    let command = config.get("command").and_then(Value::as_str).ok_or_else(|| wrong(id, "`command` is not text"))?;
    let Some(variable) = command.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
        return is_program(command)
            .then(|| vec![command.to_owned()])
            .ok_or_else(|| wrong(id, "`command` is neither a name nor an absolute path"));
    };
    let found = env_config(tool)
        .and_then(|env| env.get("interpreter")?.as_object())
        .filter(|found| found.get("var").is_some_and(|var| var == variable));
    let found = found.ok_or_else(|| wrong(id, &format!("nothing says what `{command}` is")))?;
    let texts = |key: &str| match found.get(key) {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => vec![text.clone()],
        Some(_) | None => Vec::new(),
    };
    // Other places of a project (`search_paths`) are never looked at.
    let mut names: Vec<String> = Vec::new();
    for name in ["candidates", "binary", "fallback"].into_iter().flat_map(texts).filter(|name| is_program(name)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() { Err(wrong(id, "its `interpreter` has no name")) } else { Ok(names) }
}

fn is_program(name: &str) -> bool {
    !name.is_empty() && (name.starts_with('/') || !name.contains(['/', '$', '{']))
}

fn arguments(id: &ItemId, config: &Map<String, Value>) -> Result<Vec<String>, String> {
    let usual = [Value::from("{tool_path}")];
    let args = match config.get("args") {
        None => &usual[..],
        Some(Value::Array(args)) => args,
        Some(_) => return Err(wrong(id, "`args` is not a list")),
    };
    let args = args.iter().map(|arg| match arg.as_str() {
        Some("{tool_path}") => Ok(SCRIPT.to_owned()),
        Some("{project_path}") => Ok(PROJECT.to_owned()),
        Some(text) => match REFUSED_MARKS.iter().find(|mark| text.contains(**mark)) {
            None => Ok(text.to_owned()),
            Some(mark) => Err(wrong(id, &format!("`{mark}` is not allowed in `args`"))),
        },
        None => Err(wrong(id, "an argument is not text")),
    });
    let args = args.collect::<Result<Vec<_>, _>>()?;
    if args.iter().any(|arg| arg == SCRIPT) { Ok(args) } else { Err(wrong(id, "no argument is `{tool_path}`")) }
}

fn env_config(tool: &Tool) -> Option<&Map<String, Value>> {
    tool.rest.get("env_config")?.as_object()
}

/// The variables that a runtime sets, as texts.
fn variables(id: &ItemId, tool: &Tool) -> Result<BTreeMap<String, String>, String> {
    if tool.rest.get("anchor").is_some_and(|anchor| anchor.get("enabled") != Some(&Value::Bool(false))) {
        return Err(wrong(id, "`anchor` has no effect in this version: name further files as companions"));
    }
    let Some(env) = env_config(tool).and_then(|env| env.get("env")) else { return Ok(tool.env.clone()) };
    let env = env.as_object().ok_or_else(|| wrong(id, "`env_config.env` is not a map"))?;
    let mut variables = tool.env.clone();
    for (name, value) in env {
        let value = value.as_str().filter(|value| !value.contains("${"));
        let value =
            value.ok_or_else(|| wrong(id, &format!("the variable `{name}` is not text, or names another one")))?;
        variables.insert(name.clone(), value.to_owned());
    }
    Ok(variables)
}
