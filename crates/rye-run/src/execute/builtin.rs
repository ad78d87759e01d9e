//! The built-in tools: those of files and of the web here, and by way of the caller those of registries.

use serde_json::{Map, Value, json};

use super::bounds::Bounds;
use super::error::Error;
use super::file_system;
use super::status::{Ended, ToolStatus};
use super::web;
use crate::item::Builtin;
use crate::session::Session;

type Performed = (ToolStatus, Value, Ended);

/// Performs a built-in tool.
pub(super) fn perform(
    session: &Session,
    builtin: Builtin,
    parameters: &Map<String, Value>,
    bounds: &Bounds<'_>,
) -> Result<Performed, Error> {
    match builtin {
        Builtin::File(tool) => Ok(match file_system::perform(session.project(), tool, parameters, bounds)? {
            Ok(result) => (ToolStatus::Ok, result, Ended::default()),
            Err(message) => refused(&message),
        }),
        Builtin::RegistrySearch | Builtin::RegistryPull | Builtin::RegistryPublish => {
            of_registries(session, builtin, parameters, bounds)
        }
        Builtin::WebFetch => Ok(web::fetch(session, parameters, bounds)),
    }
}

/// Performs a tool that works with registries.
fn of_registries(
    session: &Session,
    builtin: Builtin,
    parameters: &Map<String, Value>,
    bounds: &Bounds<'_>,
) -> Result<Performed, Error> {
    let Some(registries) = bounds.registries else {
        let verb = builtin.id().rsplit('/').next().unwrap_or_default();
        let command = if verb == "search" { "rye search --registry" } else { &format!("rye {verb}") };
        let message = format!("this tool is for threads and agent clients: run `{command}`");
        return Ok((ToolStatus::Error, json!({"error": {"code": "registry", "message": message}}), Ended::default()));
    };
    let (status, result) = registries(session, builtin, parameters, bounds)?;
    Ok((status, result, Ended::default()))
}

fn refused(message: &str) -> Performed {
    (ToolStatus::Error, json!({"error": {"code": "file_system", "message": message}}), Ended::default())
}
