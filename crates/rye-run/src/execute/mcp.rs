//! Running a tool of an MCP server: planned by its kind, called at the server that the session keeps, interpreted by its kind.
//!
//! Before each call the server lists its tools, and this one must be what its wrapper's digest says: a description or schema that
//! changed is looked at again by the person first. A server's answer is data.

use std::time::Duration;

use rye_plugin_abi::tool_kind::{InterpretRequest, McpCall, Status};
use serde_json::{Value, json};

use super::super::executors::{RefusedPath, Server, ServerError};
use super::super::locate::LocateError;
use super::bounds::Bounds;
use super::error::Error;
use super::status::{Ended, ToolStatus};
use super::tool::ToolRun;
use crate::error::with_causes;
use crate::format::event_text::{Gap, without_middles};
use crate::mcp_client::{self, CallBounds, Client, ListedTool};
use crate::net::Asked;
use crate::plugin::ToolKind;

/// What became of a call.
enum Called {
    /// The server answered, which is what its kind makes of it, and asked for hosts on the way.
    Answered(Result<(ToolStatus, Value), Error>, Vec<Asked>),
    /// The tool is not the one that was checked, or is gone.
    Changed { is_there: bool },
}

impl ToolRun<'_> {
    /// Calls a server's tool.
    ///
    /// # Errors
    ///
    /// Fails when the server is not declared or cannot be prepared, and when its tool is not the one that was looked at. A server
    /// that does not answer as it should is an outcome.
    pub(super) fn run_mcp(
        &self,
        kind: &ToolKind,
        state: Value,
        call: McpCall,
        bounds: &Bounds<'_>,
    ) -> Result<(ToolStatus, Value, Ended), Error> {
        let failed = |source| Error::Server { item_id: self.item_id.clone(), source };
        // A tool run by hand has no path rules.
        let is_for_model = bounds.paths.is_some() || self.project().is_in_tree();
        let server = Server::declared(self.session, &call.server, is_for_model).map_err(failed)?;
        let redactor = server.redactor().map_err(failed)?;
        let time = bounds.timeout.into_iter().fold(server.config().timeout(), Duration::min);
        let interpret = |result| self.interpreted_answer(kind, state, redactor.value(result), bounds);
        let work = |client: &mut Client, tools: &[ListedTool], limits: &CallBounds<'_>| {
            called(client, tools, &call, interpret, limits)
        };
        // Writes of a call that failed are dropped, as those of a failed script.
        let counts = |called: &Called| matches!(called, Called::Answered(Ok((ToolStatus::Ok, _)), _));
        let called = server.with(time, bounds.cancel, work, counts);
        let dropped = || Ended { is_dropped: server.has_copy(), ..Ended::default() };
        match called {
            Ok((Called::Answered(answer, asked), copied)) => {
                let (status, result) = answer?;
                let is_dropped = status == ToolStatus::Error && server.has_copy();
                let refused = RefusedPath::in_text(&call.server, &said_in(&result));
                Ok((status, result, Ended { asked, copied, is_dropped, refused, ..Ended::default() }))
            }
            Ok((Called::Changed { is_there }, _)) => {
                let McpCall { server, tool, .. } = call;
                Err(Error::ServerChanged { item_id: self.item_id.clone(), server, tool, is_there })
            }
            Err(ServerError::Client(mcp_client::Error::Cancelled)) => {
                Ok((ToolStatus::Error, json!({"message": "stopped"}), Ended { cancelled: true, ..dropped() }))
            }
            Err(ServerError::Client(error)) => {
                let message = redactor.text(&with_causes(&error)).into_owned();
                let refused = RefusedPath::in_text(&call.server, &message);
                Ok((ToolStatus::Error, json!({"message": message}), Ended { refused, ..dropped() }))
            }
            Err(error) => Err(failed(error)),
        }
    }

    fn interpreted_answer(
        &self,
        kind: &ToolKind,
        state: Value,
        result: Value,
        bounds: &Bounds<'_>,
    ) -> Result<(ToolStatus, Value), Error> {
        let bytes = result.to_string().len();
        let result = match bytes > bounds.max_output {
            true => self.without_middles(result, bounds.max_output)?,
            false => Some(result),
        };
        let Some(result) = result else {
            let message = format!("the result has {bytes} bytes, more than the limit of {}", bounds.max_output);
            return Ok((ToolStatus::Error, json!({"message": message})));
        };
        let interpreted = kind
            .interpret(&InterpretRequest { state, mcp: Some(result), ..InterpretRequest::default() })
            .map_err(|source| Error::Plugin { item_id: self.item_id.clone(), source })?;
        let status = match interpreted.status {
            Status::Ok => ToolStatus::Ok,
            Status::Error => ToolStatus::Error,
        };
        Ok((status, interpreted.result))
    }
}

impl ToolRun<'_> {
    /// Takes the middle out of the texts of a long result, after its secrets.
    fn without_middles(&self, result: Value, most: usize) -> Result<Option<Value>, Error> {
        let redactor = self.session.context().redactor().map_err(LocateError::from)?;
        let note = |gap: Gap<'_>| format!("{} bytes left out: no more than {most} of a result are kept", gap.bytes);
        Ok(without_middles(&redactor.value(result), most, &note))
    }
}

/// The texts of a result, one a line.
fn said_in(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(said_in).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.values().map(said_in).collect::<Vec<_>>().join("\n"),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

fn called(
    client: &mut Client,
    tools: &[ListedTool],
    call: &McpCall,
    interpret: impl FnOnce(Value) -> Result<(ToolStatus, Value), Error>,
    limits: &CallBounds<'_>,
) -> Result<Called, mcp_client::Error> {
    let listed = tools.iter().find(|tool| tool.name == call.tool);
    if listed.is_none_or(|tool| tool.digest.to_string() != call.digest) {
        return Ok(Called::Changed { is_there: listed.is_some() });
    }
    let result = client.call(&call.tool, &call.arguments, limits)?;
    Ok(Called::Answered(interpret(result), client.asked()))
}
