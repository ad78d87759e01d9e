//! Why there is no response.

use std::time::Duration;

use super::reason::Reason;

/// Why a request has no whole response. No variant holds a header or the body of a request.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the sentences say what the fields are")]
pub enum Error {
    /// The run is to stop.
    #[error("the request was stopped")]
    Cancelled,
    /// The host was not reached: the name is unknown, nothing listens, or the network is down.
    #[error("cannot connect to `{host}`")]
    Connect {
        host: String,
        #[source]
        source: Reason,
    },
    /// The other side did not keep to the protocol, or ended the connection.
    #[error("the exchange with `{host}` broke off")]
    Broken {
        host: String,
        #[source]
        source: Reason,
    },
    /// The connection was closed before the request was sent whole: the server has not read it.
    #[error("the connection to `{host}` was closed before the request was sent")]
    Unsent {
        host: String,
        #[source]
        source: Reason,
    },
    /// It took too long.
    #[error("`{host}` {what} within {} s", limit.as_secs_f32())]
    Timeout {
        host: String,
        /// What did not happen.
        what: &'static str,
        limit: Duration,
    },
    /// The response is larger than is read.
    #[error("the response of `{host}` exceeds {limit} bytes")]
    TooLarge {
        host: String,
        /// The most that is read.
        limit: usize,
    },
    /// It was sent elsewhere, and does not go there.
    #[error("`{host}` answers that the place has moved to `{to}`; a request is not sent on to another host")]
    Redirect {
        host: String,
        /// The host that is named instead.
        to: String,
    },
    /// A request that cannot be sent: its path leads elsewhere, or a header is malformed.
    #[error("the request cannot be sent: {reason}")]
    Request { reason: String },
    /// The client cannot be made.
    #[error("cannot prepare for https")]
    Client {
        #[source]
        source: Cause,
    },
}

/// Any cause.
pub(super) type Cause = Box<dyn std::error::Error + Send + Sync + 'static>;
