//! Running a tool: its parameters checked, its kind chosen, the run performed under limits.
//!
//! A tool kind only plans and interprets; `builtin.rs` and `script.rs` perform.

use rye_plugin_abi::tool_kind::PlanResponse;
use serde::Serialize;
use serde_json::{Map, Value};

use super::super::executors::{self, Executor, RefusedPath, Runtime};
use super::super::locate::Checked;
use super::bounds::Bounds;
use super::builtin;
use super::error::{Error, takes};
use super::inputs::Given;
use super::start::{Start, Work};
use super::status::{Ended, ToolStatus};
use crate::capability::shell;
use crate::format;
use crate::format::schema::SchemaFault;
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::item::{Item, Tool};
use crate::net::Asked;
use crate::process;
use crate::project::Project;
use crate::session::Session;
use crate::trust::{Signed, Verified};
use crate::workspace::CopiedBack;

/// What a tool's run came to.
#[derive(Debug, Serialize)]
pub struct ToolOutcome {
    /// Always `tool`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// Whether the tool did what it was asked.
    pub status: ToolStatus,
    /// What it returned.
    pub result: Value,
    /// The end of what it wrote to standard error, where the result does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// Of a tool that may write the whole project outside of threads: what it changed there, and what of that was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copied: Option<CopiedBack>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it failed where its sandbox refused something, outside of threads.
    #[serde(skip)]
    pub was_refused: bool,
    /// What the MCP server of a failed call says that it was refused.
    #[serde(skip)]
    pub refused: Option<RefusedPath>,
    /// Why it ran without a sandbox, where one was looked for.
    #[serde(skip)]
    pub no_sandbox: Option<process::Error>,
    /// The hosts that it asked for over the network.
    #[serde(skip)]
    pub asked: Vec<Asked>,
    /// Whether what it wrote in the project was dropped, as it failed.
    #[serde(skip)]
    pub is_dropped: bool,
    /// Whether the user stopped it.
    #[serde(skip)]
    pub cancelled: bool,
}

/// What running a tool would do.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedRun {
    /// Always `tool`.
    pub item_type: ItemType,
    /// The id.
    pub item_id: ItemId,
    /// The parameters as the tool would get them.
    pub parameters: Map<String, Value>,
    /// What runs it: `builtin`, or a tool kind's name.
    pub kind: String,
    /// The runtimes that its executor leads to, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<ItemId>,
    /// The command, for a child process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The request, for a tool of kind `http`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<PlannedRequest>,
    /// The server, for a tool of an MCP server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// The capability a thread would need.
    pub needs: String,
}

/// A request that would be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlannedRequest {
    /// The method.
    pub method: String,
    /// Where to.
    pub url: String,
}

/// A verified tool with checked parameters, ready to run.
#[derive(Debug)]
pub(super) struct ToolRun<'a> {
    pub(super) session: &'a Session,
    pub(super) item_id: ItemId,
    pub(super) extension: Extension,
    pub(super) space: Space,
    pub(super) bytes: Vec<u8>,
    pub(super) tool: Tool,
    pub(super) parameters: Map<String, Value>,
    pub(super) executor: Executor,
}

impl<'a> ToolRun<'a> {
    /// Checks the parameters and chooses the kind.
    ///
    /// # Errors
    ///
    /// Fails when the parameters do not fit the tool's schema or nothing can run it.
    pub(super) fn new(session: &'a Session, verified: Signed<Checked, Verified>, given: &Given) -> Result<Self, Error> {
        let subject = verified.subject().clone();
        let verdict = verified.verdict();
        let Checked { item, bytes, space, .. } = verified.content().clone();
        let item_id = subject.item_id;
        let Item::Tool(tool) = item else {
            return Err(Error::NoKind { item_id, reason: "it is not a tool".to_owned() });
        };
        let read = |id: &ItemId, space| executors::verified_link(session.project(), id, space);
        let executor = executors::follow(&item_id, &tool, space, verdict, read)
            .map_err(|reason| Error::NoKind { item_id: item_id.clone(), reason })?;
        let parameters = checked_parameters(&item_id, &tool, given)?;
        Ok(Self { session, item_id, extension: subject.extension, space, bytes, tool: *tool, parameters, executor })
    }

