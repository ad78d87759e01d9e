//! The four primaries over the Model Context Protocol, on stdin and stdout (docs/mcp.md).
//!
//! A front end like the command line: words in, an operation called, its outcome out. A call is parsed once into an
//! action, checked against the connection's permissions, and performed as the very value that was checked. Text of
//! items reaches a client as instructions only from verified ones; loaded and found text is data and says so. stdout
//! carries the protocol and nothing else. The asynchronous runtime is made here and nowhere else, with one thread;
//! operations run on threads of their own, at most `MOST_CALLS` of them. How many calls wait, and how many bytes of
//! requests and answers, is bounded. Once the connection is to end, nothing more begins.

mod access;
mod call;
mod complete;
mod consent;
mod error;
mod fingerprint;
mod follow;
mod line;
mod options;
mod page;
mod parameters;
mod prompts;
mod request;
mod resources;
mod roots;
mod seats;
mod server;
mod shared_state;
mod skill_uri;
mod skills;
mod stop;
mod surrogates;
mod text;
mod tools;
mod transport;
mod watch;
mod window;
mod work;

use std::time::Duration;

use rmcp::ServiceExt as _;

pub use self::error::{Error, Failure};
pub use self::options::Options;
use self::seats::{MOST_CALLS, Unread};
use self::server::Server;
use self::stop::Stop;
use self::transport::StdioTransport;
use crate::context::Context;
use crate::process::{self, CancelFlag};

/// How long what still runs at the end is waited for: longer than a stopped child takes.
const LAST_WAIT: Duration = Duration::from_secs(4);

/// How long a client may take to read the last answers.
const LAST_READ: Duration = Duration::from_secs(1);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// The client closed stdin or stdout.
    Closed,
    /// A signal asked for it.
    Stopped,
}

/// Serves one client until it goes or a signal asks to stop. Calls that still run then are stopped.
///
/// # Errors
///
/// Fails when the surroundings, the signals or the runtime cannot be had. Messages of a client never cause an error
/// here.
pub fn serve(ctx: &Context, options: Options) -> Result<Ended, Error> {
    let signalled = CancelFlag::new();
    process::install(&signalled)?;
    let stop = Stop::new();
    let on_signal = stop.clone();
    process::on_stop(move || on_signal.now())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .max_blocking_threads(MOST_CALLS + 1)
        .build()
        .map_err(Error::Runtime)?;
    runtime.block_on(connection(ctx.clone(), options, stop));
    runtime.shutdown_timeout(LAST_WAIT);
    Ok(if signalled.is_set() { Ended::Stopped } else { Ended::Closed })
}

async fn connection(ctx: Context, options: Options, stop: Stop) {
    let unread = Unread::new();
    let (transport, written) = StdioTransport::start(stop.clone(), unread.clone());
    let server = Server::new(ctx, options, stop.clone(), unread);
    // A client that leaves before the end of the handshake has all its answers.
    if let Ok(running) = server.serve(transport).await {
        // Its own faults are the transport's, which ends the connection by itself.
        drop(running.waiting().await);
    }
    stop.now();
    // A client that does not read does not get it.
    drop(tokio::time::timeout(LAST_READ, written).await);
}
