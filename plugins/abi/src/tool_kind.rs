//! The questions put to a tool kind, and its answers.
//!
//! A tool kind is asked twice per call: what to run ([`PlanRequest`]), and what the output means
//! ([`InterpretRequest`]). The host does the running in between, under its own limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Description, Failure};

/// Represents in a plan's arguments the path of the private copy of the tool's verified bytes.
pub const SCRIPT: &str = "{script}";

/// Represents in a plan's arguments the project's folder.
pub const PROJECT: &str = "{project}";

/// The code of a tool kind plugin. All its functions are pure; state goes through `state`.
pub trait ToolKind {
    /// Says who the plugin is.
    fn describe() -> Description;

    /// Translates parameters into a plan.
    ///
    /// # Errors
    ///
    /// Any obstacle to a plan, with a code of its own.
    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure>;

    /// Translates what came out into a result.
    ///
    /// # Errors
    ///
    /// Any obstacle to an interpretation. A tool that failed is not an error but a result that says so.
    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure>;
}

/// A tool to be called, and its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanRequest {
    /// Null in the first question of a call.
    #[serde(default)]
    pub state: Value,
    /// The tool's id.
    pub item_id: String,
    /// Its file's extension, without the dot.
    pub extension: String,
    /// The tool's header, as parsed.
    pub header: Value,
    /// The checked parameters.
    pub parameters: Value,
    /// The text of the verified file; invalid UTF-8 in it is replaced.
    #[serde(default)]
    pub source: String,
}

/// What a tool kind answers to a [`PlanRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanResponse {
    /// What the plugin wants to be handed with the next question.
    #[serde(default)]
    pub state: Value,
    /// What the host is to do.
    pub plan: Plan,
}

/// The kinds of plan, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Plan {
    /// A child process.
    Child {
        /// Names or absolute paths of interpreters, looked up in order; the first that exists is used.
        interpreter: Vec<String>,
        /// Its arguments. A literal [`SCRIPT`] represents the path of the private copy, [`PROJECT`] the project's
        /// folder, and the name of a further file in braces its path.
        args: Vec<String>,
        /// Its standard input.
        stdin: String,
        /// Variables added to its clean environment.
        #[serde(default)]
        env: BTreeMap<String, String>,
        /// Further files next to the private copy, by their names. One that a companion has stays the companion.
        #[serde(default)]
        files: BTreeMap<String, String>,
    },
    /// A program with its arguments, and no script of the tool's own. Unlike an interpreter it may be a script itself.
    Command {
        /// Its name, looked up as an interpreter's is, or its absolute path.
        program: String,
        /// Its arguments, as they are.
        args: Vec<String>,
        /// Its standard input.
        #[serde(default)]
        stdin: String,
        /// The folder it runs in, as a path from the project's folder; without one that folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        folder: Option<String>,
        /// How many seconds it may take, in the place of the host's usual limit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout: Option<u64>,
    },
    /// A request over HTTP.
    Http(HttpRequest),
    /// A call of a tool of an MCP server.
    Mcp(McpCall),
}

impl Plan {
    /// Every `kind` of this version.
    pub const KINDS: &[&str] = &["child", "command", "http", "mcp"];
}

/// A request over HTTP. The host decides whether the tool may reach the address, and adds the secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpRequest {
    /// The method, in capitals.
    pub method: String,
    /// The whole address, percent-encoded, without user and fragment.
    pub url: String,
    /// Headers by lower-case name.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body; none of a request without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The header that authenticates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auth: Option<HttpAuth>,
    /// How many seconds the exchange may take at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// A call of a tool of an MCP server, which the person's configuration declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpCall {
    /// The server's name in the configuration.
    pub server: String,
    /// The tool's name at the server.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// The digest of the tool's definition that the person looked at.
    pub digest: String,
}

/// A header that authenticates. The plugin knows the secret's name, the host its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpAuth {
    /// The header's lower-case name.
    pub header: String,
    /// The text before the secret.
    #[serde(default)]
    pub prefix: String,
    /// The secret's name.
    pub secret: String,
}

/// A response over HTTP.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpResponse {
    /// The status.
    pub status: u16,
    /// The headers by lower-case name; several of one name are joined by commas.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body as text.
    pub body: String,
}

/// What came out of a plan: of a child its output, of a request its response, of an MCP server its result.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct InterpretRequest {
    /// What the plugin returned with the plan.
    #[serde(default)]
    pub state: Value,
    /// The exit code, if the child exited.
    pub exit_code: Option<i32>,
    /// The signal's number, if one ended the child.
    pub signal: Option<i32>,
    /// Whether the host ended the child because its time was up.
    pub timed_out: bool,
    /// What it wrote to standard output, as far as it was kept.
    pub stdout: String,
    /// What it wrote to standard error, as far as it was kept.
    pub stderr: String,
    /// Whether standard output was longer than the host keeps: the middle is missing, with a line in its place.
    pub stdout_truncated: bool,
    /// How many bytes it wrote to standard output, where that is more than the host keeps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout_written: Option<u64>,
    /// The response to a request over HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpResponse>,
    /// The result of a call of an MCP server's tool, as the server sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<Value>,
}

/// What a tool kind answers to an [`InterpretRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InterpretResponse {
    /// What the plugin wants to be handed with a further question.
    #[serde(default)]
    pub state: Value,
    /// Whether the call succeeded.
    pub status: Status,
    /// The result, or the known facts about the failure.
    pub result: Value,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The tool did its work.
    Ok,
    /// The tool failed.
    Error,
}
