//! Running a tool: its parameters checked, its kind chosen, the run performed under limits.
//!
//! A tool kind only plans and interprets; this file performs. The bytes that run are the bytes that were verified,
//! from a private folder, with an interpreter that does not lie in the project (hole 27 of the threat model).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rye_plugin_abi::numbers;
use rye_plugin_abi::tool_kind::{InterpretRequest, Plan, PlanRequest, PlanResponse, SCRIPT, Status};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::super::locate::{Checked, LocateError, Session};
use super::bounds::Bounds;
use super::builtin;
use super::confinement;
use super::error::Error;
use super::git_command;
use super::given::Given;
use super::in_project;
use super::status::ToolStatus;
use crate::format;
use crate::id::{Extension, ItemId, ItemType, Space};
use crate::item::{Builtin, CompanionPath, Item, Tool};
use crate::plugin::ToolKind;
use crate::process::{self, ChildOutput, ChildSpec, Limits, PrivateScript};
use crate::trust::{ContentHash, Signed, Verdict, Verified};

/// How long a tool may run when nothing says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

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
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Whether it failed where its sandbox refused something, outside of threads.
    #[serde(skip)]
    pub was_refused: bool,
    /// Why it ran without a sandbox, where one was looked for.
    #[serde(skip)]
    pub no_sandbox: Option<process::Error>,
    /// Whether somebody stopped it.
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
    /// The command, for a child process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The capability a thread would need.
    pub needs: String,
}

/// How the run of a tool ended, besides its status.
#[derive(Debug, Default)]
struct Ended {
    cancelled: bool,
    was_refused: bool,
    no_sandbox: Option<process::Error>,
}

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// This program.
    Builtin(Builtin),
    /// The tool kind for the file's extension.
    Extension,
}

/// A verified tool with checked parameters, ready to run.
#[derive(Debug)]
pub(super) struct ToolRun<'a> {
    session: &'a Session,
    item_id: ItemId,
    extension: Extension,
    space: Space,
    bytes: Vec<u8>,
    tool: Tool,
    parameters: Map<String, Value>,
    kind: Kind,
}

