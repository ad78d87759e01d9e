//! MCP servers asked by this program: over the lines of a child process or over HTTP, kept by a session, under limits.
//!
//! The protocol's other side, Rye as a server, is the module `mcp`.

pub mod mcp_client;

// The names by which the modules here know those below.
use rye_context::context;
use rye_item::capability;
use rye_net::net;
use rye_process::process;
use rye_redact::redact;
use rye_trust::trust;
