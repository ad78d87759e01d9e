//! The questions put to a provider, and its answers.
//!
//! A provider is asked once per turn ([`EncodeRequest`]). It answers with the turn's events themselves, or asks the host
//! for an HTTP exchange ([`Exchange`]). Then the host sends the request, has the plugin read each server-sent event as it
//! arrives, for people who watch ([`PeekRequest`]), and hands over the whole response at its end ([`DecodeRequest`]).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::brief::{CallBrief, DirectiveBrief, OnError, OutputBrief, Part, StepBrief, Use};
pub use crate::conversation::{Message, ToolCall, ToolSpec};
pub use crate::event::{ModelEvent, StopReason, Usage};
pub use crate::exchange::{
    Body, Counted, DecodeRequest, DecodeResponse, Decoded, Delta, Exchange, FailureClass, PeekRequest, PeekResponse,
    ServerEvent,
};
use crate::table::{OP_COUNT, OP_COUNTED, OP_DECODE, OP_PEEK};
use crate::{Description, Failure};

/// The code of a provider plugin. All its functions are pure; state goes through `state`.
pub trait Provider {
    /// Says who the plugin is.
    fn describe() -> Description;

    /// Translates a conversation into the next turn.
    ///
    /// # Errors
    ///
    /// Any obstacle for the plugin, with a code of its own.
    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure>;

    /// Tells what a server-sent event says, by itself: for people who watch, and for the host, which stops reading at the
    /// end. Nothing of it is recorded.
    ///
    /// # Errors
    ///
    /// None that matter: unreadable parts are judged by [`decode`](Self::decode).
    fn peek(_request: PeekRequest) -> Result<PeekResponse, Failure> {
        Err(Failure::unsupported(OP_PEEK))
    }

    /// Translates the response to an [`Exchange`] into the turn.
    ///
    /// # Errors
    ///
    /// Only faults of the plugin or its state: a server's error is an [`Decoded::Failed`].
    fn decode(_request: DecodeRequest) -> Result<DecodeResponse, Failure> {
        Err(Failure::unsupported(OP_DECODE))
    }

    /// Asks for the exchange that counts the tokens of a conversation, where that costs nothing.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode); `unsupported` where the provider does not count.
    fn count(_request: EncodeRequest) -> Result<Exchange, Failure> {
        Err(Failure::unsupported(OP_COUNT))
    }

    /// Translates the response to that exchange.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    fn counted(_request: DecodeRequest) -> Result<Counted, Failure> {
        Err(Failure::unsupported(OP_COUNTED))
    }
}

/// A conversation, to be continued by one turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodeRequest {
    /// What the plugin returned last; null in the first turn.
    #[serde(default)]
    pub state: Value,
    /// The provider document, as parsed from its item.
    pub document: Value,
    /// The model's id.
    pub model: String,
    /// The system prompt.
    pub system: String,
    /// The conversation so far, oldest first.
    #[serde(with = "shared")]
    pub messages: Arc<Vec<Message>>,
    /// The tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// How many tokens the turn may put out.
    pub max_output_tokens: u64,
    /// The directive being followed.
    pub directive: DirectiveBrief,
    /// The text of the scripted file, if the caller named one; read by the host.
    #[serde(default)]
    pub script: Option<String>,
}

/// A conversation is shared with whoever keeps it: it is long, and asked about again and again.
mod shared {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Message;

    pub(super) fn serialize<S: Serializer>(messages: &Arc<Vec<Message>>, serializer: S) -> Result<S::Ok, S::Error> {
        messages.as_slice().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Vec<Message>>, D::Error> {
        Vec::deserialize(deserializer).map(Arc::new)
    }
}

/// What a provider answers to an [`EncodeRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodeResponse {
    /// What the plugin wants to be handed with the next request.
    #[serde(default)]
    pub state: Value,
    /// The answer itself.
    pub answer: Answer,
}

/// The kinds of answer, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answer {
    /// The whole turn, made without any exchange.
    Events {
        /// The turn's events in order; the last is a stop.
        events: Vec<ModelEvent>,
    },
    /// A request that the host is to perform.
    Exchange(Exchange),
}

impl Answer {
    /// Every `kind` of this version.
    pub const KINDS: &[&str] = &["events", "exchange"];
}