/// Tells who runs a tool.
///
/// # Errors
///
/// Says why nothing does: an executor nobody knows, or a tool that claims to be built in and is not.
fn kind_of(item_id: &ItemId, tool: &Tool, verdict: Verdict) -> Result<Kind, String> {
    let builtin = tool.tool_type.as_deref() == Some("builtin");
    match tool.executor_id.as_deref() {
        _ if builtin && verdict == Verdict::Builtin => Builtin::of(item_id)
            .map(Kind::Builtin)
            .ok_or_else(|| "it is marked as built in, and this version has no such tool".to_owned()),
        _ if builtin => Err("it says it is built in, and it is not one of the program's own items".to_owned()),
        None | Some("script") => Ok(Kind::Extension),
        // What the seeds' tools name: the extension says the same.
        Some(executor) if executor.starts_with("rye/core/runtimes/") => Ok(Kind::Extension),
        Some(executor) => Err(format!("its executor `{executor}` is not known to this version")),
    }
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
            return Err(Error::NoKind { item_id, reason: "it is no tool".to_owned() });
        };
        let kind =
            kind_of(&item_id, &tool, verdict).map_err(|reason| Error::NoKind { item_id: item_id.clone(), reason })?;
        let parameters = checked_parameters(&item_id, &tool, given)?;
        Ok(Self { session, item_id, extension: subject.extension, space, bytes, tool: *tool, parameters, kind })
    }

    /// Says what running would do, without doing it.
    ///
    /// # Errors
    ///
    /// Fails when no tool kind or no interpreter can run it.
    pub(super) fn plan(&self) -> Result<PlannedRun, Error> {
        let (kind, command) = match self.kind {
            Kind::Builtin(_) => ("builtin".to_owned(), None),
            Kind::Extension => {
                let (kind, planned) = self.planned()?;
                let Plan::Child { interpreter, args, .. } = planned.plan;
                self.companions()?;
                let program = self.interpreter(&interpreter)?;
                let command = std::iter::once(program.display().to_string()).chain(args).collect();
                (kind.name().to_owned(), Some(command))
            }
        };
        Ok(PlannedRun {
            item_type: ItemType::Tool,
            item_id: self.item_id.clone(),
            parameters: self.parameters.clone(),
            kind,
            command,
            needs: format!("rye.execute.tool.{}", self.item_id.dotted()),
        })
    }

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// Fails when the tool cannot be started; a tool that ran and failed is an outcome.
    pub(super) fn perform(&self, bounds: &Bounds<'_>) -> Result<ToolOutcome, Error> {
        let started = self.session.context().elapsed_ms();
        let (status, result, ended) = match self.kind {
            Kind::Builtin(builtin) => {
                let (status, result, cancelled) = builtin::perform(self.session, builtin, &self.parameters, bounds)?;
                (status, result, Ended { cancelled, ..Ended::default() })
            }
            Kind::Extension => self.run_child(bounds)?,
        };
        let duration_ms = self.session.context().elapsed_ms().saturating_sub(started);
        Ok(ToolOutcome {
            item_type: ItemType::Tool,
            item_id: self.item_id.clone(),
            status,
            result,
            duration_ms,
            was_refused: ended.was_refused && status == ToolStatus::Error,
            no_sandbox: ended.no_sandbox,
            cancelled: ended.cancelled,
        })
    }

    fn planned(&self) -> Result<(ToolKind, PlanResponse), Error> {
        let plugin = |source| Error::Plugin { item_id: self.item_id.clone(), source };
        let plugins = self.session.plugins().map_err(plugin)?;
        let kind = plugins.tool_kind_for_extension(self.extension.as_str()).map_err(plugin)?;
        let planned = kind
            .plan(&PlanRequest {
                state: Value::Null,
                item_id: self.item_id.to_string(),
                extension: self.extension.to_string(),
                header: json!({"config": self.tool.config, "tool_type": self.tool.tool_type}),
                parameters: Value::Object(self.parameters.clone()),
            })
            .map_err(plugin)?;
        Ok((kind, planned))
    }

    fn run_child(&self, bounds: &Bounds<'_>) -> Result<(ToolStatus, Value, Ended), Error> {
        let (kind, PlanResponse { state, plan }) = self.planned()?;
        let failed = |source| Error::Process { item_id: self.item_id.clone(), source };
        let ctx = self.session.context();
        let file_name = format!("{}.{}", self.item_id.name(), self.extension);
        let temp_dir = ctx.temp_dir().map_err(LocateError::from)?;
        let script = PrivateScript::create(&temp_dir, &file_name, &self.bytes).map_err(failed)?;
        for (path, bytes) in self.companions()? {
            script.add(path.as_str(), &bytes).map_err(failed)?;
        }
        let git_config = in_project::git_config(self.session, &temp_dir).map_err(failed)?;
        let (spec, no_sandbox) = self.child(plan, &script, git_config.as_ref().map(PrivateScript::path), bounds)?;
        let output = process::run(&spec, Some(ctx.program()), bounds.cancel).map_err(failed)?;
        let (stopped, held_open) = (stopped_for(&output), output.stdout_held_open);
        let is_held = spec.sandbox.is_some() && !self.session.is_in_tree();
        let was_refused = is_held && confinement::was_refused(&output.stderr);
        let ended = Ended { cancelled: output.cancelled, was_refused, no_sandbox };
        let interpreted = kind
            .interpret(&interpret_request(state, output))
            .map_err(|source| Error::Plugin { item_id: self.item_id.clone(), source })?;
        let status = match interpreted.status {
            Status::Ok => ToolStatus::Ok,
            Status::Error => ToolStatus::Error,
        };
        match stopped {
            Some(message) => Ok((ToolStatus::Error, failed_by(interpreted.result, message), ended)),
            None if held_open => {
                let message =
                    "a process that the tool left in the background still holds standard output open".to_owned();
                Ok((ToolStatus::Error, failed_by(interpreted.result, message), ended))
            }
            None => Ok((status, interpreted.result, ended)),
        }
    }

    /// Reads the files that run with the tool, each with the digest that the verified header names.
    fn companions(&self) -> Result<Vec<(&CompanionPath, Vec<u8>)>, Error> {
        let fault = |path: &CompanionPath, source| Error::Companion {
            item_id: self.item_id.clone(),
            path: path.clone(),
            source,
        };
        let mut files = Vec::new();
        for companion in &self.tool.companions {
            let path = &companion.path;
            let read = self.session.workspace().read_beside(self.space, ItemType::Tool, &self.item_id, path.as_str());
            let bytes = read.map_err(|source| fault(path, Some(source)))?;
            if ContentHash::of(&bytes) != companion.sha256 {
                return Err(fault(path, None));
            }
            files.push((path, bytes));
        }
        Ok(files)
    }

    fn child(
        &self,
        plan: Plan,
        script: &PrivateScript,
        git_config: Option<&Path>,
        bounds: &Bounds<'_>,
    ) -> Result<(ChildSpec, Option<process::Error>), Error> {
        let Plan::Child { interpreter, args, stdin, env } = plan;
        let path = script.path().display().to_string();
        let args = args.into_iter().map(|arg| if arg == SCRIPT { path.clone() } else { arg }.into()).collect();
        let current_dir = self.session.project_root().unwrap_or(self.session.context().current_dir()).to_path_buf();
        let mut env = self.environment(env, script.folder());
        git_command::prepare(self.session, script, &mut env)
            .map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?;
        let timeout = bounds.timeout.map_or(DEFAULT_TIMEOUT, |left| left.min(DEFAULT_TIMEOUT));
        let program = self.interpreter(&interpreter)?;
        let (sandbox, no_sandbox) = confinement::of_tool(self.session, &program, script.folder(), git_config, bounds)
            .map_err(|source| Error::Process { item_id: self.item_id.clone(), source })?
            .into_parts();
        let spec = ChildSpec {
            sandbox,
            program,
            args,
            stdin: stdin.into_bytes(),
            env,
            current_dir,
            limits: Limits { timeout, max_stdout: bounds.max_output, ..Limits::default() },
        };
        Ok((spec, no_sandbox))
    }

    /// Finds the interpreter: the configured one, else the first candidate on PATH that lies outside the project.
    fn interpreter(&self, candidates: &[String]) -> Result<PathBuf, Error> {
        let ctx = self.session.context();
        let root = self.session.project_root().ok();
        let configured = candidates.iter().find_map(|name| ctx.config().interpreters.get(name));
        if let Some(path) = configured {
            return process::configured_program(path, root)
                .map_err(|source| Error::Process { item_id: self.item_id.clone(), source });
        }
        let mut missing = None;
        for name in candidates {
            match process::find_interpreter(name, ctx.variable("PATH").unwrap_or_default(), root) {
                Ok(path) => return Ok(path),
                Err(error) => missing = missing.or(Some(error)),
            }
        }
        Err(match missing {
            Some(source) => Error::Process { item_id: self.item_id.clone(), source },
            None => Error::NoKind { item_id: self.item_id.clone(), reason: "its kind names no interpreter".to_owned() },
        })
    }

    /// A clean environment: where programs are, and a private home. No parameter and no secret reaches it.
    fn environment(&self, planned: BTreeMap<String, String>, private: &Path) -> BTreeMap<String, String> {
        let ctx = self.session.context();
        let private = private.display().to_string();
        let root = self.session.project_root().ok();
        let mut env = BTreeMap::from([
            ("HOME".to_owned(), private.clone()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("PATH".to_owned(), process::search_path(ctx.variable("PATH").unwrap_or_default(), root)),
            ("TMPDIR".to_owned(), private),
        ]);
        env.extend(planned);
        // What a tool starts is as much an agent client's as the tool is.
        if let Some(client) = ctx.agent_client() {
            let value = ctx.whole_environment().get(client.variable).cloned().unwrap_or_default();
            env.insert(client.variable.to_owned(), value);
        }
        env
    }
}

