//! Working out what becomes of the wrappers of a server.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::executors::{Server, ServerError};
use super::super::locate::{Purpose, checked};
use super::error::Error;
use super::naming::wrapper_id;
use super::options::Options;
use super::outcome::{Imported, Outcome, Reached, State};
use super::wrapper;
use crate::context::McpServer;
use crate::error::with_causes;
use crate::format;
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::item::{Item, Tool};
use crate::mcp_client::ListedTool;
use crate::process::CancelFlag;
use crate::project::Project;
use crate::redact::Redactor;
use crate::session::Session;
use crate::trust::Subject;

/// What an import would do.
#[derive(Debug)]
pub struct Plan {
    pub(super) outcome: Outcome,
    pub(super) writes: Vec<Write>,
}

/// A wrapper to write.
#[derive(Debug)]
pub(super) struct Write {
    pub(super) subject: Subject,
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
    /// What it replaces.
    pub(super) old: Option<Vec<u8>>,
}

/// A wrapper that is there.
struct Kept {
    bytes: Vec<u8>,
    tool: Tool,
}

impl Plan {
    /// Returns what it comes to.
    #[must_use]
    pub fn outcome(&self, is_written: bool) -> Outcome {
        Outcome { is_written, ..self.outcome.clone() }
    }

    /// Returns how many wrappers it writes and signs.
    #[must_use]
    pub fn signatures(&self) -> usize {
        self.writes.len()
    }
}

pub(super) fn plan(session: &Session, options: &Options, cancel: &CancelFlag) -> Result<Plan, Error> {
    session.project().root()?;
    let server = Server::declared(session, &options.server, false)?;
    let redactor = server.redactor()?;
    let listed = server.with(server.config().timeout(), cancel, |_, tools, _| Ok(tools.to_vec()), |_| false);
    let (listed, _) = listed.map_err(|error| without_secrets(error, &redactor))?;
    if let Some(tool) = options.tools.iter().find(|name| !listed.iter().any(|tool| tool.name == **name)) {
        return Err(Error::NoSuchTool { server: options.server.clone(), tool: tool.clone() });
    }
    let mut kept = kept(session.project(), &options.server)?;
    let (mut tools, mut writes) = (Vec::new(), Vec::new());
    let mut sorted: Vec<&ListedTool> = listed.iter().collect();
    sorted.sort_by(|one, other| one.name.cmp(&other.name));
    for tool in sorted {
        let item_id = wrapper_id(&options.server, &tool.name);
        let before = item_id.as_ref().and_then(|id| kept.remove(id));
        let is_wanted = options.tools.is_empty() || options.tools.contains(&tool.name);
        if is_wanted {
            let (imported, write) = one(&options.server, tool, item_id, before, &redactor)?;
            tools.push(imported);
            writes.extend(write);
        }
    }
    refuse_alike(&mut tools, &mut writes);
    tools.extend(kept.into_iter().map(|(id, kept)| gone(id, &kept.tool)));
    let outcome = Outcome { server: options.server.clone(), is_written: false, reach: reach(server.config()), tools };
    Ok(Plan { outcome, writes })
}

/// A server's error message may contain values that it was given.
fn without_secrets(error: ServerError, redactor: &Redactor) -> ServerError {
    use crate::mcp_client::Error as Client;
    let text = |said: String| redactor.text(&said).into_owned();
    match error {
        ServerError::Client(Client::Ended { server, said }) => {
            ServerError::Client(Client::Ended { server, said: text(said) })
        }
        ServerError::Client(Client::Status { server, status, said }) => {
            ServerError::Client(Client::Status { server, status, said: text(said) })
        }
        ServerError::Client(Client::Malformed { server, reason }) => {
            ServerError::Client(Client::Malformed { server, reason: text(reason) })
        }
        ServerError::Client(Client::Refused { server, method, code, message }) => {
            ServerError::Client(Client::Refused { server, method, code, message: text(message) })
        }
        other => other,
    }
}

/// Reads the wrappers of a server that are there.
fn kept(project: &Project, server: &str) -> Result<BTreeMap<ItemId, Kept>, Error> {
    let listing = project.workspace().list(Some(ItemType::Tool), Some(Space::Project))?;
    let prefix = format!("mcp/{server}/");
    let mut kept = BTreeMap::new();
    for candidate in listing.items.into_iter().filter(|candidate| candidate.id.as_str().starts_with(&prefix)) {
        let located = project.locate(ItemType::Tool, &candidate.id, Some(Space::Project), Purpose::Author)?;
        let bytes = located.signed.content().clone();
        let tool = match format::parse_bytes(ItemType::Tool, &candidate.extension, &bytes).item {
            Some(Item::Tool(tool)) => *tool,
            Some(_) | None => Tool::default(),
        };
        kept.insert(candidate.id, Kept { bytes, tool });
    }
    Ok(kept)
}