    pub(super) const fn project(&self) -> &'a Project {
        self.session.project()
    }

    /// The id by which the call is judged.
    fn judged_id(&self) -> ItemId {
        shell::judged_id(&self.item_id, &self.parameters).unwrap_or_else(|_| self.item_id.clone())
    }

    pub(super) fn runtime(&self) -> Option<&Runtime> {
        match &self.executor {
            Executor::Runtime(runtime) => Some(runtime),
            Executor::Builtin(_) | Executor::Extension | Executor::Kind(_) => None,
        }
    }

    /// Says what running would do, without doing it.
    ///
    /// # Errors
    ///
    /// Fails when no tool kind or no interpreter can run it.
    pub(super) fn plan(&self) -> Result<PlannedRun, Error> {
        let (mut command, mut request, mut mcp_server) = (None, None, None);
        let kind = match self.planned()? {
            None => "builtin".to_owned(),
            Some((kind, planned)) => {
                match planned.plan.into() {
                    Work::Start(Start { program, args, .. }) => {
                        self.companions()?;
                        let program = self.program(&program)?;
                        command = Some(std::iter::once(program.display().to_string()).chain(args).collect());
                    }
                    Work::Http(asked) => request = Some(PlannedRequest { method: asked.method, url: asked.url }),
                    Work::Mcp(call) => mcp_server = Some(call.server),
                }
                kind.name().to_owned()
            }
        };
        Ok(PlannedRun {
            item_type: ItemType::Tool,
            item_id: self.item_id.clone(),
            parameters: self.parameters.clone(),
            kind,
            chain: self.runtime().map(|runtime| runtime.links.clone()).unwrap_or_default(),
            command,
            request,
            mcp_server,
            needs: format!("rye.execute.tool.{}", self.judged_id().dotted()),
        })
    }

    /// Has the tool kind plan, and performs the plan.
    fn run(&self, bounds: &Bounds<'_>) -> Result<(ToolStatus, Value, Ended), Error> {
        let unplanned = || Error::NoKind { item_id: self.item_id.clone(), reason: "it has no plan".to_owned() };
        let (kind, PlanResponse { state, plan }) = self.planned()?.ok_or_else(unplanned)?;
        match plan.into() {
            Work::Start(start) => self.run_child(&kind, state, start, bounds),
            Work::Http(request) => self.run_http(&kind, state, request, bounds),
            Work::Mcp(call) => self.run_mcp(&kind, state, call, bounds),
        }
    }

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// Fails when the tool cannot be started; a tool that ran and failed is an outcome.
    pub(super) fn perform(&self, bounds: &Bounds<'_>) -> Result<ToolOutcome, Error> {
        let started = self.session.context().elapsed_ms();
        let (status, result, ended) = match self.executor {
            Executor::Builtin(builtin) => builtin::perform(self.session, builtin, &self.parameters, bounds)?,
            Executor::Extension | Executor::Kind(_) | Executor::Runtime(_) => self.run(bounds)?,
        };
        let duration_ms = self.session.context().elapsed_ms().saturating_sub(started);
        Ok(ToolOutcome {
            item_type: ItemType::Tool,
            item_id: self.item_id.clone(),
            status,
            stderr: Some(ended.stderr).filter(|said| !said.is_empty() && result.get("stderr").is_none()),
            result,
            duration_ms,
            refused: ended.refused.filter(|_| status == ToolStatus::Error),
            was_refused: ended.was_refused && status == ToolStatus::Error,
            copied: ended.copied,
            asked: ended.asked,
            is_dropped: ended.is_dropped,
            no_sandbox: ended.no_sandbox,
            cancelled: ended.cancelled,
        })
    }
}

/// Types the parameters by the tool's schema, checks them, nests them, and lays the fixed ones on top.
fn checked_parameters(item_id: &ItemId, tool: &Tool, given: &Given) -> Result<Map<String, Value>, Error> {
    let own = given.join(|name, text| format::schema::typed(tool.schema.as_ref(), name, text));
    let wrong = |faults| Error::Parameters { item_id: item_id.clone(), faults, takes: takes(tool) };
    if let Some(name) = own.keys().find(|name| tool.fixes(name)) {
        let message = format!("the tool fixes `{name}` itself; leave it out");
        return Err(wrong(vec![SchemaFault { path: String::new(), message }]));
    }
    if let Some(schema) = &tool.offered_schema() {
        format::schema::check(schema, &Value::Object(own.clone())).map_err(wrong)?;
    }
    let mut parameters = match &tool.params_key {
        Some(key) => Map::from_iter([(key.clone(), Value::Object(own))]),
        None => own,
    };
    parameters.extend(tool.fixed_params.clone());
    Ok(parameters)
}
