//! Tools that are one HTTP request: a template of it, and how its response is read. Plans and interprets; sends nothing.
//!
//! - `template`: placeholders, and the parameters that fill them.
//! - `address`: the URL. A parameter is a part of one segment of its path, or a value of its query, and nothing else.
//! - `request`: the tool's `config`, read strictly, and the plan it makes.
//! - `response`: what a response is worth.
//!
//! The secret of `auth` has a name here and a value only in the host.

mod address;
mod request;
mod response;
mod template;

use rye_plugin_abi::tool_kind::{InterpretRequest, InterpretResponse, Plan, PlanRequest, PlanResponse, ToolKind};
use rye_plugin_abi::{Description, Failure};
use serde_json::json;

rye_plugin_abi::export_tool_kind!(rye_tool_http, "http", Http);

/// The tool kind.
#[derive(Debug)]
pub struct Http;

impl ToolKind for Http {
    fn describe() -> Description {
        // Chosen by name: a YAML file alone does not say which kind it is of.
        Description::new("http", env!("CARGO_PKG_VERSION"), &[])
    }

    fn plan(request: PlanRequest) -> Result<PlanResponse, Failure> {
        let config = request::Config::read(&request.header)?;
        let plan = Plan::Http(config.plan(&request.parameters)?);
        Ok(PlanResponse { state: json!({"response": request.header["config"]["response"]}), plan })
    }

    fn interpret(request: InterpretRequest) -> Result<InterpretResponse, Failure> {
        let mapping = response::Mapping::read(&request.state["response"])?;
        let http = request.http.ok_or_else(|| Failure::new("state", "the response is missing"))?;
        let (status, result) = mapping.apply(&http);
        Ok(InterpretResponse { state: request.state, status, result })
    }
}