/// Tells what becomes of a tool's wrapper, and makes it if it is new or changed.
fn one(
    server: &str,
    tool: &ListedTool,
    item_id: Option<ItemId>,
    before: Option<Kept>,
    redactor: &Redactor,
) -> Result<(Imported, Option<Write>), Error> {
    let shown = |item_id, state, reason| Imported {
        tool: format::reveal(&tool.name),
        item_id,
        state,
        description: format::reveal(&redactor.text(&tool.description)),
        parameters: parameters(&tool.input_schema),
        differs: Vec::new(),
        before: None,
        reason,
    };
    let refused = |reason: String| Ok((shown(None, State::Refused, Some(reason)), None));
    if let Some(reason) = fault(tool, redactor) {
        return refused(reason.to_owned());
    }
    let Some(item_id) = item_id else { return refused("its name is too long for an id".to_owned()) };
    let is_same = before.as_ref().is_some_and(|kept| {
        let config = &kept.tool.config;
        kept.tool.executor_id.as_deref() == Some("mcp")
            && config["server"] == server
            && config["tool"] == tool.name.as_str()
            && config["digest"] == tool.digest.to_string()
    });
    if is_same {
        return Ok((shown(Some(item_id), State::Unchanged, None), None));
    }
    let bytes = wrapper::text(server, tool, before.as_ref().map(|kept| &kept.tool)).into_bytes();
    let extension: Extension = "yaml".parse().expect("because it is one");
    let subject = Subject { item_type: ItemType::Tool, item_id: item_id.clone(), extension };
    let path = format!(".ai/tools/{item_id}.yaml");
    let read = match checked(&subject, &bytes, format::Profile::Reference, std::path::Path::new(&path)) {
        Ok((Item::Tool(read), _)) if before.is_some() || read.schema.as_ref() == Some(&tool.input_schema) => *read,
        Ok(_) => return refused("its schema cannot be written down as it is".to_owned()),
        Err(error) => {
            let reason = first_fault(&error).unwrap_or_else(|| with_causes(&error));
            return refused(format!("it makes no valid item: {reason}"));
        }
    };
    let state = if before.is_some() { State::Changed } else { State::New };
    let (differs, said) = before.as_ref().map(|kept| difference(&kept.tool, &read)).unwrap_or_default();
    let imported = Imported { differs, before: said, ..shown(Some(item_id), state, None) };
    let write = Write { subject, path, bytes, old: before.map(|kept| kept.bytes) };
    Ok((imported, Some(write)))
}

/// Tells which parts of a wrapper differ from the one before, and what that said.
fn difference(before: &Tool, now: &Tool) -> (Vec<&'static str>, Option<String>) {
    let is_said = before.description != now.description;
    let parts = [("description", is_said), ("parameters", before.schema != now.schema)];
    let differs: Vec<&'static str> = parts.iter().filter(|(_, differs)| *differs).map(|(part, _)| *part).collect();
    let said = is_said.then(|| format::reveal(&before.description));
    // Only the digest of the rest is kept.
    if differs.is_empty() { (vec!["title, output schema or annotations"], said) } else { (differs, said) }
}

fn first_fault(error: &super::super::locate::LocateError) -> Option<String> {
    match error {
        super::super::locate::LocateError::Invalid { findings, .. } => findings
            .iter()
            .find(|finding| format::has_errors(std::slice::from_ref(finding)))
            .map(|finding| finding.message.clone()),
        _ => None,
    }
}

/// Says why a tool gets no wrapper, whatever its id.
fn fault(tool: &ListedTool, redactor: &Redactor) -> Option<&'static str> {
    let all = serde_json::json!([tool.name, tool.description, tool.input_schema]);
    if any_text(&all, &|text| format::reveal(text) != text) {
        return Some("its definition has characters that a reader does not see");
    }
    if any_text(&all, &|text| text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t' | '\r'))) {
        return Some("its definition has control characters");
    }
    redactor.finds_in(&all).then_some("its definition has the value of a secret")
}

fn any_text(value: &Value, is_bad: &impl Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_bad(text),
        Value::Array(values) => values.iter().any(|value| any_text(value, is_bad)),
        Value::Object(members) => members.iter().any(|(name, value)| is_bad(name) || any_text(value, is_bad)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Leaves out tools whose wrappers some file systems take for one file.
fn refuse_alike(tools: &mut [Imported], writes: &mut Vec<Write>) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for id in tools.iter().filter_map(|tool| tool.item_id.as_ref()) {
        *counts.entry(id.as_str().to_ascii_lowercase()).or_default() += 1;
    }
    let is_alike = |id: &ItemId| counts.get(&id.as_str().to_ascii_lowercase()).is_some_and(|count| *count > 1);
    writes.retain(|write| !is_alike(&write.subject.item_id));
    for tool in tools.iter_mut().filter(|tool| tool.item_id.as_ref().is_some_and(is_alike)) {
        tool.state = State::Refused;
        tool.item_id = None;
        tool.reason = Some("its name differs from another one in the case of letters alone".to_owned());
    }
}

fn gone(id: ItemId, tool: &Tool) -> Imported {
    Imported {
        tool: tool.config["tool"].as_str().map_or_else(|| id.name().to_owned(), format::reveal),
        description: format::reveal(&tool.description),
        item_id: Some(id),
        state: State::Gone,
        parameters: tool.schema.as_ref().map(parameters).unwrap_or_default(),
        differs: Vec::new(),
        before: None,
        reason: None,
    }
}

fn parameters(schema: &Value) -> Vec<String> {
    let properties = schema["properties"].as_object();
    properties.into_iter().flat_map(|properties| properties.keys()).map(|name| format::reveal(name)).collect()
}

fn reach(config: &McpServer) -> Reached {
    let shown = |paths: &[std::path::PathBuf]| paths.iter().map(|path| path.display().to_string()).collect();
    Reached {
        command: config.command.clone(),
        url: config.url.clone(),
        read: shown(&config.read),
        write: shown(&config.write),
        hosts: config.hosts.iter().map(ToString::to_string).collect(),
        secrets: config.secrets().cloned().collect(),
    }
}
