//! The events of a stream (`RawMessageStreamEvent` of the package, `ping` and `error`).
//!
//! An event of an unknown type is skipped, as the vendor's versioning policy demands. So is an unknown type of delta.

use rye_plugin_abi::provider::ServerEvent;
use serde::Deserialize;
use serde_json::Value;

use crate::state::RawBlock;

/// An event, told apart by `type`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockStart {
        index: u64,
        content_block: RawBlock,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    MessageDelta {
        delta: Ending,
        #[serde(default)]
        usage: Value,
    },
    MessageStop,
    /// The server gives up; nothing follows.
    Error {
        #[serde(default)]
        error: Value,
    },
    /// Among others `ping` and `content_block_stop`, which are not needed.
    #[serde(other)]
    Other,
}

/// Data added to a block, told apart by `type`.
#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
pub(super) enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(rename = "input_json_delta")]
    InputJson { partial_json: String },
    #[serde(rename = "citations_delta")]
    Citations { citation: Value },
    #[serde(other)]
    Other,
}

/// A message: the whole one of a JSON body, or the empty one at the start of a stream.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) content: Vec<RawBlock>,
    #[serde(flatten)]
    pub(super) ending: Ending,
    #[serde(default)]
    pub(super) usage: Value,
    /// The model that answers, as the server names it.
    #[serde(default)]
    pub(super) model: Option<String>,
}

/// Why a message ended.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Ending {
    #[serde(default)]
    pub(super) stop_reason: Option<String>,
    /// Says more about a refusal.
    #[serde(default)]
    pub(super) stop_details: Value,
}

/// Reads an event.
///
/// # Errors
///
/// An invalid part in the data of an event that matters.
pub(super) fn read(event: &ServerEvent) -> Result<Event, serde_json::Error> {
    match serde_json::from_str(&event.data) {
        Err(_) if event.event == "error" => Ok(Event::Error { error: event.data.clone().into() }),
        Err(_) if !matters(event) => Ok(Event::Other),
        read => read,
    }
}

/// Whether an event may belong to the message. Some servers end a stream with `[DONE]`, as OpenAI's do.
fn matters(event: &ServerEvent) -> bool {
    match event.event.as_str() {
        "message_start" | "content_block_start" | "content_block_delta" | "message_delta" | "message_stop" => true,
        "" => !matches!(event.data.trim(), "" | "[DONE]"),
        _ => false,
    }
}
