//! What lives as long as a run: a project, with the plugins, the network, the MCP servers and the registries' transport that running its
//! items needs.
//!
//! Opened once, then shared; what is expensive is opened when first needed, per process (`Host`) or per session. Who only verifies items
//! takes a `Project`, and links none of this.

pub mod session;

// The names by which the modules here know those below.
use rye_context::context;
use rye_mcp_client::mcp_client;
use rye_net::net;
use rye_plugin::plugin;
use rye_process::process;
use rye_registry::registry;
use rye_repository::git;
use rye_verify::project;
use rye_workspace::workspace;
