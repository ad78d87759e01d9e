//! The questions put to a provider, and its answers.
//!
//! A provider is asked once per turn ([`EncodeRequest`]). It answers with the turn's events themselves, or asks the host
//! for an HTTP exchange ([`Exchange`]). Then the host sends the request, has the plugin read each server-sent event as it
//! arrives, for people who watch ([`PeekRequest`]), and hands over the whole response at its end ([`DecodeRequest`]).

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use crate::exchange::{
    Body, Counted, DecodeRequest, DecodeResponse, Decoded, Delta, Exchange, FailureClass, PeekRequest, PeekResponse,
    ServerEvent,
};
use crate::table::{OP_COUNT, OP_COUNTED, OP_DECODE, OP_PEEK};
use crate::{Description, Failure};

/// The code of a provider plugin. All its functions are pure; what must be remembered goes through `state`.
pub trait Provider {
    /// Says who the plugin is.
    fn describe() -> Description;

    /// Translates a conversation into the next turn.
    ///
    /// # Errors
    ///
    /// Whatever keeps the plugin from answering, with a code of its own.
    fn encode(request: EncodeRequest) -> Result<EncodeResponse, Failure>;

    /// Tells what a server-sent event says, by itself: for people who watch, and for the host, which stops reading at the
    /// end. Nothing of it is recorded.
    ///
    /// # Errors
    ///
    /// None that matter: what cannot be read now is judged by [`decode`](Self::decode).
    fn peek(_request: PeekRequest) -> Result<PeekResponse, Failure> {
        Err(Failure::unsupported(OP_PEEK))
    }

    /// Translates the response to an [`Exchange`] into the turn.
    ///
    /// # Errors
    ///
    /// Only what is wrong with the plugin or its state: a server's error is an [`Decoded::Failed`].
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
    pub messages: Vec<Message>,
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

/// A message of the conversation, told apart by `role`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// What the person, or the program on their behalf, said.
    User {
        /// The text.
        text: String,
    },
    /// What the model said.
    Assistant {
        /// The text; may be empty.
        text: String,
        /// The tools it called, in order.
        calls: Vec<ToolCall>,
        /// What the plugin returned as `state` with this message: what must go back to the model unchanged, such as signed
        /// reasoning. Null if another provider or model made the message.
        #[serde(default)]
        state: Value,
    },
    /// What a called tool answered.
    Tool {
        /// The call that is answered.
        call_id: String,
        /// The tool's name, as the model sees it.
        name: String,
        /// The result, or the error.
        output: Value,
        /// Whether the call failed or was refused.
        is_error: bool,
    },
}

/// A model's wish to have a tool called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Unique within the conversation.
    pub call_id: String,
    /// The tool's name, as the model sees it.
    pub name: String,
    /// The parameters: a JSON object. A string means that the model's arguments are not a JSON object, or were cut off; the
    /// string is what the model wrote. The host does not run such a call: it answers the model with a tool error.
    pub input: Value,
}

impl ToolCall {
    /// Makes a call from the arguments as the model wrote them. Blank arguments are an empty object.
    #[must_use]
    pub fn from_arguments(call_id: String, name: String, arguments: &str) -> Self {
        let input = match serde_json::from_str(arguments) {
            Ok(Value::Object(parameters)) => Value::Object(parameters),
            _ if arguments.trim().is_empty() => Value::Object(serde_json::Map::new()),
            _ => Value::String(arguments.to_owned()),
        };
        Self { call_id, name, input }
    }

    /// The arguments as JSON text, or as the model wrote them if they are not a JSON object.
    #[must_use]
    pub fn arguments(&self) -> String {
        match &self.input {
            Value::String(text) => text.clone(),
            input => input.to_string(),
        }
    }
}

/// A tool that is offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// The name the model calls it by.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its parameters.
    pub input_schema: Value,
}

/// What a provider that works without a model needs of a directive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectiveBrief {
    /// The directive's name.
    pub name: String,
    /// Its steps in order.
    #[serde(default)]
    pub steps: Vec<StepBrief>,
    /// Its declared outputs.
    #[serde(default)]
    pub outputs: Vec<OutputBrief>,
}

