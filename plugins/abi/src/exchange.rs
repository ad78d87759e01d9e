//! An exchange over HTTP that a provider asks its host for: the request, its response, and what the response comes to.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{ModelEvent, Usage};

/// An HTTP request to be sent to the provider document's `url`. The host adds what authenticates it, and chooses the origin:
/// a plugin names a path alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// The suffix of the document's `url`, such as `/v1/messages`.
    pub path: String,
    /// Headers by lower-case name, for what the wire format demands. None that authenticates.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// The body: JSON, sent byte for byte.
    pub body: String,
    /// Whether server-sent events are asked for.
    #[serde(default)]
    pub stream: bool,
}

/// A server-sent event, whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerEvent {
    /// Its `event` field; empty if it has none.
    #[serde(default)]
    pub event: String,
    /// Its `data` fields, joined by line feeds.
    pub data: String,
}

/// A server-sent event to be read as it arrives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeekRequest {
    /// The event.
    pub event: ServerEvent,
}

/// What a server-sent event says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeekResponse {
    /// The visible parts.
    #[serde(default)]
    pub deltas: Vec<Delta>,
    /// Whether the turn is over: ignore anything after it.
    #[serde(default)]
    pub is_last: bool,
}

/// What a model adds to its turn, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Delta {
    /// More text.
    Text {
        /// The text.
        text: String,
    },
    /// More reasoning.
    Reasoning {
        /// The text.
        text: String,
    },
    /// The beginning of a call.
    Call {
        /// The tool's name.
        name: String,
    },
}

/// The response to an exchange, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecodeRequest {
    /// What [`EncodeResponse::state`](crate::provider::EncodeResponse::state) was when the exchange was asked for.
    #[serde(default)]
    pub state: Value,
    /// The provider document, as parsed from its item.
    pub document: Value,
    /// The model's id.
    pub model: String,
    /// The HTTP status.
    pub status: u16,
    /// The body.
    pub body: Body,
}

/// The body of a response, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    /// Server-sent events, in order.
    Events {
        /// The events.
        events: Vec<ServerEvent>,
        /// Whether the stream was read to its end: the event that [`PeekResponse::is_last`] names, or the end of the body.
        is_whole: bool,
    },
    /// Anything else, as text.
    Text {
        /// The text.
        text: String,
    },
}

/// What a response to a request to count comes to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// The tokens of the conversation; none if the server did not say.
    #[serde(default)]
    pub input_tokens: Option<u64>,
}

/// What a response comes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecodeResponse {
    /// What the plugin wants to be handed with this message again, and with the next request.
    #[serde(default)]
    pub state: Value,
    /// The turn, or why there is no turn.
    pub decoded: Decoded,
    /// The model that answered, as the server names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// What a response comes to, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Decoded {
    /// The whole turn.
    Events {
        /// The turn's events in order; the last is a stop.
        events: Vec<ModelEvent>,
    },
    /// There is no turn.
    Failed {
        /// Why, as far as a retry is concerned.
        class: FailureClass,
        /// What the server said of it, in a sentence. The host names the server and the HTTP status.
        message: String,
        /// What the server reported of tokens before it failed: a stream that is cut is billed as far as it came.
        #[serde(default, skip_serializing_if = "Usage::is_empty")]
        usage: Usage,
    },
}

impl Decoded {
    /// Every `kind` of this version.
    pub const KINDS: &[&str] = &["events", "failed"];
}

/// Why a response has no turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Too many requests; later it may answer.
    RateLimit,
    /// It has too much to do; later it may answer.
    Overloaded,
    /// A fault of its own; it may answer the next time.
    Server,
    /// The response ended before the turn did.
    CutShort,
    /// The key is missing, wrong, or may not do this.
    Authentication,
    /// There is no such model, or no such place.
    NotFound,
    /// The request is not what it takes.
    InvalidRequest,
    /// The conversation does not fit the model.
    ContextExceeded,
    /// There is no money left.
    Billing,
    /// It contains nothing that this plugin understands.
    Unreadable,
}
