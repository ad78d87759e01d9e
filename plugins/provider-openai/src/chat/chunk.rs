//! The shapes of a Chat Completions response, streamed or not: `ChatCompletionChunk` and `ChatCompletion` of the official
//! package differ in `delta` and `message` only.
//!
//! Every field may be missing or null. Fields that no turn needs are not read.

use serde::Deserialize;
use serde_json::{Map, Value};

/// A chunk of a stream, or a whole response.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Chunk {
    pub(crate) choices: Option<Vec<Choice>>,
    pub(crate) usage: Value,
    /// The model that answers, as the server names it.
    pub(crate) model: Value,
    /// What `OpenRouter`, vLLM and Ollama send in the middle of a stream.
    pub(crate) error: Value,
}

/// One of the answers. Only the first is read.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    pub(crate) index: Option<u64>,
    pub(crate) delta: Option<Piece>,
    pub(crate) message: Option<Piece>,
    pub(crate) finish_reason: Option<String>,
    /// What Azure's filter found, by category.
    pub(crate) content_filter_results: Value,
    /// What `OpenRouter` sends where the model's own provider failed.
    pub(crate) error: Value,
}

/// A piece of the message, or the whole message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Piece {
    pub(crate) content: Option<Content>,
    pub(crate) refusal: Option<String>,
    /// Reasoning as vLLM, llama.cpp, `LiteLLM` and `DeepSeek` send it.
    pub(crate) reasoning_content: Option<String>,
    /// Reasoning as `OpenRouter`, Ollama and Groq send it.
    pub(crate) reasoning: Option<String>,
    /// Signed reasoning of `OpenRouter`.
    pub(crate) reasoning_details: Option<Vec<Value>>,
    /// Signed reasoning of `LiteLLM`.
    pub(crate) thinking_blocks: Option<Vec<Value>>,
    pub(crate) tool_calls: Option<Vec<CallPiece>>,
}

/// Text, or parts of which some are text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Value>),
}

/// A piece of a tool call.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CallPiece {
    pub(crate) index: Option<u64>,
    pub(crate) id: Option<String>,
    pub(crate) function: Option<FunctionPiece>,
    /// Fields of the server's own, such as the signature of a thought in Gemini's `extra_content`.
    #[serde(flatten)]
    pub(crate) others: Map<String, Value>,
}

/// A piece of a function's name and arguments.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct FunctionPiece {
    pub(crate) name: Option<String>,
    /// Text; an object from servers that do not write it as text.
    pub(crate) arguments: Value,
}

impl Choice {
    /// What the choice adds to the message.
    pub(crate) fn into_piece(self) -> Piece {
        self.delta.or(self.message).unwrap_or_default()
    }
}

impl Content {
    /// The text.
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts.iter().map(|part| crate::json::text(part, "text")).collect(),
        }
    }
}

impl FunctionPiece {
    /// The arguments as text.
    pub(crate) fn arguments(&self) -> String {
        match &self.arguments {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        }
    }
}
