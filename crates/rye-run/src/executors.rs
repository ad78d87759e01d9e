//! Who runs a tool: this program, the kind for its file or the one that `executor_id` names, or a runtime of one's own, found by following
//! `executor_id`.
//!
//! A chain ends at the primitive that starts a process. Each link is an item like others: the reader here accepts only
//! verified ones. A link lies in the space of what names it, or in one further out: a project changes only its own
//! tools.

pub mod environment;
mod foreign_config;
pub mod git_reading;
pub mod grants;
mod judged_copy;
mod kept_away;
mod links;
pub mod outer_folders;
pub mod programs;
mod refusal;
mod runtime;
mod server_error;
mod server_reach;
mod servers;
mod tool_chains;

use std::collections::BTreeMap;
use std::str::FromStr as _;

use rye_plugin_abi::tool_kind::{Plan, PlanRequest, PlanResponse};
use serde_json::{Value, json};

use crate::error::with_causes;
use crate::id::{Extension, ItemId, Space};
use crate::item::{Builtin, Tool};
use crate::plugin::{self, ToolKind};
use crate::redact::{self, Redactor};
use crate::session::Session;
use crate::trust::Verdict;

pub use judged_copy::{ProjectWrites, home_in, in_project};
pub use kept_away::KeptAway;
pub use links::{check_unsigned, verified_link};
pub use refusal::RefusedPath;
pub use runtime::Runtime;
pub use server_error::ServerError;
pub use servers::Server;
pub use tool_chains::ToolChains;

/// Where every chain ends: the only primitive of this version.
const PROCESS: &str = "rye/core/primitives/subprocess";
/// Runtimes of the kind for the file's extension.
const STANDARD: [&str; 3] = ["rye/core/runtimes/python/", "rye/core/runtimes/node/", "rye/core/runtimes/bash/"];
/// The code of a tool kind for parameters that it cannot plan with.
pub const PARAMETERS: &str = "parameters";
/// The most links of a chain.
const MOST_LINKS: usize = 10;

/// Who runs a tool.
#[derive(Debug, Clone, PartialEq)]
pub enum Executor {
    /// This program.
    Builtin(Builtin),
    /// The tool kind for the file's extension.
    Extension,
    /// The tool kind of this name.
    Kind(String),
    /// A runtime, with the chain that led to it.
    Runtime(Box<Runtime>),
}

/// An item of a chain, as far as it counts.
#[derive(Debug, Clone)]
pub struct Link {
    /// What it says.
    pub tool: Tool,
    /// Where it lies.
    pub space: Space,
}

/// Tells who runs a tool of the given space. `read` reads a link of the chain, in that space or in those further out.
///
/// # Errors
///
/// Says why nothing does.
pub fn follow(
    item_id: &ItemId,
    tool: &Tool,
    space: Space,
    verdict: Verdict,
    read: impl Fn(&ItemId, Space) -> Result<Link, String>,
) -> Result<Executor, String> {
    let builtin = tool.tool_type.as_deref() == Some("builtin");
    match tool.executor_id.as_deref() {
        _ if builtin && verdict == Verdict::Builtin => Builtin::of(item_id)
            .map(Executor::Builtin)
            .ok_or_else(|| "it is marked as built in, and this version has no such tool".to_owned()),
        _ if builtin => Err("it says it is built in, and it is not one of the program's own items".to_owned()),
        _ if tool.tool_type.as_deref() == Some("runtime") => {
            Err("it is a runtime: it runs tools that name it as their `executor_id`".to_owned())
        }
        None | Some("script") => Ok(Executor::Extension),
        Some(executor) if STANDARD.iter().any(|standard| executor.starts_with(standard)) => Ok(Executor::Extension),
        Some(executor) if let Some(kind) = Tool::kind_named_by(executor) => match secret_in(&tool.config) {
            None => Ok(Executor::Kind(kind.to_owned())),
            Some(mark) => {
                Err(format!("its `config` contains a secret ({mark}): a tool is shared, so name the secret instead"))
            }
        },
        Some(executor) => chain(executor, space, read).map(|runtime| Executor::Runtime(Box::new(runtime))),
    }
}

