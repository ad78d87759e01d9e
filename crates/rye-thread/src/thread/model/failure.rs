//! Why a model did not answer: the message, and what helps.

use std::fmt;
use std::time::Duration;

use rye_plugin_abi::message::CODE_STEP_FAILED;
use rye_plugin_abi::provider::FailureClass;

use crate::error::with_causes;
use crate::machine::{CONTEXT, PROVIDER_FAILED, declined};
use crate::{net, plugin};

/// What a server said in the place of an answer.
#[derive(Debug)]
pub(in crate::thread) struct Refusal {
    pub(in crate::thread) host: String,
    /// The HTTP status.
    pub(in crate::thread) status: u16,
    pub(super) class: FailureClass,
    /// The server's sentence.
    pub(in crate::thread) message: String,
    pub(super) request_id: Option<String>,
    /// What to change about the address, if it looks wrong.
    pub(super) address_hint: Option<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, status, class, message, request_id, .. } = self;
        match (status, class) {
            (200..=299, FailureClass::CutShort) => write!(f, "the answer of `{host}` broke off: {message}")?,
            (200..=299, FailureClass::Unreadable) => write!(f, "the answer of `{host}` cannot be used: {message}")?,
            (200..=299, _) => write!(f, "`{host}` reports an error: {message}")?,
            (_, _) => write!(f, "`{host}` answered HTTP {status}: {message}")?,
        }
        request_id.as_ref().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

/// Why a model did not answer.
#[derive(Debug, thiserror::Error)]
pub(in crate::thread) enum Failed {
    /// The plugin failed.
    #[error(transparent)]
    Plugin(#[from] plugin::Error),
    /// The document does not say where to.
    #[error("the provider document has no `url`")]
    NoAddress,
    /// The network failed.
    #[error(transparent)]
    Net(#[from] net::Error),
    /// The server refused, or its answer cannot be used.
    #[error("{0}")]
    Server(Refusal),
    /// It failed, and the server wants to be left alone for longer than a turn waits.
    #[error("{failed}; the server asks to wait {} before the next attempt", told(*.wait))]
    Later {
        #[source]
        failed: Box<Failed>,
        wait: Duration,
    },
    /// The conversation is too long for the model.
    #[error(
        "the conversation does not fit `{model}`: it is about {tokens} tokens long, and the context of the model is {context} tokens"
    )]
    TooLong { model: String, tokens: u64, context: u64 },
    /// The answer is larger than the request allows.
    #[error("the answer of `{host}` contains {bytes} bytes, more than the {tokens} tokens that were asked for can be")]
    TooMuch { host: String, bytes: u64, tokens: u64 },
    /// The model declined to answer.
    #[error("{}", declined(.reason.as_deref()))]
    Declined { reason: Option<String> },
    /// It failed, and what that was billed leaves no room for another attempt.
    #[error("{0}; it is not asked again, because what that cost leaves no room in the limits")]
    NoRoom(Box<Failed>),
}

/// The codes of threads that ended because a turn was not answered.
pub(in crate::thread) const UNANSWERED: [&str; 3] = [PROVIDER_FAILED, CODE_STEP_FAILED, CONTEXT];

impl Failed {
    /// Returns one of the codes [`UNANSWERED`], and the sentence.
    pub(in crate::thread) fn told(self) -> (&'static str, String) {
        match self {
            Self::Plugin(plugin::Error::Reported { code, message, .. }) if code == CODE_STEP_FAILED => {
                (CODE_STEP_FAILED, message)
            }
            Self::Server(Refusal { class: FailureClass::ContextExceeded, .. }) | Self::TooLong { .. } => {
                (CONTEXT, with_causes(&self))
            }
            failed @ (Self::Plugin(_)
            | Self::NoAddress
            | Self::Net(_)
            | Self::Server(_)
            | Self::Later { .. }
            | Self::Declined { .. }
            | Self::TooMuch { .. }
            | Self::NoRoom(_)) => (PROVIDER_FAILED, with_causes(&failed)),
        }
    }

