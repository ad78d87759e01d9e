//! Translates the two wire formats of OpenAI: Chat Completions and Responses.
//!
//! - `document`: reads the provider document. `params`: how its parameters become part of a request.
//! - `chat`, `responses`: one wire format each: its request, its events, its turn.
//! - `call`: tool calls: ids, arguments. `output`: what a tool's result looks like to the model.
//! - `refusal`: why an answer was declined.
//! - `state`: what goes back with the model's own message. `usage`: tokens. `server_error`: why there is no turn.
//!
//! Source of the formats: the types of the official Python package `openai` 3.54. Servers that differ a little (Ollama,
//! vLLM, llama.cpp, LiteLLM, OpenRouter) are read where their meaning is clear; each such rule names the difference.
//!
//! # Invariants
//!
//! - Equal conversations give equal bytes, and a longer conversation begins with the bytes of the shorter one.
//! - A turn is returned only if the server said that it is over; anything else is a [`Decoded::Failed`].
//!
//! Deliberately sends nothing and counts no tokens of its own: a server that reports no usage gives a turn without a
//! usage event.

use std::sync::Arc;

use rye_plugin_abi::provider::{
    Answer, DecodeRequest, DecodeResponse, Decoded, EncodeRequest, EncodeResponse, Exchange, PeekRequest, PeekResponse,
    Provider,
};
use rye_plugin_abi::{Description, Failure};
use serde_json::Value;

mod call;
mod chat;
mod document;
mod json;
mod output;
mod params;
mod refusal;
mod responses;
mod schema;
mod server_error;
mod state;
mod stream;
mod usage;

use call::CallIds;
use document::{Document, Wire};

rye_plugin_abi::export_provider!(rye_provider_openai, "openai", OpenAi);

/// The provider.
#[derive(Debug)]
pub struct OpenAi;

impl Provider for OpenAi {
    fn describe() -> Description {
        Description::new("openai", env!("CARGO_PKG_VERSION"), &[])
    }

    fn encode(mut request: EncodeRequest) -> Result<EncodeResponse, Failure> {
        let document = Document::read(&request.document)?;
        let state = CallIds::of(&request.messages).into_state();
        // The conversation is long: it is moved into the body.
        let messages = Arc::unwrap_or_clone(std::mem::take(&mut request.messages));
        let (path, mut body) = match document.wire {
            Wire::Chat => ("/chat/completions", chat::request(&request, messages, &document)?),
            Wire::Responses => ("/responses", responses::request(&request, messages, &document)?),
        };
        params::merge(&mut body, &document)?;
        let body = Value::Object(body).to_string();
        let exchange = Exchange { path: path.to_owned(), headers: Default::default(), body, stream: document.stream };
        Ok(EncodeResponse { state, answer: Answer::Exchange(exchange) })
    }

    /// The event does not say which wire format it belongs to; its `type` does, which Chat Completions lacks.
    fn peek(request: PeekRequest) -> Result<PeekResponse, Failure> {
        Ok(match stream::read(&request.event) {
            stream::Data::Done => PeekResponse { deltas: Vec::new(), is_last: true },
            stream::Data::Object(value) if json::text(&value, "type").is_empty() => chat::peek(value),
            stream::Data::Object(value) => responses::peek(&value),
            stream::Data::Skipped | stream::Data::Unreadable => PeekResponse::default(),
        })
    }

    fn decode(request: DecodeRequest) -> Result<DecodeResponse, Failure> {
        let document = Document::read(&request.document)?;
        let ids = CallIds::from_state(&request.state)?;
        if !(200..300).contains(&request.status) {
            let decoded = server_error::of_response(request.status, &request.body);
            return Ok(DecodeResponse { state: Value::Null, decoded, model: None });
        }
        let turn = match document.wire {
            Wire::Chat => chat::turn(request.body, ids),
            Wire::Responses => responses::turn(request.body, ids),
        };
        let failed = |failed| DecodeResponse { state: Value::Null, decoded: Decoded::from(failed), model: None };
        Ok(turn.unwrap_or_else(failed))
    }
}
