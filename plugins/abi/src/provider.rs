//! The questions put to a provider, and its answers.
//!
//! A provider is asked once per turn ([`EncodeRequest`]). For now it answers with the turn's events themselves; asking
//! the host for an HTTP exchange is another kind of [`Answer`], which a host that does not know it must refuse.

use serde::{Deserialize, Serialize};
use serde_json::Value;

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
}

impl Answer {
    /// Every `kind` of this version.
    pub const KINDS: &[&str] = &["events"];
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
    /// The parameters.
    pub input: Value,
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
}

/// An action tag of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CallBrief {
    /// The tool's name, as the model sees it.
    pub tool: String,
    /// The parameters.
    pub input: Value,
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
    /// Tokens read.
    #[serde(default)]
    pub input_tokens: u64,
    /// Tokens written.
    #[serde(default)]
    pub output_tokens: u64,
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
}
