//! Tools, run: `execute` finds out how (built in, a program, a script, a request over HTTP, a call of an MCP server) and does it; `executors`
//! follows a tool to what runs it, and says what that may reach; `permissions` shows what an item may do; `import` writes the tools of
//! an MCP server as items; `plugins` installs, signs and lists plugins; `project_words` are those of `AGENTS.md` and of the
//! surroundings that a thread tells its model.
//!
//! A tool kind plans and interprets, the host acts: confined, under limits, in a copy where it may write.

pub mod execute;
pub mod executors;
pub mod import;
pub mod permissions;
pub mod plugins;
pub mod project_words;

// The names by which the modules here know those below.
use rye_context::context;
use rye_format::format;
use rye_id::{error, id};
use rye_item::{capability, event, item};
use rye_mcp_client::mcp_client;
use rye_net::net;
use rye_plugin::plugin;
use rye_process::process;
use rye_redact::redact;
use rye_repository::git;
use rye_session::session;
use rye_sign::sign;
use rye_trust::trust;
use rye_verify::{extends, locate, project, verify};
use rye_workspace::workspace;
