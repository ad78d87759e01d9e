//! Running a tool of an MCP server.

use rye_plugin_abi::tool_kind::McpCall;
use serde_json::Value;

use super::bounds::Bounds;
use super::error::Error;
use super::status::{Ended, ToolStatus};
use super::tool::ToolRun;
use crate::plugin::ToolKind;

impl ToolRun<'_> {
    pub(super) fn run_mcp(
        &self,
        _kind: &ToolKind,
        _state: Value,
        _call: McpCall,
        _bounds: &Bounds<'_>,
    ) -> Result<(ToolStatus, Value, Ended), Error> {
        Err(Error::NoKind { item_id: self.item_id.clone(), reason: "not yet".to_owned() })
    }
}