    /// Tells whether another model may answer what this one did not. Another model would only hide a fault of the
    /// request, of this program or of its setup.
    pub(super) fn lets_another_answer(&self) -> bool {
        match self {
            // The rest of the limits for this model is not enough for another one either.
            Self::Plugin(_) | Self::NoAddress | Self::NoRoom(_) | Self::TooLong { .. } => false,
            Self::Net(error) => is_passing(error),
            Self::TooMuch { .. } | Self::Declined { .. } => true,
            Self::Later { failed, .. } => failed.lets_another_answer(),
            Self::Server(Refusal { class, .. }) => match class {
                FailureClass::RateLimit
                | FailureClass::Overloaded
                | FailureClass::Server
                | FailureClass::CutShort
                | FailureClass::NotFound
                | FailureClass::Billing
                | FailureClass::Unreadable => true,
                FailureClass::Authentication | FailureClass::InvalidRequest | FailureClass::ContextExceeded => false,
            },
        }
    }

    /// Returns what to change about the address, if it looks wrong.
    pub(super) fn address_hint(&self) -> Option<&str> {
        match self {
            Self::Server(refusal) => refusal.address_hint.as_deref(),
            Self::NoRoom(failed) | Self::Later { failed, .. } => failed.address_hint(),
            Self::Declined { .. }
            | Self::TooLong { .. }
            | Self::TooMuch { .. }
            | Self::Plugin(_)
            | Self::NoAddress
            | Self::Net(_) => None,
        }
    }

    /// Returns the class of a server's failure.
    pub(super) fn class(&self) -> Option<FailureClass> {
        match self {
            Self::Server(refusal) => Some(refusal.class),
            Self::NoRoom(failed) | Self::Later { failed, .. } => failed.class(),
            Self::TooLong { .. } => Some(FailureClass::ContextExceeded),
            Self::TooMuch { .. } => Some(FailureClass::Unreadable),
            Self::Declined { .. } | Self::Plugin(_) | Self::NoAddress | Self::Net(_) => None,
        }
    }
}

/// Writes a time in the largest unit that tells it well.
fn told(wait: Duration) -> String {
    match wait.as_secs_f64().ceil() as u64 {
        seconds @ ..120 => format!("{seconds} s"),
        seconds @ 120..3600 => format!("{} min", seconds.div_ceil(60)),
        seconds => format!("{} h", seconds.div_ceil(3600)),
    }
}

/// Tells whether it helps to ask again after a failure of the network.
pub(in crate::thread) const fn is_passing(error: &net::Error) -> bool {
    match error {
        net::Error::Connect { .. }
        | net::Error::Unsent { .. }
        | net::Error::Broken { .. }
        | net::Error::Timeout { .. } => true,
        net::Error::Cancelled
        | net::Error::TooLarge { .. }
        | net::Error::Redirect { .. }
        | net::Error::Request { .. }
        | net::Error::Client { .. } => false,
    }
}

/// Tells whether the server may have worked on a request that failed so.
pub(super) const fn may_be_billed(error: &net::Error) -> bool {
    match error {
        net::Error::Cancelled | net::Error::Broken { .. } | net::Error::Timeout { .. } => true,
        net::Error::Connect { .. }
        | net::Error::Unsent { .. }
        | net::Error::TooLarge { .. }
        | net::Error::Redirect { .. }
        | net::Error::Request { .. }
        | net::Error::Client { .. } => false,
    }
}

/// Tells whether it helps to ask again after a server's failure.
pub(super) const fn helps(class: FailureClass) -> bool {
    match class {
        FailureClass::RateLimit | FailureClass::Overloaded | FailureClass::Server | FailureClass::CutShort => true,
        FailureClass::Authentication
        | FailureClass::NotFound
        | FailureClass::InvalidRequest
        | FailureClass::ContextExceeded
        | FailureClass::Billing
        | FailureClass::Unreadable => false,
    }
}
