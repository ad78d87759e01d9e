//! The conversation with a tool kind.
//!
//! Makes sure that a plan is of a kind this program knows; carrying it out is the services' business.

use rye_plugin_abi::Description;
use rye_plugin_abi::table::{KIND_TOOL_KIND, OP_INTERPRET, OP_PLAN};
use rye_plugin_abi::tool_kind::{InterpretRequest, InterpretResponse, Plan, PlanRequest, PlanResponse};

use super::{Error, Origin, Plugin};

/// A plugin that knows how tools of some kind are run.
#[derive(Debug, Clone)]
pub struct ToolKind {
    plugin: Plugin,
}

impl ToolKind {
    /// Takes an opened plugin as a tool kind.
    ///
    /// # Errors
    ///
    /// [`Error::WrongKind`].
    pub fn new(plugin: Plugin) -> Result<Self, Error> {
        Ok(Self { plugin: plugin.of_kind(KIND_TOOL_KIND)? })
    }

    /// The tool kind's name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.plugin.name()
    }

    /// Where its code came from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        self.plugin.origin()
    }

    /// Asks the tool kind who it is.
    ///
    /// # Errors
    ///
    /// Any error of a call.
    pub fn describe(&self) -> Result<Description, Error> {
        self.plugin.describe()
    }

    /// Asks for the plan of a call.
    ///
    /// # Errors
    ///
    /// [`Error::Reported`] if the tool kind cannot plan, [`Error::UnknownAnswer`] if it plans in a way of a later
    /// version, and whatever else a call can fail with.
    pub fn plan(&self, request: &PlanRequest) -> Result<PlanResponse, Error> {
        let response: PlanResponse = self.plugin.ask_tagged(OP_PLAN, request, "plan", Plan::KINDS)?;
        self.check_declared(&response.plan)?;
        Ok(response)
    }

    /// Holds the plan of an installed plugin to what its manifest declares. The program's own declare nothing.
    fn check_declared(&self, plan: &Plan) -> Result<(), Error> {
        let Some(needs) = self.plugin.needs() else { return Ok(()) };
        let programs = match plan {
            Plan::Child { interpreter, .. } => interpreter.as_slice(),
            Plan::Command { program, .. } => std::slice::from_ref(program),
            // Which host is judged when the address is read (`check_host`).
            Plan::Http(_) if !needs.hosts.is_empty() => return Ok(()),
            Plan::Http(_) => return Err(self.undeclared("to send a request".to_owned())),
            Plan::Mcp(_) => return Err(self.undeclared("to call a tool of an MCP server".to_owned())),
        };
        match programs.iter().find(|name| !needs.programs.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let name: String = name.chars().take(80).collect();
                Err(self.undeclared(format!("to start `{name}`")))
            }
        }
    }

    /// Checks that its manifest declares the host of a request. The program's own ask any that the rules of the run name.
    ///
    /// # Errors
    ///
    /// [`Error::Undeclared`].
    pub fn check_host(&self, host: &str, port: u16) -> Result<(), Error> {
        let Some(needs) = self.plugin.needs() else { return Ok(()) };
        match needs.reach() {
            Ok(hosts) if hosts.allow(host, port) => Ok(()),
            Ok(_) | Err(_) => Err(self.undeclared(format!("to send requests to `{host}:{port}`"))),
        }
    }

    fn undeclared(&self, what: String) -> Error {
        Error::Undeclared { plugin: self.name().to_owned(), what }
    }

    /// Asks what came out of a run means.
    ///
    /// # Errors
    ///
    /// [`Error::Reported`] if the tool kind cannot interpret, and whatever else a call can fail with.
    pub fn interpret(&self, request: &InterpretRequest) -> Result<InterpretResponse, Error> {
        self.plugin.ask(OP_INTERPRET, request)
    }
}
