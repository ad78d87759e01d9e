//! The client of MCP servers: one question at a time over a server's lines or over HTTP, under limits, at any moment stoppable.
//!
//! - [`Client`]: one connection: the greeting, the list of tools, calls.
//! - [`ListedTool`]: a tool as a server lists it, with the digest of its definition.
//! - [`Servers`]: the connections that a session keeps and uses again.
//!
//! # Invariants
//!
//! - A message has a greatest size, an exchange a number and sum of them, and a deadline.
//! - Unrequested messages of a server are read and dropped; its requests are refused. It is offered nothing: no roots,
//!   no sampling, no questions to the person.
//! - After anything but an answer, a connection is not used again: its server is ended, with what it started.
//!
//! Deliberately not here: which server may be started and what it may reach, and whether a tool is the one that was looked at.

mod bounds;
mod client;
mod error;
mod http;
mod message;
mod peer;
mod servers;
mod stdio;
mod tool;

pub use bounds::CallBounds;
pub use client::Client;
pub use error::Error;
pub use http::Remote;
pub use peer::Peer;
pub use servers::Servers;
pub use stdio::{Local, ServerFolders};
pub use tool::ListedTool;
