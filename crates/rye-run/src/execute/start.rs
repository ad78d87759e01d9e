//! What a plan has done: a script started with its interpreter, or a program of its own, a request, a call.

use std::collections::BTreeMap;
use std::time::Duration;

use rye_plugin_abi::tool_kind::{HttpRequest, McpCall, Plan};

/// A child process to start, as it was planned.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) program: Program,
    pub(super) args: Vec<String>,
    pub(super) stdin: String,
    pub(super) env: BTreeMap<String, String>,
    /// Further files next to the private copy.
    pub(super) files: BTreeMap<String, String>,
    /// The folder it runs in, from the project's.
    pub(super) folder: Option<String>,
    pub(super) timeout: Option<Duration>,
}

/// The program to start.
#[derive(Debug)]
pub(super) enum Program {
    /// The first interpreter of these that is found.
    Interpreter(Vec<String>),
    /// A program, which may be a script.
    Named(String),
}

/// The work of a call, by the kind of tool.
#[derive(Debug)]
pub(super) enum Work {
    /// A child process.
    Start(Start),
    /// A request over HTTP.
    Http(HttpRequest),
    /// A call of an MCP server's tool.
    Mcp(McpCall),
}

impl From<Plan> for Work {
    fn from(plan: Plan) -> Self {
        match plan {
            Plan::Child { interpreter, args, stdin, env, files } => Self::Start(Start {
                program: Program::Interpreter(interpreter),
                args,
                stdin,
                env,
                files,
                folder: None,
                timeout: None,
            }),
            Plan::Command { program, args, stdin, folder, timeout } => Self::Start(Start {
                program: Program::Named(program),
                args,
                stdin,
                env: BTreeMap::new(),
                files: BTreeMap::new(),
                folder,
                timeout: timeout.map(Duration::from_secs),
            }),
            Plan::Http(request) => Self::Http(request),
            Plan::Mcp(call) => Self::Mcp(call),
        }
    }
}