/// Says which limit a tool was stopped for.
fn stopped_for(output: &ChildOutput) -> Option<String> {
    let flood = output.flood.map(|limit| format!("stopped: wrote more than {limit} bytes"));
    flood.or_else(|| output.excess.map(|excess| format!("stopped: {excess}")))
}

/// Says of a result why its tool failed, whatever the tool kind makes of it.
fn failed_by(result: Value, message: String) -> Value {
    let mut failure = match result {
        Value::Object(failure) => failure,
        result => Map::from_iter([("stdout".to_owned(), result)]),
    };
    failure.insert("message".to_owned(), message.into());
    Value::Object(failure)
}

fn interpret_request(state: Value, output: ChildOutput) -> InterpretRequest {
    InterpretRequest {
        state,
        exit_code: output.exit_code,
        signal: output.signal,
        timed_out: output.timed_out,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        stdout_truncated: output.stdout_truncated,
    }
}

/// Types the parameters by the tool's schema, checks them, nests them, and lays the fixed ones on top.
fn checked_parameters(item_id: &ItemId, tool: &Tool, given: &Given) -> Result<Map<String, Value>, Error> {
    let own = given.join(|name, text| typed_by_schema(tool.schema.as_ref(), name, text));
    if let Some(schema) = &tool.schema {
        format::schema::check(schema, &Value::Object(own.clone()))
            .map_err(|faults| Error::Parameters { item_id: item_id.clone(), faults })?;
    }
    let mut parameters = match &tool.params_key {
        Some(key) => Map::from_iter([(key.clone(), Value::Object(own))]),
        None => own,
    };
    parameters.extend(tool.fixed_params.clone());
    Ok(parameters)
}

/// Reads a value's text by the type its schema declares.
///
/// Text that is no JSON of that type stays text, so that the schema can say what is wrong.
#[must_use]
pub fn typed_by_schema(schema: Option<&Value>, name: &str, text: &str) -> Value {
    let declared = schema.and_then(|schema| schema.pointer("/properties")?.get(name)?.get("type")?.as_str());
    match declared {
        None | Some("string") => Value::String(text.to_owned()),
        Some(_) => numbers::parse(text).unwrap_or_else(|_| Value::String(text.to_owned())),
    }
}
