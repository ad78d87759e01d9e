//! The one door to the network: an HTTP request out, a whole response back, under limits and at any moment stoppable.
//!
//! - [`Endpoint`]: where requests may go: https, or http to this machine.
//! - [`Client`]: made on first use, since certificates and connections cost milliseconds that most verbs need not pay.
//! - [`Proxy`]: the way out of a tool that may reach some hosts; [`Relay`]: to a Unix socket.
//! - [`Request`], [`Response`]: what goes out and what comes back; server-sent events are seen one by one as they arrive.
//! - [`Fetched`]: one file of a web server.
//! - [`Visit`], [`Visited`]: a request of a tool, to the [`Address`] that was judged.
//!
//! # Invariants
//!
//! - A request goes to the origin it names and to no other: no redirect is followed, of a tool's request none to another origin.
//! - A header that authenticates is in no error and in no debug output.
//! - Proxies come from the environment that [`Context`](crate::context::Context) captured, never for this machine.
//!
//! Deliberately not here: retries, and what a response means.

mod address;
mod advice;
mod client;
mod endpoint;
mod error;
mod exchange;
mod fetch;
mod proxy;
mod reachable;
mod reason;
mod relay;
mod visit;

pub use address::Address;
pub use advice::Advice;
pub use client::{Client, Settings};
pub use endpoint::{Endpoint, EndpointError};
pub use error::Error;
pub use exchange::{Body, Flow, Limits, Request, Response, ServerEvent};
pub use fetch::Fetched;
pub use proxy::{Asked, Proxy};
pub use reason::Reason;
pub use relay::Relay;
pub use visit::{Visit, Visited};