/// Returns the mark of a text in a tool's settings that looks like a secret.
fn secret_in(config: &Value) -> Option<String> {
    match config {
        Value::String(text) => redact::marks(&Redactor::default().text(text)).next().map(str::to_owned),
        Value::Array(values) => values.iter().find_map(secret_in),
        Value::Object(members) => members.values().find_map(secret_in),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// Follows a chain of runtimes to its end. The nearest one that has a command is the one that counts.
fn chain(
    executor: &str,
    mut space: Space,
    read: impl Fn(&ItemId, Space) -> Result<Link, String>,
) -> Result<Runtime, String> {
    let (mut next, mut links) = (executor.to_owned(), Vec::new());
    let mut tools = Vec::new();
    while next != PROCESS {
        let unknown = |why: String| format!("its executor `{next}` {why}");
        if next.starts_with("rye/core/") {
            return Err(unknown("is not known to this version".to_owned()));
        }
        let id = ItemId::from_str(&next).map_err(|_| unknown("is not an id".to_owned()))?;
        if links.contains(&id) {
            return Err(unknown("leads back to itself".to_owned()));
        }
        if links.len() == MOST_LINKS {
            return Err(format!("its chain of executors has more than {MOST_LINKS} links"));
        }
        let link = read(&id, space).map_err(|why| unknown(format!("cannot be used: {why}")))?;
        if link.tool.tool_type.as_deref() != Some("runtime") {
            return Err(unknown("is not a tool of type `runtime`".to_owned()));
        }
        let after =
            link.tool.executor_id.clone().ok_or_else(|| unknown(format!("names none itself, such as `{PROCESS}`")))?;
        space = link.space;
        links.push(id);
        tools.push(link.tool);
        next = after;
    }
    if tools.is_empty() {
        return Err(format!("its executor `{PROCESS}` is what a runtime names; a tool names a runtime"));
    }
    Runtime::of(links, &tools)
}

/// A tool and the facts about it, for the plan.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// Its id.
    pub item_id: &'a ItemId,
    /// Its file's extension.
    pub extension: &'a Extension,
    /// Its header.
    pub tool: &'a Tool,
    /// Its file.
    pub bytes: &'a [u8],
}

/// Plans the run of a tool by who runs it. A built-in tool has no plan.
///
/// # Errors
///
/// Fails when no tool kind takes it, or its own refuses.
pub fn plan(
    session: &Session,
    script: Script<'_>,
    executor: &Executor,
    parameters: &Value,
) -> Result<Option<(ToolKind, PlanResponse)>, plugin::Error> {
    let Script { item_id, extension, tool, bytes } = script;
    let plugins = session.plugins()?;
    let kind = match executor {
        Executor::Builtin(_) => return Ok(None),
        Executor::Runtime(runtime) => {
            // Results are the same whatever runs a script.
            let (interpreter, args) = (runtime.interpreter.clone(), runtime.args.clone());
            let (stdin, env, files) = (parameters.to_string(), BTreeMap::new(), BTreeMap::new());
            let plan = Plan::Child { interpreter, args, stdin, env, files };
            return Ok(Some((plugins.tool_kind("script")?, PlanResponse { state: Value::Null, plan })));
        }
        Executor::Extension => plugins.tool_kind_for_extension(extension.as_str())?,
        Executor::Kind(name) => plugins.tool_kind(name)?,
    };
    let planned = kind.plan(&PlanRequest {
        state: Value::Null,
        item_id: item_id.to_string(),
        extension: extension.to_string(),
        header: json!({
            "config": tool.config,
            "tool_type": tool.tool_type,
            "executor_id": tool.executor_id,
            "schema": tool.schema,
            "fixed_params": tool.fixed_params,
            "params_key": tool.params_key,
        }),
        parameters: parameters.clone(),
        source: String::from_utf8_lossy(bytes).into_owned(),
    })?;
    Ok(Some((kind, planned)))
}

/// Makes sure that something can run a tool, whatever its parameters are and whichever interpreters are installed. A runtime is
/// made sure of as what it is.
///
/// # Errors
///
/// Says why nothing can.
pub fn check(
    session: &Session,
    script: Script<'_>,
    space: Space,
    verdict: Verdict,
    read: impl Fn(&ItemId, Space) -> Result<Link, String>,
) -> Result<(), String> {
    let Script { item_id, tool, .. } = script;
    if tool.tool_type.as_deref() == Some("runtime") {
        let named = Tool { tool_type: None, executor_id: Some(item_id.to_string()), ..Tool::default() };
        let own =
            |id: &ItemId, space| if id == item_id { Ok(Link { tool: tool.clone(), space }) } else { read(id, space) };
        return follow(item_id, &named, space, verdict, own).map(drop);
    }
    let executor = follow(item_id, tool, space, verdict, read)?;
    match plan(session, script, &executor, &json!({})) {
        Ok(_) => Ok(()),
        // Others than none may do.
        Err(plugin::Error::Reported { code, .. }) if code == PARAMETERS => Ok(()),
        Err(error) => Err(with_causes(&error)),
    }
}