/// A step of a directive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepBrief {
    /// The step's name.
    pub name: String,
    /// Its text; may be empty.
    #[serde(default)]
    pub text: String,
    /// Its action tags, rendered, in order.
    #[serde(default)]
    pub calls: Vec<CallBrief>,
    /// What follows when one of its calls fails or is denied.
    #[serde(default, skip_serializing_if = "OnError::is_end")]
    pub on_error: OnError,
}

/// What follows when a call of a step fails or is denied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnError {
    /// The thread ends.
    #[default]
    End,
    /// The next step is done.
    Continue,
}

impl OnError {
    /// Tells whether the thread ends.
    #[must_use]
    pub const fn is_end(&self) -> bool {
        matches!(self, Self::End)
    }
}

/// An action tag of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallBrief {
    /// The tool's name, as the model sees it.
    pub tool: String,
    /// The parameters. A string that uses results of earlier steps names them in words.
    pub input: Value,
    /// The strings of `input` that use results of earlier steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<Use>,
}

/// A string of a call's parameters that is made of results of earlier steps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// Where in the parameters: a JSON pointer.
    pub at: String,
    /// What it is made of, in order. A result that stands alone keeps its type; otherwise a string is put in as it is and
    /// any other value as JSON.
    pub parts: Vec<Part>,
}

/// A part of a [`Use`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// The result of a step's last call, or what a path of names and numbers, joined by dots, selects in it.
    Result {
        /// The step's name.
        step: String,
        /// The path; empty for the whole result.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        path: String,
    },
}

/// A declared output of a directive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutputBrief {
    /// The output's name.
    pub name: String,
    /// Where its value comes from: `step_name` or `step_name.field.sub`.
    #[serde(default)]
    pub from: Option<String>,
    /// Whether the directive fails without it.
    pub required: bool,
}

/// A piece of a turn, told apart by `kind`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ModelEvent {
    /// Text for the reader.
    Text {
        /// The text.
        text: String,
    },
    /// The model's reasoning, where it shows it.
    Reasoning {
        /// The text.
        text: String,
    },
    /// The step of the directive that makes the calls which follow in this turn. No model sends it.
    Step {
        /// The step's name.
        name: String,
        /// What follows when one of the calls fails or is denied.
        #[serde(default, skip_serializing_if = "OnError::is_end")]
        on_error: OnError,
    },
    /// A tool to be called.
    ToolCall(ToolCall),
    /// What the turn used.
    Usage(Usage),
    /// The end of the turn.
    Stop {
        /// Why it ended.
        reason: StopReason,
    },
}

/// Tokens used by a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens read, those of the cache included.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written, reasoning included.
    #[serde(default)]
    pub output_tokens: u64,
    /// Of the tokens read, those that came from the provider's cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_read_tokens: u64,
    /// Of the tokens read, those that the provider put into its cache.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_tokens: u64,
    /// Of the tokens put into the cache, those that stay there for an hour: some providers bill them apart.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cache_write_1h_tokens: u64,
}

impl Usage {
    /// Tells whether nothing was used, or nothing is known of it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cache_write_1h_tokens } = *self;
        input_tokens == 0
            && output_tokens == 0
            && cache_read_tokens == 0
            && cache_write_tokens == 0
            && cache_write_1h_tokens == 0
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(tokens: &u64) -> bool {
    *tokens == 0
}

/// Why a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model is done.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolUse,
    /// The turn reached the limit of its output.
    MaxTokens,
    /// The provider interrupts a long turn: what came is to be sent back, and the turn goes on.
    Pause,
    /// The model, or the provider, declined to answer.
    Refusal,
    /// The conversation no longer fits the model.
    ContextExceeded,
    /// Anything else that ends a turn.
    Other,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_that_are_not_an_object_stay_text() {
        for (arguments, input) in [
            (r#"{"a": 1}"#, json!({"a": 1})),
            ("", json!({})),
            (" \n", json!({})),
            (r#"{"a": 1"#, json!(r#"{"a": 1"#)),
            ("[1]", json!("[1]")),
            ("null", json!("null")),
            (r#""text""#, json!(r#""text""#)),
        ] {
            let call = ToolCall::from_arguments("1".to_owned(), "tool".to_owned(), arguments);
            assert_eq!(call.input, input);
            assert_eq!(ToolCall::from_arguments("1".to_owned(), "tool".to_owned(), &call.arguments()), call);
        }
    }
}
